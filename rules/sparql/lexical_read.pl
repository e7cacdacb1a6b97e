:- module(etalis_lexical_read,
          [ typed_literal/3             % +Text, +Type, -Literal
          ]).
:- use_module(ascii, [digits//1]).
:- use_module(datatypes, [integer_range/3, op(_, _, ^^)]).
:- use_module(lexical_write, [value_text/3]).
:- use_module(singles, [decimal_single/3]).
:- use_module(time_syntax, [date_time//2, duration//3]).
:- use_module(library(lists), [append/3]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> From a lexical form and a datatype to a literal

Must agree with etalis_py/core/literals.py and times.py in every case: a number of more than 4,000 digits, a
time or duration finer than a microsecond, a leap second and a year of more than 18 digits have no value
and keep their text, as ill-typed literals do. White space around a value makes it ill-typed.
*/

:- det(typed_literal/3).

%!  typed_literal(+Text, +Type, -Literal) is det.
%
%   The one term of the literal with the lexical form Text (a string) and the datatype Type (an atom):
%   `Native^^Type`, or `lexical(Native,Text)^^Type` if Text is not canonical, or `Text^^Type` if Text is
%   ill-typed or Type unknown.

typed_literal(Text, Type, Literal) :-
    (   reader(Type, Reader),
        string_codes(Text, Codes),
        read_value(Reader, Type, Native, Codes)
    ->  value_text(Native, Type, Canonical),
        (   Canonical == Text
        ->  Literal = Native^^Type
        ;   Literal = lexical(Native, Text)^^Type
        )
    ;   Literal = Text^^Type
    ).

reader(#xsd(decimal),           decimal).
reader(#xsd(double),            double).
reader(#xsd(float),             float).
reader(#xsd(boolean),           boolean).
reader(#xsd(dateTime),          time).
reader(#xsd(dateTimeStamp),     time).
reader(#xsd(duration),          duration).
reader(#xsd(dayTimeDuration),   duration).
reader(#xsd(yearMonthDuration), duration).
reader(Type,                    integer) :-
    integer_range(Type, _, _).

%   read_value(+Reader, +Type, -Native, +Codes) is semidet.

read_value(integer, Type, Native, Codes) :-
    phrase(signed(Sign, Digits), Codes),
    Digits = [_|_],
    at_most(4000, Digits),
    number_codes(Number, Digits),
    Native is Sign*Number,
    integer_range(Type, Least, Greatest),
    within(Least, Native, Greatest).
read_value(decimal, _, Native, Codes) :-
    phrase(decimal(Sign, Whole, Fraction), Codes),
    at_most(4000, Whole),
    at_most(4000, Fraction),
    scaled(Whole, Fraction, Number, Places),
    Native is Sign*Number rdiv 10**Places.
read_value(double, _, Native, Codes) :-
    (   special_float(Codes, Native)
    ->  true
    ;   float_parts(Codes, Sign, Number, Power),
        nearest_double(Number, Power, Magnitude),
        ( Sign =:= 1 -> Native = Magnitude ; Native is -Magnitude )
    ).
read_value(float, _, Native, Codes) :-
    (   special_float(Codes, Native)
    ->  true
    ;   float_parts(Codes, Sign, Number, Power),
        decimal_single(Number, Power, Magnitude),
        ( Sign =:= 1 -> Native = Magnitude ; Native is -Magnitude )
    ).
read_value(boolean, _, Native, Codes) :-
    boolean(Codes, Native).
read_value(time, Type, Native, Codes) :-
    phrase(date_time(Native, Zone), Codes),
    \+ ( Type == #xsd(dateTimeStamp), Zone == none ).
read_value(duration, Type, duration(Months, Microseconds), Codes) :-
    phrase(duration(Months, Microseconds, Used), Codes),
    allowed_units(Type, Used).

%   Used is what duration//3 gives: the kinds of unit that stand in the text.

allowed_units(#xsd(duration), _) => true.
allowed_units(#xsd(dayTimeDuration), Used) => \+ memberchk(months, Used).
allowed_units(#xsd(yearMonthDuration), Used) => \+ ( memberchk(days, Used) ; memberchk(clock, Used) ).

within(Least, Number, Greatest) :-
    ( Least == none -> true ; Number >= Least ),
    ( Greatest == none -> true ; Number =< Greatest ).

at_most(Length, List) :-
    length(List, Actual),
    Actual =< Length.

scaled(Whole, Fraction, Number, Places) :-
    append(Whole, Fraction, Digits),
    Digits = [_|_],
    number_codes(Number, Digits),
    length(Fraction, Places).

signed(Sign, Digits) -->
    sign(Sign),
    digits(Digits).

sign(Sign) -->
    (   "-"
    ->  { Sign = -1 }
    ;   "+"
    ->  { Sign = 1 }
    ;   { Sign = 1 }
    ).

decimal(Sign, Whole, Fraction) -->
    signed(Sign, Whole),
    (   "."
    ->  digits(Fraction)
    ;   { Fraction = [] }
    ).

float(Sign, Whole, Fraction, Power) -->
    decimal(Sign, Whole, Fraction),
    (   exponent_letter
    ->  signed(PowerSign, Digits),
        { Digits = [_|_],
          at_most(9, Digits),
          number_codes(Number, Digits),
          Power is PowerSign*Number
        }
    ;   { Power = 0 }
    ).

exponent_letter --> "e".
exponent_letter --> "E".

special_float(`NaN`,  1.5NaN).
special_float(`INF`,  1.0Inf).
special_float(`+INF`, 1.0Inf).
special_float(`-INF`, -1.0Inf).

%   The text means Sign*Number*10**Power.

float_parts(Codes, Sign, Number, Power) :-
    phrase(float(Sign, Whole, Fraction, WrittenPower), Codes),
    at_most(4000, Whole),
    at_most(4000, Fraction),
    scaled(Whole, Fraction, Number, Places),
    Power is WrittenPower - Places.

%   The double nearest to Number*10**Exponent, infinite or zero beyond the range of doubles.

nearest_double(0, _, Double) =>
    Double = 0.0.
nearest_double(Number, Exponent, Double) =>
    number_codes(Number, Digits),
    length(Digits, Length),
    Magnitude is Length + Exponent,
    (   Magnitude > 310
    ->  Double = 1.0Inf
    ;   Magnitude < -330
    ->  Double = 0.0
    ;   format(codes(Text), "~s.0e~d", [Digits, Exponent]),
        catch(number_codes(Double, Text), error(syntax_error(float_overflow), _), Double = 1.0Inf)
    ).

boolean(`true`,  true).
boolean(`false`, false).
boolean(`1`,     true).
boolean(`0`,     false).
