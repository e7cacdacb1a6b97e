:- module(etalis_floats,
          [ nearest_float/2,            % +Number, -Float
            float_add/3,                % +Number, +Number, -Float
            float_multiply/3,           % +Number, +Number, -Float
            float_divide/3              % +Number, +Number, -Float
          ]).

/** <module> Arithmetic of doubles that never raises

IEEE 754: overflow gives an infinity, an invalid operation gives NaN. Prolog raises there unless flags of the
whole process say otherwise; so the plain operation comes first, and what raised is settled by the rules of
section 7 of the standard. NaN has one form here. Operands may be exact numbers; they count as the nearest
double.
*/

:- det((nearest_float/2, float_add/3, float_multiply/3, float_divide/3)).

%!  nearest_float(+Number, -Float) is det.
%
%   The double nearest to a number, infinite if that is out of range.

nearest_float(Number, Float), float(Number) =>
    Float = Number.
nearest_float(Number, Float) =>                         % of a negative tie, float/1 gives the odd one
    (   catch(Float0 is copysign(float(abs(Number)), Number), error(evaluation_error(_), _), fail)
    ->  Float = Float0
    ;   Number > 0
    ->  Float = 1.0Inf
    ;   Float = -1.0Inf
    ).

%!  float_add(+A, +B, -Sum) is det.

float_add(A, B, Sum) :-
    (   catch(Sum0 is float(A) + float(B), error(evaluation_error(_), _), fail)
    ->  Sum = Sum0
    ;   nearest_float(A, A1),
        nearest_float(B, B1),
        odd_sum(A1, B1, Sum)
    ).

odd_sum(A, B, Sum), ( A =\= A ; B =\= B ) => Sum = 1.5NaN.
odd_sum(A, B, Sum), infinite(A), infinite(B), A =\= B => Sum = 1.5NaN.
odd_sum(A, _, Sum), infinite(A) => Sum = A.
odd_sum(_, B, Sum), infinite(B) => Sum = B.
odd_sum(A, _, Sum) => infinity(A, 1.0, Sum).            % overflow: both have one sign

%!  float_multiply(+A, +B, -Product) is det.

float_multiply(A, B, Product) :-
    (   catch(Product0 is float(A)*float(B), error(evaluation_error(_), _), fail)
    ->  Product = Product0
    ;   nearest_float(A, A1),
        nearest_float(B, B1),
        odd_product(A1, B1, Product)
    ).

odd_product(A, B, Product), ( A =\= A ; B =\= B ; A =:= 0.0 ; B =:= 0.0 ) => Product = 1.5NaN.
odd_product(A, B, Product) => infinity(A, B, Product).

%!  float_divide(+A, +B, -Quotient) is det.

float_divide(A, B, Quotient) :-
    (   catch(Quotient0 is float(A)/float(B), error(evaluation_error(_), _), fail)
    ->  Quotient = Quotient0
    ;   nearest_float(A, A1),
        nearest_float(B, B1),
        odd_quotient(A1, B1, Quotient)
    ).

odd_quotient(A, B, Quotient), ( A =\= A ; B =\= B ) => Quotient = 1.5NaN.
odd_quotient(A, B, Quotient), infinite(A), infinite(B) => Quotient = 1.5NaN.
odd_quotient(A, B, Quotient), infinite(B) => Quotient is copysign(0.0, A)*copysign(1.0, B).
odd_quotient(A, B, Quotient), A =:= 0.0, B =:= 0.0 => Quotient = 1.5NaN.
odd_quotient(A, B, Quotient) => infinity(A, B, Quotient).       % A infinite, B zero, or overflow

infinite(1.0Inf).
infinite(-1.0Inf).

%   The infinity with the sign of A*B; zeros have signs.

infinity(A, B, Infinity) :-
    (   copysign(1.0, A)*copysign(1.0, B) > 0.0
    ->  Infinity = 1.0Inf
    ;   Infinity = -1.0Inf
    ).
