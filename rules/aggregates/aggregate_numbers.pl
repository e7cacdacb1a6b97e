:- module(etalis_aggregate_numbers,
          [ add_exact/4,                % +Number, +Literal, +Step, -Sum
            sum_of/2,                   % +Sum, -Literal
            average_of/2                % +Sum, -Literal
          ]).
:- use_module('../sparql/arithmetic', [divide/3, numeric_value/3]).
:- use_module('../sparql/datatypes', [op(_, _, ^^)]).
:- use_module('../sparql/floats', [nearest_float/2]).
:- use_module('../sparql/singles', [nearest_single/2]).
:- use_module(library(macros)).

#import('../sparql/datatypes').

/** <module> Sums that are too long for C

rules/native/sums.c keeps sums, and leaves to this what needs numbers of any length. It says what a sum is:

sum(Exact, Rest, Bits, Integers, Decimals, Floats, Doubles, NotANumber, Infinite, NegativeInfinite, Errors): the sum of
the finite numbers is Exact (a literal), Rest (a rational), and the limbs Bits, each 2**32 times the one before it and
the first 2**(-1088); then counts.
*/

:- det((add_exact/4, sum_of/2, average_of/2)).

%!  add_exact(+Number, +Literal, +Step, -Sum) is det.
%
%   Number and the value of Literal, Step times; both are rationals.

add_exact(Number, Literal, Step, Sum) :-
    numeric_value(Literal, _, Value),
    Sum is Number + Step*Value.

%!  sum_of(+Sum, -Literal) is det.
%!  average_of(+Sum, -Literal) is det.
%
%   Of a sum of finite numbers, all of which are numbers.

sum_of(sum(Exact, Rest, Bits, _, Decimals, Floats, Doubles, _, _, _, _), Literal) :-
    numeric_value(Exact, _, Value),
    bits_value(Bits, Steps),
    Sum is Value + Rest + Steps rdiv (1<<1088),
    (   Doubles > 0
    ->  nearest_float(Sum, Double),
        Literal = Double^^ #xsd(double)
    ;   Floats > 0
    ->  nearest_single(Sum, Single),
        Literal = Single^^ #xsd(float)
    ;   Decimals > 0
    ->  Literal = Sum^^ #xsd(decimal)
    ;   Literal = Sum^^ #xsd(integer)
    ).

bits_value([], 0).
bits_value([Limb|Limbs], Value) :-
    bits_value(Limbs, Higher),
    Value is Limb + (Higher<<32).

average_of(Sum, Average) :-
    Sum = sum(_, _, _, Integers, Decimals, Floats, Doubles, _, _, _, _),
    Count is Integers + Decimals + Floats + Doubles,
    sum_of(Sum, Total),
    divide(Total, Count^^ #xsd(integer), Average).
