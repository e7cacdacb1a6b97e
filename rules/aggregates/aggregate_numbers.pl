:- module(etalis_aggregate_numbers,
          [ no_numbers/1,               % -Numbers
            count_in/3,                 % +Value, +Numbers0, -Numbers
            count_out/3,                % +Value, +Numbers0, -Numbers
            sum_of/2,                   % +Numbers, -Sum
            average_of/2                % +Numbers, -Average
          ]).
:- use_module('../sparql/arithmetic', [divide/3, numeric_value/3]).
:- use_module('../sparql/datatypes', [op(_, _, ^^)]).
:- use_module('../sparql/floats', [nearest_float/2]).
:- use_module('../sparql/singles', [nearest_single/2]).
:- use_module(library(macros)).

#import('../sparql/datatypes').

/** <module> Sums that forget exactly

SPARQL 1.1 sections 18.5.1.3 and 18.5.1.4. The sum is kept as an exact rational, of doubles too: a number that
leaves takes away just what it brought, the order does not matter, and a sum of floats or doubles is rounded
once, when it is asked for (to an infinity where it is out of range). NaN, INF and -INF are counted apart, as
are the values that are not numbers, and the members of each rank of type: the type of the sum is that of what
is in it now.

AVG is SUM divided by COUNT, as the specification defines it.

numbers(Sum, Integers, Decimals, Floats, Doubles, NotANumber, Infinite, NegativeInfinite, Errors): the exact
sum of the finite ones, and counts. A count of a rank has the special ones of that rank in it.
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

:- det((no_numbers/1, count_in/3, count_out/3, sum_of/2, average_of/2)).

%!  no_numbers(-Numbers) is det.

no_numbers(numbers(0, 0, 0, 0, 0, 0, 0, 0, 0)).

%!  count_in(+Value, +Numbers0, -Numbers) is det.
%
%   Value is any term, also one that is not a number.

count_in(Integer^^ #xsd(integer), numbers(S0, I0, Q, F, D, N, P, M, E), Numbers), integer(Integer) =>
    S is S0 + Integer,
    I is I0 + 1,
    Numbers = numbers(S, I, Q, F, D, N, P, M, E).
count_in(Value, Numbers0, Numbers) =>
    count(Value, 1, Numbers0, Numbers).

%!  count_out(+Value, +Numbers0, -Numbers) is det.

count_out(Integer^^ #xsd(integer), numbers(S0, I0, Q, F, D, N, P, M, E), Numbers), integer(Integer) =>
    S is S0 - Integer,
    I is I0 - 1,
    Numbers = numbers(S, I, Q, F, D, N, P, M, E).
count_out(Value, Numbers0, Numbers) =>
    count(Value, -1, Numbers0, Numbers).

count(Value, Step, numbers(S0, I0, Q0, F0, D0, N0, P0, M0, E0), Numbers) :-
    (   numeric_value(Value, Rank, Number)
    ->  Numbers = numbers(S, I, Q, F, D, N, P, M, E0),
        count_rank(Rank, Step, I0, Q0, F0, D0, I, Q, F, D),
        count_value(Number, Step, S0, N0, P0, M0, S, N, P, M)
    ;   E is E0 + Step,
        Numbers = numbers(S0, I0, Q0, F0, D0, N0, P0, M0, E)
    ).

count_rank(0, Step, I0, Q, F, D, I, Q, F, D) :- I is I0 + Step.
count_rank(1, Step, I, Q0, F, D, I, Q, F, D) :- Q is Q0 + Step.
count_rank(2, Step, I, Q, F0, D, I, Q, F, D) :- F is F0 + Step.
count_rank(3, Step, I, Q, F, D0, I, Q, F, D) :- D is D0 + Step.

count_value(Number, Step, S0, N0, P0, M0, S, N, P, M), rational(Number) =>
    S is S0 + Step*Number,
    N = N0, P = P0, M = M0.
count_value(1.0Inf, Step, S0, N0, P0, M0, S, N, P, M) =>
    P is P0 + Step,
    S = S0, N = N0, M = M0.
count_value(-1.0Inf, Step, S0, N0, P0, M0, S, N, P, M) =>
    M is M0 + Step,
    S = S0, N = N0, P = P0.
count_value(Number, Step, S0, N0, P0, M0, S, N, P, M), Number =\= Number =>
    N is N0 + Step,
    S = S0, P = P0, M = M0.
count_value(Number, Step, S0, N0, P0, M0, S, N, P, M) =>
    S is S0 + Step*rational(Number),
    N = N0, P = P0, M = M0.

%!  sum_of(+Numbers, -Sum) is det.
%
%   A literal, '$unbound' where there is a value that is not a number.

sum_of(numbers(_, _, _, _, _, _, _, _, Errors), Sum), Errors > 0 =>
    Sum = '$unbound'.
sum_of(numbers(S, _, Decimals, 0, 0, _, _, _, _), Sum) =>
    (   Decimals =:= 0
    ->  Sum = S^^ #xsd(integer)
    ;   Sum = S^^ #xsd(decimal)
    ).
sum_of(numbers(S, _, _, _, Doubles, 0, 0, 0, _), Sum) =>
    (   Doubles =:= 0
    ->  nearest_single(S, Single),
        Sum = Single^^ #xsd(float)
    ;   nearest_float(S, Double),
        Sum = Double^^ #xsd(double)
    ).
sum_of(numbers(_, _, _, _, Doubles, NotANumber, Positive, Negative, _), Sum) =>
    special_sum(NotANumber, Positive, Negative, Special),
    (   Doubles =:= 0
    ->  Sum = Special^^ #xsd(float)
    ;   Sum = Special^^ #xsd(double)
    ).

special_sum(0, _, 0, Sum) => Sum = 1.0Inf.
special_sum(0, 0, _, Sum) => Sum = -1.0Inf.
special_sum(_, _, _, Sum) => Sum = 1.5NaN.

%!  average_of(+Numbers, -Average) is det.

average_of(Numbers, Average) :-
    sum_of(Numbers, Sum),
    Numbers = numbers(_, I, Q, F, D, _, _, _, _),
    Count is I + Q + F + D,
    (   ( Count =:= 0 ; Sum == '$unbound' )
    ->  Average = Sum
    ;   divide(Sum, Count^^ #xsd(integer), Average)
    ).
