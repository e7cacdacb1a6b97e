:- module(etalis_functions_time,
          [ f_year/2,                   % +Time, -Integer
            f_month/2,                  % +Time, -Integer
            f_day/2,                    % +Time, -Integer
            f_hours/2,                  % +Time, -Integer
            f_minutes/2,                % +Time, -Integer
            f_seconds/2,                % +Time, -Decimal
            f_timezone/2,               % +Time, -Duration
            f_tz/2,                     % +Time, -Text
            f_now/1,                    % -Time
            f_getduration/3,            % +Start, +End, -Duration
            f_length/3,                 % +Start, +End, -Duration
            f_getstarttime/2,           % +Start, -Time
            f_getendtime/2              % +End, -Time
          ]).
:- use_module(datatypes, [op(_, _, ^^)]).
:- use_module(times, [time_parts/2]).
:- use_module(zones, [zone_minutes/2, zoned_time/3]).
:- use_module(library(macros)).

#import(datatypes).
#import('../engine/fields').

/** <module> Functions on times

SPARQL 1.1 section 17.4.5: the parts of a time are those of its own zone; NOW() is the time of the stream. The
three functions of EP-SPARQL take the interval of a solution in microseconds; a solution without a time is given
as Start > End.
*/

%!  f_year(+Time, -Integer) is semidet.

f_year(Time, Year^^ #xsd(integer)) :- local_parts(Time, parts(Year, _, _, _, _, _)).

%!  f_month(+Time, -Integer) is semidet.

f_month(Time, Month^^ #xsd(integer)) :- local_parts(Time, parts(_, Month, _, _, _, _)).

%!  f_day(+Time, -Integer) is semidet.

f_day(Time, Day^^ #xsd(integer)) :- local_parts(Time, parts(_, _, Day, _, _, _)).

%!  f_hours(+Time, -Integer) is semidet.

f_hours(Time, Hour^^ #xsd(integer)) :- local_parts(Time, parts(_, _, _, Hour, _, _)).

%!  f_minutes(+Time, -Integer) is semidet.

f_minutes(Time, Minute^^ #xsd(integer)) :- local_parts(Time, parts(_, _, _, _, Minute, _)).

%!  f_seconds(+Time, -Decimal) is semidet.

f_seconds(Time, Seconds^^ #xsd(decimal)) :-
    local_parts(Time, parts(_, _, _, _, _, Microseconds)),
    Seconds is Microseconds rdiv 1000000.

%!  f_timezone(+Time, -Duration) is semidet.
%
%   The offset as an xsd:dayTimeDuration. Fails for a time without a zone.

f_timezone(Time, Duration) :-
    zoned_time(Time, _, Zone),
    Zone \== "",
    zone_minutes(Zone, Minutes),
    Offset is Minutes*60000000,
    Duration = duration(0, Offset)^^ #xsd(dayTimeDuration).

%!  f_tz(+Time, -Text) is semidet.
%
%   The zone as it is written; "" for a time without one.

f_tz(Time, Zone^^ #xsd(string)) :-
    zoned_time(Time, _, Zone).

local_parts(Time, Parts) :-
    zoned_time(Time, Microseconds, Zone),
    zone_minutes(Zone, Minutes),
    Local is Microseconds + Minutes*60000000,
    time_parts(Local, Parts).

%!  f_now(-Time) is semidet.
%
%   The instant that is being processed, in event time: that of the global variable `etalis_instant`
%   (fields.pl). Fails where none is.

f_now(Time) :-
    nb_current(etalis_instant, Instant),
    arg(#instant(time), Instant, Now),
    integer(Now),
    Time = Now^^ #xsd(dateTime).

%!  f_getduration(+Start, +End, -Duration) is semidet.
%
%   The length of an interval, an xsd:duration.

f_getduration(Start, End, Duration) :-
    Start =< End,
    Length is End - Start,
    Duration = duration(0, Length)^^ #xsd(duration).

%!  f_length(+Start, +End, -Duration) is semidet.
%
%   The same from one xsd:dateTime to another.

f_length(Start^^_, End^^_, Duration) :-
    f_getduration(Start, End, Duration).

%!  f_getstarttime(+Start, -Time) is det.

f_getstarttime(Start, Start^^ #xsd(dateTime)).

%!  f_getendtime(+End, -Time) is det.

f_getendtime(End, End^^ #xsd(dateTime)).
