:- module(etalis_arithmetic,
          [ add/3,                      % +A, +B, -Sum
            subtract/3,                 % +A, +B, -Difference
            multiply/3,                 % +A, +B, -Product
            divide/3,                   % +A, +B, -Quotient
            unary_minus/2,              % +A, -Negated
            unary_plus/2,               % +A, -Same
            numeric_value/3             % +Term, -Rank, -Value
          ]).
:- use_module(datatypes, [numeric_rank/2, op(_, _, ^^)]).
:- use_module(decimals, [decimal_places/2, decimal_quotient/3]).
:- use_module(floats, [float_add/3, float_divide/3, float_multiply/3]).
:- use_module(singles, [nearest_single/2]).
:- use_module(time_arithmetic,
              [ add_times/3, subtract_times/3, multiply_duration/3, divide_duration/3, negate_duration/2 ]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> The arithmetic operators of SPARQL

SPARQL 1.1 section 17.3 with the promotion of XPath 2.0, section B.1: types derived from xsd:integer count
as xsd:integer, integers and decimals are exact, the quotient of integers is a decimal, a double overflows to
an infinity, a float is rounded to single precision. A predicate fails where SPARQL has an error: an operand that is not a number, a time or a
duration, an exact division by zero. First clauses are the fast ways; the bounds there keep clear of
overflow, which Prolog raises for.
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

%!  add(+A, +B, -Sum) is semidet.

add(A^^ #xsd(integer), B^^ #xsd(integer), Sum), integer(A), integer(B) =>
    C is A + B,
    Sum = C^^ #xsd(integer).
add(A^^ #xsd(double), B^^ #xsd(double), Sum),
        float(A), float(B), A < 1.0e300, A > -1.0e300, B < 1.0e300, B > -1.0e300 =>
    C is A + B,
    Sum = C^^ #xsd(double).
add(A^^ #xsd(decimal), B^^ #xsd(decimal), Sum), rational(A), rational(B) =>
    C is A + B,
    Sum = C^^ #xsd(decimal).
add(A, B, Sum), numeric_value(A, RankA, ValueA), numeric_value(B, RankB, ValueB) =>
    Rank is max(RankA, RankB),
    number_sum(Rank, ValueA, ValueB, Sum).
add(A, B, Sum) =>
    add_times(A, B, Sum).

number_sum(0, A, B, Sum) => C is A + B, Sum = C^^ #xsd(integer).
number_sum(1, A, B, Sum) => C is A + B, Sum = C^^ #xsd(decimal).
number_sum(2, A, B, Sum) =>
    single_operands(A, B, A1, B1),
    float_add(A1, B1, C),
    single_term(C, Sum).
number_sum(3, A, B, Sum) =>
    float_add(A, B, C),
    Sum = C^^ #xsd(double).

%   Singles, and the exact numbers that are promoted to them; see singles.pl for the rounding.

single_operands(A, B, SingleA, SingleB) :-
    nearest_single(A, SingleA),
    nearest_single(B, SingleB).

single_term(Float, Single^^ #xsd(float)) :-
    nearest_single(Float, Single).

%!  subtract(+A, +B, -Difference) is semidet.

subtract(A^^ #xsd(integer), B^^ #xsd(integer), Difference), integer(A), integer(B) =>
    C is A - B,
    Difference = C^^ #xsd(integer).
subtract(A^^ #xsd(double), B^^ #xsd(double), Difference),
        float(A), float(B), A < 1.0e300, A > -1.0e300, B < 1.0e300, B > -1.0e300 =>
    C is A - B,
    Difference = C^^ #xsd(double).
subtract(A^^ #xsd(decimal), B^^ #xsd(decimal), Difference), rational(A), rational(B) =>
    C is A - B,
    Difference = C^^ #xsd(decimal).
subtract(A, B, Difference), numeric_value(A, RankA, ValueA), numeric_value(B, RankB, ValueB) =>
    Rank is max(RankA, RankB),
    Negated is -ValueB,
    number_sum(Rank, ValueA, Negated, Difference).
subtract(A, B, Difference) =>
    subtract_times(A, B, Difference).

%!  multiply(+A, +B, -Product) is semidet.

multiply(A^^ #xsd(integer), B^^ #xsd(integer), Product), integer(A), integer(B) =>
    C is A*B,
    within_limits(C),
    Product = C^^ #xsd(integer).
multiply(A^^ #xsd(double), B^^ #xsd(double), Product),
        float(A), float(B), A < 1.0e150, A > -1.0e150, B < 1.0e150, B > -1.0e150 =>
    C is A*B,
    Product = C^^ #xsd(double).
multiply(A^^ #xsd(decimal), B^^ #xsd(decimal), Product), rational(A), rational(B) =>
    C is A*B,
    within_limits(C),
    Product = C^^ #xsd(decimal).
multiply(A, B, Product), numeric_value(A, RankA, ValueA), numeric_value(B, RankB, ValueB) =>
    Rank is max(RankA, RankB),
    number_product(Rank, ValueA, ValueB, Product).
multiply(A, B, Product), numeric_value(B, _, Factor) =>
    multiply_duration(A, Factor, Product).
multiply(A, B, Product), numeric_value(A, _, Factor) =>
    multiply_duration(B, Factor, Product).
multiply(_, _, _) =>
    fail.

number_product(0, A, B, Product) => C is A*B, within_limits(C), Product = C^^ #xsd(integer).
number_product(1, A, B, Product) => C is A*B, within_limits(C), Product = C^^ #xsd(decimal).
number_product(2, A, B, Product) =>
    single_operands(A, B, A1, B1),
    float_multiply(A1, B1, C),
    single_term(C, Product).
number_product(3, A, B, Product) =>
    float_multiply(A, B, C),
    Product = C^^ #xsd(double).

%   A product of more than 4,000 digits before or after the point is an error (XPath 2.0 functions, section 6.2:
%   overflow): no literal of that many is read, and a rule that squares its own results would eat the memory of
%   the process. 2**13287 is the greatest power of two below 10**4000.

within_limits(Number), integer(Number) =>
    (   Number =< 4611686018427387903,
        Number >= -4611686018427387904
    ->  true
    ;   msb(abs(Number)) < 13287
    ).
within_limits(Number) =>
    Denominator is denominator(Number),
    msb(abs(numerator(Number))) < 13287,
    (   msb(Denominator) =< 4000        % it has no more digits than bits
    ->  true
    ;   msb(Denominator) < 13288,
        decimal_places(Number, Places),
        Places =< 4000
    ).

%!  divide(+A, +B, -Quotient) is semidet.
%
%   Integers and decimals give a decimal, rounded to 18 fraction digits if it does not end before.

divide(A^^ #xsd(integer), B^^ #xsd(integer), Quotient), integer(A), integer(B) =>
    decimal_quotient(A, B, C),
    Quotient = C^^ #xsd(decimal).
divide(A^^ #xsd(double), B^^ #xsd(double), Quotient),
        float(A), float(B), A < 1.0e150, A > -1.0e150, abs(B) > 1.0e-150 =>
    C is A/B,
    Quotient = C^^ #xsd(double).
divide(A, B, Quotient), numeric_value(A, RankA, ValueA), numeric_value(B, RankB, ValueB) =>
    Rank is max(RankA, RankB),
    number_quotient(Rank, ValueA, ValueB, Quotient).
divide(A, B, Quotient), numeric_value(B, _, Divisor) =>
    divide_duration(A, Divisor, Quotient).
divide(A, B, Quotient) =>
    divide_duration(A, B, Quotient).

number_quotient(Rank, A, B, Quotient), Rank =< 1 =>
    decimal_quotient(A, B, C),
    Quotient = C^^ #xsd(decimal).
number_quotient(2, A, B, Quotient) =>
    single_operands(A, B, A1, B1),
    float_divide(A1, B1, C),
    single_term(C, Quotient).
number_quotient(3, A, B, Quotient) =>
    float_divide(A, B, C),
    Quotient = C^^ #xsd(double).

%!  unary_minus(+A, -Negated) is semidet.

unary_minus(A, Negated), numeric_value(A, Rank, Value) =>
    Opposite is -Value,
    number_of_rank(Rank, Opposite, Negated).
unary_minus(A, Negated) =>
    negate_duration(A, Negated).

%!  unary_plus(+A, -Same) is semidet.

unary_plus(A, Same), numeric_value(A, Rank, Value) =>
    number_of_rank(Rank, Value, Same).
unary_plus(_, _) =>
    fail.

number_of_rank(0, Value, Term) => Term = Value^^ #xsd(integer).
number_of_rank(1, Value, Term) => Term = Value^^ #xsd(decimal).
number_of_rank(2, Value, Term) => Term = Value^^ #xsd(float).
number_of_rank(3, Value, Term) => Term = Value^^ #xsd(double).

%!  numeric_value(+Term, -Rank, -Value) is semidet.
%
%   The value of a numeric literal and the rank of its type, see numeric_rank/2. Fails for anything else, an
%   ill-typed literal too.

numeric_value(Number^^Type, Rank, Value), number(Number) =>
    numeric_rank(Type, Rank),
    Value = Number.
numeric_value(lexical(Number, _)^^Type, Rank, Value) =>
    numeric_rank(Type, Rank),
    Value = Number.
numeric_value(_, _, _) =>
    fail.
