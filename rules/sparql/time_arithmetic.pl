:- module(etalis_time_arithmetic,
          [ add_times/3,                % +A, +B, -Sum
            subtract_times/3,           % +A, +B, -Difference
            multiply_duration/3,        % +Duration, +Factor, -Product
            divide_duration/3,          % +Duration, +Divisor, -Quotient
            negate_duration/2           % +Duration, -Negated
          ]).
:- use_module(datatypes, [op(_, _, ^^)]).
:- use_module(decimals, [decimal_quotient/3, round_half_even/2]).
:- use_module(times, [add_months/3]).
:- use_module(zones, [time_in_zone/3, zone_minutes/2, zoned_time/3]).
:- use_module(library(lists), [memberchk/2]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Arithmetic of times and durations

XPath 2.0 functions, sections 10.6 to 10.8, on all three duration types: getDURATION() is an xsd:duration,
and can be added and compared as its two sub-types can. The result has the type of the operands if they have
one type, else it is an xsd:duration. A result whose months and seconds differ in sign is not a duration, and one with
a number of 18 digits or more has no literal: the predicate fails, as it does for operands of other kinds.
*/

%!  add_times(+A, +B, -Sum) is semidet.
%
%   Of a time and a duration, in any order, or of two durations.

add_times(A, B, Sum), zoned_time(A, Time, Zone) =>
    duration_value(B, Months, Rest, _),
    shifted(Time, Zone, Months, Rest, Sum).
add_times(A, B, Sum), zoned_time(B, Time, Zone) =>
    duration_value(A, Months, Rest, _),
    shifted(Time, Zone, Months, Rest, Sum).
add_times(A, B, Sum) =>
    duration_value(A, Months1, Rest1, Type1),
    duration_value(B, Months2, Rest2, Type2),
    Months is Months1 + Months2,
    Rest is Rest1 + Rest2,
    common_type(Type1, Type2, Type),
    duration_term(Months, Rest, Type, Sum).

%   First the months, by the clock of the zone, then the rest: XML Schema 1.1 part 2, section E.3.3.

shifted(Time, Zone, 0, Rest, Sum) =>
    Later is Time + Rest,
    has_literal(Later),
    time_in_zone(Later, Zone, Sum).
shifted(Time, Zone, Months, Rest, Sum) =>
    zone_minutes(Zone, Minutes),
    Local is Time + Minutes*60000000,
    add_months(Local, Months, LaterLocal),
    Later is LaterLocal - Minutes*60000000 + Rest,
    has_literal(Later),
    time_in_zone(Later, Zone, Sum).

%   A year of more than 17 digits is refused a little early.

has_literal(Time) :-
    abs(Time) < 31000000000000000000000000000000.

%!  subtract_times(+A, +B, -Difference) is semidet.
%
%   Of two times (an xsd:dayTimeDuration), a time and a duration, or two durations.

subtract_times(A, B, Difference), zoned_time(A, TimeA, _), zoned_time(B, TimeB, _) =>
    Rest is TimeA - TimeB,
    duration_term(0, Rest, #xsd(dayTimeDuration), Difference).
subtract_times(A, B, Difference) =>
    negate_duration(B, Negated),
    add_times(A, Negated, Difference).

%!  multiply_duration(+Duration, +Factor, -Product) is semidet.
%
%   Factor is a number. Months are rounded to whole ones as fn:round does, seconds to microseconds half to
%   even.

multiply_duration(Duration, Factor, Product) :-
    duration_value(Duration, Months, Rest, Type),
    exact(Factor, Exact),
    ScaledMonths is Months*Exact,
    ScaledRest is Rest*Exact,
    scaled_duration(ScaledMonths, ScaledRest, Type, Product).

%!  divide_duration(+Duration, +Divisor, -Quotient) is semidet.
%
%   By a number, or by a duration: that gives a decimal, and needs two without months or two with nothing
%   but months.

divide_duration(Duration, Divisor, Quotient), number(Divisor) =>
    duration_value(Duration, Months, Rest, Type),
    reciprocal(Divisor, Factor),
    ScaledMonths is Months*Factor,
    ScaledRest is Rest*Factor,
    scaled_duration(ScaledMonths, ScaledRest, Type, Quotient).
divide_duration(Duration, Divisor, Quotient) =>
    duration_value(Duration, Months1, Rest1, _),
    duration_value(Divisor, Months2, Rest2, _),
    (   Months1 =:= 0, Months2 =:= 0
    ->  decimal_quotient(Rest1, Rest2, Value)
    ;   Rest1 =:= 0, Rest2 =:= 0
    ->  decimal_quotient(Months1, Months2, Value)
    ),
    Quotient = Value^^ #xsd(decimal).

%!  negate_duration(+Duration, -Negated) is semidet.

negate_duration(Duration, Negated) :-
    duration_value(Duration, Months, Rest, Type),
    NegatedMonths is -Months,
    NegatedRest is -Rest,
    Negated = duration(NegatedMonths, NegatedRest)^^Type.

%   duration_value(+Term, -Months, -Rest, -Type) is semidet.
%
%   Fails for other terms and for ill-typed literals.

duration_value(duration(Months0, Rest0)^^Type0, Months, Rest, Type) =>
    Months = Months0, Rest = Rest0, Type = Type0.
duration_value(lexical(duration(Months0, Rest0), _)^^Type0, Months, Rest, Type) =>
    Months = Months0, Rest = Rest0, Type = Type0.
duration_value(_, _, _, _) =>
    fail.

%   A finite number as a rational.

exact(Number, Exact), float(Number) =>
    float_class(Number, Class),
    \+ memberchk(Class, [nan, infinite]),
    Exact is rational(Number).
exact(Number, Exact) =>
    Exact = Number.

%   Fails for zero and NaN; of an infinity it is zero.

reciprocal(Number, Reciprocal), float(Number), float_class(Number, infinite) =>
    Reciprocal = 0.
reciprocal(Number, Reciprocal) =>
    exact(Number, Exact),
    Exact =\= 0,
    Reciprocal is 1 rdiv Exact.

common_type(Type, Type1, Common), Type == Type1 => Common = Type.
common_type(_, _, Common) => Common = #xsd(duration).

scaled_duration(Months, Rest, Type, Duration) :-
    WholeMonths is floor(Months + 1r2),
    round_half_even(Rest, WholeRest),
    duration_term(WholeMonths, WholeRest, Type, Duration).

duration_term(Months, Rest, Type, Duration) :-
    Months*Rest >= 0,
    abs(Months) < 12000000000000000000,
    abs(Rest) < 86400000000000000000000000000,          % 10**18 days
    Duration = duration(Months, Rest)^^Type.
