:- module(etalis_dates,
          [ calendar_type/2,            % ?Type, -Class
            calendar_value/4,           % +Text, +Type, -Class, -First
            compare_moments/3           % +A, +B, -Order
          ]).
:- use_module(datatypes, []).
:- use_module(time_syntax, [month_and_day//3, of_day//1, two_digits//1, year//1, zone//2]).
:- use_module(times, [days_from_date/4]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Dates, times of day and parts of dates

Their literals keep their text as value. They are compared by the moment they start at: XML Schema 1.1 part 2,
section E.3.4, with the year 1972, the month December and the day 31 where a value has none (XPath 2.0 functions,
section 10.4). Two of different types are different and have no order. One with a zone and one without have an
order only where every zone gives the same one (XML Schema 1.1 part 2, section 3.2.7.4 of its first edition); an
xsd:dateTime is not meant here: without a zone it is in UTC, as all times of the engine are.
*/

%!  calendar_type(?Type, -Class) is nondet.
%
%   The datatypes that are meant here, each a value space of its own. Det or failing when Type is known.

calendar_type(#xsd(date),       date).
calendar_type(#xsd(time),       time_of_day).
calendar_type(#xsd(gYear),      year).
calendar_type(#xsd(gYearMonth), year_month).
calendar_type(#xsd(gMonthDay),  month_day).
calendar_type(#xsd(gMonth),     month).
calendar_type(#xsd(gDay),       day).

%!  calendar_value(+Text, +Type, -Class, -First) is semidet.
%
%   The value space and the first moment of a literal: `zoned(Microseconds)`, or `local(Microseconds)` in UTC where
%   it has no zone. Fails for other datatypes and for ill-typed text.

calendar_value(Text, Type, Class, First) :-
    string(Text),
    calendar_type(Type, Class),
    string_codes(Text, Codes),
    phrase(value(Class, First), Codes),
    !.

value(time_of_day, First) -->
    !,
    of_day(OfDay),
    zone(Zone, Offset),
    { midnight(1972, 12, 31, Midnight),
      first_moment(Zone, Midnight + OfDay mod 86400000000, Offset, First)     % 24:00:00 is 00:00:00
    }.
value(Class, First) -->
    date(Class, Year, Month, Day),
    zone(Zone, Offset),
    { midnight(Year, Month, Day, Midnight),
      first_moment(Zone, Midnight, Offset, First)
    }.

first_moment(none, Clock, _, First) =>
    Microseconds is Clock,
    First = local(Microseconds).
first_moment(_, Clock, Offset, First) =>
    Microseconds is Clock - Offset*60000000,
    First = zoned(Microseconds).

date(date, Year, Month, Day) --> year(Year), "-", month_and_day(Year, Month, Day).
date(year, Year, 1, 1) --> year(Year).
date(year_month, Year, Month, 1) --> year(Year), "-", month(Month).
date(month_day, 1972, Month, Day) --> "--", month_and_day(1972, Month, Day).
date(month, 1972, Month, 1) --> "--", month(Month).
date(day, 1972, 12, Day) --> "---", two_digits(Day), { Day >= 1, Day =< 31 }.

month(Month) -->
    two_digits(Month),
    { Month >= 1, Month =< 12 }.

midnight(Year, Month, Day, Microseconds) :-
    days_from_date(Year, Month, Day, Days),
    Microseconds is Days*86400000000.

%!  compare_moments(+A, +B, -Order) is semidet.
%
%   The order of two first moments: `<`, `=` or `>`. Fails where it depends on the zone that one of them lacks, which is
%   14 hours at most from UTC.

compare_moments(zoned(A), zoned(B), Order) =>
    compare(Order, A, B).
compare_moments(local(A), local(B), Order) =>
    compare(Order, A, B).
compare_moments(A0, B0, Order) =>
    arg(1, A0, A),
    arg(1, B0, B),
    abs(A - B) > 14*3600000000,
    compare(Order, A, B).
