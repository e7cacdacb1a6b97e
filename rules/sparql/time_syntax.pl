:- module(etalis_time_syntax,
          [ date_time//2,               % -Microseconds, -Zone
            duration//3,                % -Months, -Microseconds, -Used
            year//1,                    % -Year
            month_and_day//3,           % +Year, -Month, -Day
            of_day//1,                  % -Microseconds
            two_digits//1,              % -Number
            zone//2                     % -Zone, -Minutes
          ]).
:- use_module(ascii, [digit//1, digits//1]).
:- use_module(times, [days_from_date/4, month_length/3]).

/** <module> The lexical forms of times and durations

XML Schema 1.1 part 2. What has no value on the time line of the engine is not read: a leap second, more than six
significant fraction digits, numbers of more than 18 digits.
*/

%!  date_time(-Microseconds, -Zone)// is semidet.
%
%   The lexical forms of xsd:dateTime, section 3.3.7.2. Zone is `none`, `utc` or `offset`; no zone is read as
%   UTC.

date_time(Microseconds, Zone) -->
    year(Year), "-", month_and_day(Year, Month, Day), "T",
    of_day(OfDay),
    zone(Zone, Offset),
    { days_from_date(Year, Month, Day, Days),
      Microseconds is Days*86400000000 + OfDay - Offset*60000000
    }.

%!  year(-Year)// is semidet.

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

%!  month_and_day(+Year, -Month, -Day)// is semidet.
%
%   `02-29`, if Year has that day.

month_and_day(Year, Month, Day) -->
    two_digits(Month), "-", two_digits(Day),
    { Month >= 1, Month =< 12,
      month_length(Year, Month, Length),
      Day >= 1, Day =< Length
    }.

%!  two_digits(-Number)// is semidet.

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

%!  of_day(-Microseconds)// is semidet.
%
%   A time of day; `24:00:00` is the end of the day.

of_day(OfDay) -->
    two_digits(Hour), ":", two_digits(Minute), ":", two_digits(Second), fraction(Fraction),
    { of_day(Hour, Minute, Second, Fraction, OfDay) }.

of_day(24, 0, 0, 0, OfDay) =>
    OfDay = 86400000000.
of_day(Hour, Minute, Second, Fraction, OfDay), Hour =< 23, Minute =< 59, Second =< 59 =>
    OfDay is ((Hour*60 + Minute)*60 + Second)*1000000 + Fraction.
of_day(_, _, _, _, _) =>
    fail.

%!  zone(-Zone, -Minutes)// is semidet.
%
%   Zone is `utc`, `offset` or `none`, Minutes is counted east of Greenwich.

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

%!  duration(-Months, -Microseconds, -Used)// is semidet.
%
%   The lexical forms of xsd:duration, section 3.3.6.2. Used is the list of the kinds of unit that stand in the
%   text: `months`, `days`, `clock`.

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
    ->  { of_value(Digits),
          number_codes(Number, Digits),
          Used = [Kind|Rest]
        }
    ;   { Number = 0, Used = Rest }
    ).

seconds(Microseconds, Used) -->
    (   digits(Digits), { Digits = [_|_] }, fraction(Fraction), "S"
    ->  { of_value(Digits),
          number_codes(Whole, Digits),
          Microseconds is Whole*1000000 + Fraction,
          Used = [clock]
        }
    ;   { Microseconds = 0, Used = [] }
    ).

of_value(Digits) :-
    length(Digits, Length),
    Length =< 18.
