:- module(etalis_times,
          [ days_from_date/4,           % +Year, +Month, +Day, -Days
            date_from_days/4,           % +Days, -Year, -Month, -Day
            month_length/3,             % +Year, +Month, -Length
            time_parts/2,               % +Microseconds, -Parts
            time_text/2,                % +Microseconds, -Text
            duration_text/4,            % +Months, +Microseconds, +Type, -Text
            add_months/3                % +Microseconds, +Months, -Later
          ]).
:- use_module(ascii, [codes//1]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Times and durations as exact integers

A time is an integer: microseconds since 1970-01-01T00:00:00Z. The calendar is the proleptic Gregorian one
with a year 0 (XML Schema 1.1 part 2, appendix E). A duration is two integers, months and microseconds,
that do not differ in sign. Does not read text: see lexical_read.pl.
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

:- det((days_from_date/4, date_from_days/4, month_length/3, time_parts/2, time_text/2, duration_text/4,
        add_months/3)).

%!  days_from_date(+Year, +Month, +Day, -Days) is det.
%
%   Days from 1970-01-01 to a date. Does not check the date.

days_from_date(Year, Month, Day, Days) :-
    (   Month =< 2
    ->  Shifted is Year - 1
    ;   Shifted = Year
    ),
    Era is Shifted div 400,
    YearOfEra is Shifted - Era*400,
    DayOfYear is (153*((Month + 9) mod 12) + 2)//5 + Day - 1,
    Days is Era*146097 + YearOfEra*365 + YearOfEra//4 - YearOfEra//100 + DayOfYear - 719468.

%!  date_from_days(+Days, -Year, -Month, -Day) is det.
%
%   The inverse of days_from_date/4.

date_from_days(Days, Year, Month, Day) :-
    Shifted is Days + 719468,
    Era is Shifted div 146097,
    DayOfEra is Shifted - Era*146097,
    YearOfEra is (DayOfEra - DayOfEra//1460 + DayOfEra//36524 - DayOfEra//146096)//365,
    DayOfYear is DayOfEra - (365*YearOfEra + YearOfEra//4 - YearOfEra//100),
    MonthFromMarch is (5*DayOfYear + 2)//153,
    Day is DayOfYear - (153*MonthFromMarch + 2)//5 + 1,
    Month is (MonthFromMarch + 2) mod 12 + 1,
    (   Month =< 2
    ->  Year is YearOfEra + Era*400 + 1
    ;   Year is YearOfEra + Era*400
    ).

%!  month_length(+Year, +Month, -Length) is det.

month_length(Year, Month, Length) :-
    days_from_date(Year, Month, 1, First),
    NextMonth is Month mod 12 + 1,
    NextYear is Year + Month//12,
    days_from_date(NextYear, NextMonth, 1, Next),
    Length is Next - First.

%!  time_parts(+Microseconds, -Parts) is det.
%
%   Parts is `parts(Year,Month,Day,Hour,Minute,SecondMicroseconds)` in UTC; the last is the seconds of the
%   minute, in microseconds.

time_parts(Microseconds, parts(Year, Month, Day, Hour, Minute, Second)) :-
    Days is Microseconds div 86400000000,
    OfDay is Microseconds - Days*86400000000,
    date_from_days(Days, Year, Month, Day),
    Hour is OfDay//3600000000,
    Minute is OfDay//60000000 mod 60,
    Second is OfDay mod 60000000.

%!  time_text(+Microseconds, -Text) is det.
%
%   The canonical xsd:dateTime of a time, `2011-03-11T05:46:23.5Z`.

time_text(Microseconds, Text) :-
    time_parts(Microseconds, parts(Year, Month, Day, Hour, Minute, Second)),
    (   Year < 0
    ->  Sign = "-"
    ;   Sign = ""
    ),
    Before is abs(Year),
    (   Second < 10000000
    ->  Pad = "0"
    ;   Pad = ""
    ),
    phrase(seconds_codes(Second), SecondCodes),
    format(string(Text), "~s~|~`0t~d~4+-~|~`0t~d~2+-~|~`0t~d~2+T~|~`0t~d~2+:~|~`0t~d~2+:~s~sZ",
           [Sign, Before, Month, Day, Hour, Minute, Pad, SecondCodes]).

%   seconds_codes(+Microseconds)//: microseconds as decimal seconds without trailing zeros: `0`, `6.5`, `0.000001`.

seconds_codes(Microseconds) -->
    { Whole is Microseconds//1000000,
      Fraction is Microseconds mod 1000000,
      number_codes(Whole, Codes)
    },
    codes(Codes),
    fraction(Fraction).

fraction(0) -->
    !.
fraction(Fraction) -->
    ".",
    fraction_digits(Fraction, 100000).

fraction_digits(0, _) -->
    !.
fraction_digits(Rest, Unit) -->
    { Digit is 0'0 + Rest//Unit,
      Next is Rest mod Unit,
      Smaller is Unit//10
    },
    [Digit],
    fraction_digits(Next, Smaller).

%!  duration_text(+Months, +Microseconds, +Type, -Text) is det.
%
%   The canonical form of a duration (XML Schema 1.1 part 2, section E.2). Zero is `PT0S`, and `P0M` for
%   xsd:yearMonthDuration.

duration_text(0, 0, Type, Text) =>
    (   Type == #xsd(yearMonthDuration)
    ->  Text = "P0M"
    ;   Text = "PT0S"
    ).
duration_text(Months, Microseconds, _, Text) =>
    (   ( Months < 0 ; Microseconds < 0 )
    ->  Sign = "-"
    ;   Sign = ""
    ),
    phrase(duration(Months, Microseconds), Codes),
    string_codes(Unsigned, [0'P|Codes]),
    string_concat(Sign, Unsigned, Text).

duration(Months, Microseconds) -->
    { Years is abs(Months)//12,
      Month is abs(Months) mod 12,
      Days is abs(Microseconds)//86400000000,
      Rest is abs(Microseconds) mod 86400000000,
      Hours is Rest//3600000000,
      Minutes is Rest//60000000 mod 60,
      Seconds is Rest mod 60000000
    },
    unit(Years, 0'Y),
    unit(Month, 0'M),
    unit(Days, 0'D),
    clock(Rest, Hours, Minutes, Seconds).

clock(0, _, _, _) -->
    !.
clock(_, Hours, Minutes, Seconds) -->
    "T",
    unit(Hours, 0'H),
    unit(Minutes, 0'M),
    seconds(Seconds).

unit(0, _) -->
    !.
unit(Number, Letter) -->
    { number_codes(Number, Codes) },
    codes(Codes),
    [Letter].

seconds(0) -->
    !.
seconds(Microseconds) -->
    seconds_codes(Microseconds),
    "S".

%!  add_months(+Microseconds, +Months, -Later) is det.
%
%   Adds months to a time; the day is cut to the length of the month it falls in (XML Schema 1.1 part 2,
%   section E.3.3).

add_months(Microseconds, Months, Later) :-
    Days is Microseconds div 86400000000,
    OfDay is Microseconds - Days*86400000000,
    date_from_days(Days, Year, Month, Day),
    Sum is Year*12 + Month - 1 + Months,
    LaterYear is Sum div 12,
    LaterMonth is Sum mod 12 + 1,
    month_length(LaterYear, LaterMonth, Length),
    LaterDay is min(Day, Length),
    days_from_date(LaterYear, LaterMonth, LaterDay, LaterDays),
    Later is LaterDays*86400000000 + OfDay.
