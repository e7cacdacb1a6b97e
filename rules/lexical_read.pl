:- module(etalis_lexical_read,
          [ typed_literal/3             % +Text, +Type, -Literal
          ]).
:- use_module(datatypes, [integer_range/3, op(_, _, ^^)]).
:- use_module(lexical_write, [value_text/3]).
:- use_module(times, [days_from_date/4, month_length/3]).
:- use_module(library(lists), [append/3]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> From a lexical form and a datatype to a literal

Must agree with etalis_py/literals.py and times.py in every case: a number of more than 4,000 digits, a
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
reader(#xsd(float),             double).
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
    (   special_double(Codes, Native)
    ->  true
    ;   phrase(double(Sign, Whole, Fraction, Power), Codes),
        at_most(4000, Whole),
        at_most(4000, Fraction),
        scaled(Whole, Fraction, Number, Places),
        Exponent is Power - Places,
        nearest_double(Number, Exponent, Magnitude),
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

                /*******************************
                *            NUMBERS           *
                *******************************/

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

digits([Digit|Digits]) -->
    digit(Digit),
    !,
    digits(Digits).
digits([]) -->
    [].

digit(Digit) -->
    [Digit],
    { Digit >= 0'0, Digit =< 0'9 }.

decimal(Sign, Whole, Fraction) -->
    signed(Sign, Whole),
    (   "."
    ->  digits(Fraction)
    ;   { Fraction = [] }
    ).

double(Sign, Whole, Fraction, Power) -->
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

special_double(`NaN`,  1.5NaN).
special_double(`INF`,  1.0Inf).
special_double(`+INF`, 1.0Inf).
special_double(`-INF`, -1.0Inf).

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

                /*******************************
                *       TIMES, DURATIONS       *
                *******************************/

%   Sections 3.3.7.2 and 3.3.6.2 of XML Schema 1.1 part 2.

date_time(Microseconds, Zone) -->
    year(Year), "-", two_digits(Month), "-", two_digits(Day), "T",
    { Month >= 1, Month =< 12,
      month_length(Year, Month, Length),
      Day >= 1, Day =< Length
    },
    two_digits(Hour), ":", two_digits(Minute), ":", two_digits(Second), fraction(Fraction),
    { of_day(Hour, Minute, Second, Fraction, OfDay) },
    zone(Zone, Offset),
    { days_from_date(Year, Month, Day, Days),
      Microseconds is Days*86400000000 + OfDay - Offset*60000000
    }.

year(Year) -->
    (   "-"
    ->  { Sign = -1 }
    ;   { Sign = 1 }
    ),
    digits(Digits),
    { length(Digits, Length),
      Length >= 4, Length =< 18,
      ( Length =:= 4 -> true ; Digits \= [0'0|_] ),
      number_codes(Number, Digits),
      Year is Sign*Number
    }.

two_digits(Number) -->
    digit(Tens),
    digit(Units),
    { Number is (Tens - 0'0)*10 + Units - 0'0 }.

%   Up to six significant digits after the point, as microseconds.

fraction(Microseconds) -->
    (   "."
    ->  digits(Digits),
        { Digits = [_|_],
          microseconds(Digits, 100000, 0, Microseconds)
        }
    ;   { Microseconds = 0 }
    ).

microseconds([], _, Sum, Microseconds) =>
    Microseconds = Sum.
microseconds([0'0|Digits], 0, Sum, Microseconds) =>
    microseconds(Digits, 0, Sum, Microseconds).
microseconds([Digit|Digits], Unit, Sum0, Microseconds), Unit > 0 =>
    Sum is Sum0 + (Digit - 0'0)*Unit,
    Next is Unit//10,
    microseconds(Digits, Next, Sum, Microseconds).
microseconds(_, _, _, _) =>
    fail.

of_day(24, 0, 0, 0, OfDay) =>
    OfDay = 86400000000.
of_day(Hour, Minute, Second, Fraction, OfDay), Hour =< 23, Minute =< 59, Second =< 59 =>
    OfDay is ((Hour*60 + Minute)*60 + Second)*1000000 + Fraction.
of_day(_, _, _, _, _) =>
    fail.

%   Zone is `none`, `utc` or `offset`; Offset is in minutes east of Greenwich.

zone(utc, 0) -->
    "Z",
    !.
zone(offset, Offset) -->
    zone_sign(Sign),
    !,
    two_digits(Hours), ":", two_digits(Minutes),
    { Minutes =< 59,
      Total is Hours*60 + Minutes,
      Total =< 840,
      Offset is Sign*Total
    }.
zone(none, 0) -->
    [].

zone_sign(1) --> "+".
zone_sign(-1) --> "-".

%   Used is the list of the kinds of unit that stand in the text: `months`, `days`, `clock`.

duration(Months, Microseconds, Used) -->
    (   "-"
    ->  { Sign = -1 }
    ;   { Sign = 1 }
    ),
    "P",
    unit(0'Y, months, Years, Used, Used1),
    unit(0'M, months, Month, Used1, Used2),
    unit(0'D, days, Days, Used2, Used3),
    clock(OfDay, Used3),
    { Used = [_|_],
      Months is Sign*(Years*12 + Month),
      Microseconds is Sign*(Days*86400000000 + OfDay)
    }.

clock(Microseconds, Used) -->
    (   "T"
    ->  unit(0'H, clock, Hours, Used, Used1),
        unit(0'M, clock, Minutes, Used1, Used2),
        seconds(Seconds, Used2),
        { Used = [_|_],
          Microseconds is (Hours*60 + Minutes)*60000000 + Seconds
        }
    ;   { Microseconds = 0, Used = [] }
    ).

unit(Letter, Kind, Number, Used, Rest) -->
    (   digits(Digits), { Digits = [_|_] }, [Letter]
    ->  { at_most(18, Digits),
          number_codes(Number, Digits),
          Used = [Kind|Rest]
        }
    ;   { Number = 0, Used = Rest }
    ).

seconds(Microseconds, Used) -->
    (   digits(Digits), { Digits = [_|_] }, fraction(Fraction), "S"
    ->  { at_most(18, Digits),
          number_codes(Whole, Digits),
          Microseconds is Whole*1000000 + Fraction,
          Used = [clock]
        }
    ;   { Microseconds = 0, Used = [] }
    ).

allowed_units(#xsd(duration), _) => true.
allowed_units(#xsd(dayTimeDuration), Used) => \+ memberchk(months, Used).
allowed_units(#xsd(yearMonthDuration), Used) => \+ ( memberchk(days, Used) ; memberchk(clock, Used) ).
