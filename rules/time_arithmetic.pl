:- module(etalis_time_arithmetic,
          [ add_times/3,                % +A, +B, -Sum
            subtract_times/3,           % +A, +B, -Difference
            multiply_duration/3,        % +Duration, +Factor, -Product
            divide_duration/3,          % +Duration, +Divisor, -Quotient
            negate_duration/2           % +Duration, -Negated
          ]).
:- use_module(datatypes, [literal_class/2, native_value/2, op(_, _, ^^)]).
:- use_module(decimals, [decimal_quotient/3, round_half_even/2]).
:- use_module(times, [add_months/3]).
:- use_module(library(lists), [memberchk/2]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Arithmetic of times and durations

XPath 2.0 functions, sections 10.6 to 10.8, on all three duration types: getDURATION() is an xsd:duration,
and can be added and compared as its two sub-types can. The result has the type of the operands if they have
one type, else it is an xsd:duration. A result whose months and seconds differ in sign is no duration: the
predicate fails, as it does for operands of other kinds.
*/

%!  add_times(+A, +B, -Sum) is semidet.
%
%   Of a time and a duration, in any order, or of two durations.

add_times(A, B, Sum) :-
    time_value(A, ClassA, ValueA, TypeA),
    time_value(B, ClassB, ValueB, TypeB),
    sum_of(ClassA, ClassB, ValueA, ValueB, TypeA-TypeB, Sum).

sum_of(time, duration, Time, Duration, _, Sum) =>
    shifted(Time, Duration, Sum).
sum_of(duration, time, Duration, Time, _, Sum) =>
    shifted(Time, Duration, Sum).
sum_of(duration, duration, duration(Months1, Rest1), duration(Months2, Rest2), Types, Sum) =>
    Months is Months1 + Months2,
    Rest is Rest1 + Rest2,
    common_type(Types, Type),
    duration_term(Months, Rest, Type, Sum).
sum_of(_, _, _, _, _, _) =>
    fail.

%   First the months, then the rest: XML Schema 1.1 part 2, section E.3.3.

shifted(Time, duration(Months, Rest), Sum) :-
    (   Months =:= 0
    ->  Later = Time
    ;   add_months(Time, Months, Later)
    ),
    Value is Later + Rest,
    Sum = Value^^ #xsd(dateTime).

%!  subtract_times(+A, +B, -Difference) is semidet.
%
%   Of two times (an xsd:dayTimeDuration), a time and a duration, or two durations.

subtract_times(A, B, Difference) :-
    time_value(A, ClassA, ValueA, TypeA),
    time_value(B, ClassB, ValueB, TypeB),
    (   ClassB == time
    ->  ClassA == time,
        Rest is ValueA - ValueB,
        Difference = duration(0, Rest)^^ #xsd(dayTimeDuration)
    ;   ValueB = duration(Months, Rest),
        NegatedMonths is -Months,
        NegatedRest is -Rest,
        sum_of(ClassA, ClassB, ValueA, duration(NegatedMonths, NegatedRest), TypeA-TypeB, Difference)
    ).

%!  multiply_duration(+Duration, +Factor, -Product) is semidet.
%
%   Factor is a number. Months are rounded to whole ones as fn:round does, seconds to microseconds half to
%   even.

multiply_duration(Duration, Factor, Product) :-
    time_value(Duration, duration, duration(Months, Rest), Type),
    exact(Factor, Exact),
    ScaledMonths is Months*Exact,
    ScaledRest is Rest*Exact,
    scaled_duration(ScaledMonths, ScaledRest, Type, Product).

%!  divide_duration(+Duration, +Divisor, -Quotient) is semidet.
%
%   By a number, or by a duration: that gives a decimal, and needs two without months or two with nothing
%   but months.

divide_duration(Duration, Divisor, Quotient), number(Divisor) =>
    time_value(Duration, duration, duration(Months, Rest), Type),
    reciprocal(Divisor, Factor),
    ScaledMonths is Months*Factor,
    ScaledRest is Rest*Factor,
    scaled_duration(ScaledMonths, ScaledRest, Type, Quotient).
divide_duration(Duration, Divisor, Quotient) =>
    time_value(Duration, duration, duration(Months1, Rest1), _),
    time_value(Divisor, duration, duration(Months2, Rest2), _),
    (   Months1 =:= 0, Months2 =:= 0
    ->  decimal_quotient(Rest1, Rest2, Value)
    ;   Rest1 =:= 0, Rest2 =:= 0
    ->  decimal_quotient(Months1, Months2, Value)
    ),
    Quotient = Value^^ #xsd(decimal).

%!  negate_duration(+Duration, -Negated) is semidet.

negate_duration(Duration, Negated) :-
    time_value(Duration, duration, duration(Months, Rest), Type),
    NegatedMonths is -Months,
    NegatedRest is -Rest,
    Negated = duration(NegatedMonths, NegatedRest)^^Type.

%   time_value(+Term, -Class, -Value, -Type) is semidet.
%
%   Class is `time` or `duration`; fails for other terms and for ill-typed literals.

time_value(Raw^^Type, Class, Value, Type0) =>
    literal_class(Type, Class0),
    native_value(Raw, Native),
    \+ string(Native),
    time_class(Class0),
    Class = Class0,
    Value = Native,
    Type0 = Type.
time_value(_, _, _, _) =>
    fail.

time_class(time).
time_class(duration).

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

common_type(Type-Type1, Common), Type == Type1 => Common = Type.
common_type(_, Common) => Common = #xsd(duration).

scaled_duration(Months, Rest, Type, Duration) :-
    WholeMonths is floor(Months + 1r2),
    round_half_even(Rest, WholeRest),
    duration_term(WholeMonths, WholeRest, Type, Duration).

duration_term(Months, Rest, Type, Duration) :-
    Months*Rest >= 0,
    Duration = duration(Months, Rest)^^Type.
