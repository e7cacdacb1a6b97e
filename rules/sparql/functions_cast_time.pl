:- module(etalis_functions_cast_time,
          [ cast_datetime/2,            % +Term, -Literal
            cast_datetimestamp/2,       % +Term, -Literal
            cast_date/2,                % +Term, -Literal
            cast_time/2,                % +Term, -Literal
            cast_gyear/2,               % +Term, -Literal
            cast_gyearmonth/2,          % +Term, -Literal
            cast_gmonthday/2,           % +Term, -Literal
            cast_gmonth/2,              % +Term, -Literal
            cast_gday/2,                % +Term, -Literal
            cast_duration/2,            % +Term, -Literal
            cast_daytimeduration/2,     % +Term, -Literal
            cast_yearmonthduration/2    % +Term, -Literal
          ]).
:- use_module(cast_sources, [known_value/3, source/4, trimmed/2]).
:- use_module(dates, [calendar_type/2, calendar_value/4]).
:- use_module(datatypes, [op(_, _, ^^)]).
:- use_module('../engine/terms', [lexical_form/2, typed_literal/3]).
:- use_module(zones, [text_zone/2, time_in_zone/3, zoned_time/3]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Casts to times, dates and durations

XPath 2.0 functions, sections 17.1.4 and 17.1.5. A time or date keeps the zone it is written in, and its parts are
those of that zone.
*/

%!  cast_datetime(+Term, -Literal) is semidet.
%
%   Of text, of a time, and of an xsd:date: its first moment.

cast_datetime(Text^^ #xsd(string), Literal), string(Text) =>
    trimmed(Text, Trimmed),
    valid_time(Trimmed, Literal).
cast_datetime(Date^^ #xsd(date), Literal) =>
    calendar_value(Date, #xsd(date), _, _),
    text_zone(Date, Zone),
    string_concat(Day, Zone, Date),
    atomics_to_string([Day, "T00:00:00", Zone], Text),
    valid_time(Text, Literal).
cast_datetime(Raw^^Type, Literal) =>
    known_value(Raw^^Type, Class, _),
    Class == time,
    Literal = Raw^^ #xsd(dateTime).
cast_datetime(_, _) =>
    fail.

valid_time(Text, Literal) :-
    typed_literal(Text, #xsd(dateTime), Literal),
    known_value(Literal, _, _).

%!  cast_datetimestamp(+Term, -Literal) is semidet.
%
%   As cast_datetime/2, of times with a zone.

cast_datetimestamp(Term, Literal) :-
    cast_datetime(Term, Raw^^_),
    zoned_time(Raw^^ #xsd(dateTime), _, Zone),
    Zone \== "",
    Literal = Raw^^ #xsd(dateTimeStamp).

%!  cast_date(+Term, -Literal) is semidet.

cast_date(Term, Literal) :- cast_part(Term, #xsd(date), Literal).

%!  cast_time(+Term, -Literal) is semidet.

cast_time(Term, Literal) :- cast_part(Term, #xsd(time), Literal).

%!  cast_gyear(+Term, -Literal) is semidet.

cast_gyear(Term, Literal) :- cast_part(Term, #xsd(gYear), Literal).

%!  cast_gyearmonth(+Term, -Literal) is semidet.

cast_gyearmonth(Term, Literal) :- cast_part(Term, #xsd(gYearMonth), Literal).

%!  cast_gmonthday(+Term, -Literal) is semidet.

cast_gmonthday(Term, Literal) :- cast_part(Term, #xsd(gMonthDay), Literal).

%!  cast_gmonth(+Term, -Literal) is semidet.

cast_gmonth(Term, Literal) :- cast_part(Term, #xsd(gMonth), Literal).

%!  cast_gday(+Term, -Literal) is semidet.

cast_gday(Term, Literal) :- cast_part(Term, #xsd(gDay), Literal).

%   Of text, of a literal of the type itself, of a time, and of a date unless a time of day is wanted.

cast_part(Text^^ #xsd(string), Type, Literal), string(Text) =>
    trimmed(Text, Trimmed),
    calendar_value(Trimmed, Type, _, _),
    Literal = Trimmed^^Type.
cast_part(Text^^Type0, Type, Literal), Type0 == Type =>
    calendar_value(Text, Type, _, _),
    Literal = Text^^Type.
cast_part(Date^^ #xsd(date), Type, Literal) =>
    Type \== #xsd(time),
    cast_datetime(Date^^ #xsd(date), Time),
    cast_part(Time, Type, Literal).
cast_part(Time, Type, Literal) =>
    zoned_time(Time, Moment, Zone),
    time_in_zone(Moment, Zone, Plain),          % not 24:00:00
    lexical_form(Plain, Text),
    string_concat(Local, Zone, Text),
    split_string(Local, "T", "", [Date, Clock]),
    sub_string(Date, YearLength, 6, 0, MonthAndDay),
    sub_string(Date, 0, YearLength, _, Year),
    sub_string(MonthAndDay, 1, 2, _, Month),
    sub_string(MonthAndDay, 4, 2, _, Day),
    calendar_type(Type, Class),
    part(Class, Year, Month, Day, Clock, Parts),
    atomics_to_string(Parts, Part),
    string_concat(Part, Zone, Value),
    Literal = Value^^Type.

part(date, Year, Month, Day, _, Parts) => Parts = [Year, "-", Month, "-", Day].
part(time_of_day, _, _, _, Clock, Parts) => Parts = [Clock].
part(year, Year, _, _, _, Parts) => Parts = [Year].
part(year_month, Year, Month, _, _, Parts) => Parts = [Year, "-", Month].
part(month_day, _, Month, Day, _, Parts) => Parts = ["--", Month, "-", Day].
part(month, _, Month, _, _, Parts) => Parts = ["--", Month].
part(day, _, _, Day, _, Parts) => Parts = ["---", Day].

%!  cast_duration(+Term, -Literal) is semidet.

cast_duration(Term, Literal) :-
    source(Term, #xsd(duration), duration, Value),
    Literal = Value^^ #xsd(duration).

%!  cast_daytimeduration(+Term, -Literal) is semidet.
%
%   Without the months of Term.

cast_daytimeduration(Term, Literal) :-
    source(Term, #xsd(dayTimeDuration), duration, duration(_, Rest)),
    Literal = duration(0, Rest)^^ #xsd(dayTimeDuration).

%!  cast_yearmonthduration(+Term, -Literal) is semidet.
%
%   The months of Term only.

cast_yearmonthduration(Term, Literal) :-
    source(Term, #xsd(yearMonthDuration), duration, duration(Months, _)),
    Literal = duration(Months, 0)^^ #xsd(yearMonthDuration).
