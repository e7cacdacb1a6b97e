:- module(etalis_dates,
          [ calendar_type/2,            % ?Type, -Class
            calendar_value/4            % +Text, +Type, -Class, -Microseconds
          ]).
:- use_module(datatypes, []).
:- use_module(time_syntax, [month_and_day//3, of_day//1, two_digits//1, year//1, zone//2]).
:- use_module(times, [days_from_date/4]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Dates, times of day and parts of dates

Their literals keep their text as value. They are compared by the moment they start at, those without a zone in
UTC: XML Schema 1.1 part 2, section E.3.4, with the year 1972, the month December and the day 31 where a value
has none (XPath 2.0 functions, section 10.4). Two of different types are different and have no order.
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

%!  calendar_value(+Text, +Type, -Class, -Microseconds) is semidet.
%
%   The value space and the first moment of a literal. Fails for other datatypes and for ill-typed text.

calendar_value(Text, Type, Class, Microseconds) :-
    string(Text),
    calendar_type(Type, Class),
    string_codes(Text, Codes),
    phrase(value(Class, Microseconds), Codes),
    !.

value(time_of_day, Microseconds) -->
    !,
    of_day(OfDay),
    zone(_, Offset),
    { first_moment(1972, 12, 31, Midnight),
      Microseconds is Midnight + OfDay mod 86400000000 - Offset*60000000     % 24:00:00 is 00:00:00
    }.
value(Class, Microseconds) -->
    date(Class, Year, Month, Day),
    zone(_, Offset),
    { first_moment(Year, Month, Day, Midnight),
      Microseconds is Midnight - Offset*60000000
    }.

date(date, Year, Month, Day) --> year(Year), "-", month_and_day(Year, Month, Day).
date(year, Year, 1, 1) --> year(Year).
date(year_month, Year, Month, 1) --> year(Year), "-", month(Month).
date(month_day, 1972, Month, Day) --> "--", month_and_day(1972, Month, Day).
date(month, 1972, Month, 1) --> "--", month(Month).
date(day, 1972, 12, Day) --> "---", two_digits(Day), { Day >= 1, Day =< 31 }.

month(Month) -->
    two_digits(Month),
    { Month >= 1, Month =< 12 }.

first_moment(Year, Month, Day, Microseconds) :-
    days_from_date(Year, Month, Day, Days),
    Microseconds is Days*86400000000.
