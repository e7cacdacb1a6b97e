:- module(etalis_functions_number,
          [ f_abs/2,                    % +Number, -Absolute
            f_round/2,                  % +Number, -Rounded
            f_ceil/2,                   % +Number, -Ceiling
            f_floor/2,                  % +Number, -Floor
            f_rand/1                    % -Double
          ]).
:- use_module(arithmetic, [numeric_value/3]).
:- use_module(datatypes, [op(_, _, ^^)]).
:- use_module(library(lists), [memberchk/2]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Functions on numbers

SPARQL 1.1 section 17.4.4, XPath 2.0 functions section 6.4. The value has the type of the argument, where a
type derived from xsd:integer counts as xsd:integer. NaN, infinities and the sign of zero stay.
*/

:- det(f_rand/1).

%!  f_abs(+Number, -Absolute) is semidet.

f_abs(Number, Absolute) :-
    numeric_value(Number, Rank, Value),
    Result is abs(Value),
    of_rank(Rank, Result, Absolute).

%!  f_round(+Number, -Rounded) is semidet.
%
%   The nearest integer; of two the one closer to positive infinity.

f_round(Number, Rounded) :-
    numeric_value(Number, Rank, Value),
    integral(Value, round, Result),
    of_rank(Rank, Result, Rounded).

%!  f_ceil(+Number, -Ceiling) is semidet.

f_ceil(Number, Ceiling) :-
    numeric_value(Number, Rank, Value),
    integral(Value, ceil, Result),
    of_rank(Rank, Result, Ceiling).

%!  f_floor(+Number, -Floor) is semidet.

f_floor(Number, Floor) :-
    numeric_value(Number, Rank, Value),
    integral(Value, floor, Result),
    of_rank(Rank, Result, Floor).

integral(Value, _, Result), integer(Value) =>
    Result = Value.
integral(Value, How, Result), float(Value) =>
    float_class(Value, Class),
    (   memberchk(Class, [nan, infinite, zero])
    ->  Result = Value
    ;   Exact is rational(Value),
        exact_integral(How, Exact, Integer),
        Result is copysign(float(Integer), Value)       % -0.3 rounds to -0.0
    ).
integral(Value, How, Result) =>
    exact_integral(How, Value, Result).

exact_integral(round, Value, Integer) => Integer is floor(Value + 1r2).
exact_integral(ceil, Value, Integer) => Integer is ceiling(Value).
exact_integral(floor, Value, Integer) => Integer is floor(Value).

of_rank(0, Value, Term) => Term = Value^^ #xsd(integer).
of_rank(1, Value, Term) => Term = Value^^ #xsd(decimal).
of_rank(2, Value, Term) => Term = Value^^ #xsd(float).
of_rank(3, Value, Term) => Term = Value^^ #xsd(double).

%!  f_rand(-Double) is det.
%
%   A double in [0,1).

f_rand(Value^^ #xsd(double)) :-
    Value is random(9007199254740992)/9007199254740992.0.
