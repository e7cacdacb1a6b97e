:- module(etalis_zones,
          [ zoned_time/3,               % +Literal, -Microseconds, -Zone
            text_zone/2,                % +Text, -Zone
            zone_minutes/2,             % +Zone, -Minutes
            time_in_zone/3              % +Microseconds, +Zone, -Literal
          ]).
:- use_module(datatypes, [literal_class/2, op(_, _, ^^)]).
:- use_module(times, [time_text/2]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Times and the zone they are written in

A time is a moment; the zone it is written in only shows in its kept lexical form. The parts of a time and the
adding of months go by the clock of that zone, and the sum keeps the zone (XPath 2.0 functions, sections 10.5 and
10.8). A zone is "Z", "+01:00" and the like, or "" for none, which counts as UTC.
*/

%!  zoned_time(+Literal, -Microseconds, -Zone) is semidet.
%
%   Fails for what is not a time.

zoned_time(Microseconds0^^Type, Microseconds, Zone), integer(Microseconds0) =>
    literal_class(Type, time),
    Microseconds = Microseconds0,
    Zone = "Z".
zoned_time(lexical(Microseconds0, Text)^^Type, Microseconds, Zone) =>
    literal_class(Type, time),
    Microseconds = Microseconds0,
    text_zone(Text, Zone).
zoned_time(_, _, _) =>
    fail.

%!  text_zone(+Text, -Zone) is det.
%
%   The zone that a valid literal is written in.

:- det(text_zone/2).

text_zone(Text, Zone) :-
    (   sub_string(Text, _, 1, 0, "Z")
    ->  Zone = "Z"
    ;   sub_string(Text, _, 6, 0, Last),
        sub_string(Last, 3, 1, _, ":"),         % not the end of a date
        sub_string(Last, 0, 1, _, Sign),
        ( Sign == "+" ; Sign == "-" )
    ->  Zone = Last
    ;   Zone = ""
    ).

%!  zone_minutes(+Zone, -Minutes) is det.
%
%   Minutes east of Greenwich.

:- det(zone_minutes/2).

zone_minutes("Z", Minutes) =>
    Minutes = 0.
zone_minutes("", Minutes) =>
    Minutes = 0.
zone_minutes(Zone, Minutes) =>
    sub_string(Zone, 0, 1, _, Sign),
    sub_string(Zone, 1, 2, _, HourText),
    sub_string(Zone, 4, 2, _, MinuteText),
    number_string(Hour, HourText),
    number_string(Minute, MinuteText),
    (   Sign == "-"
    ->  Minutes is -(Hour*60 + Minute)
    ;   Minutes is Hour*60 + Minute
    ).

%!  time_in_zone(+Microseconds, +Zone, -Literal) is det.
%
%   The xsd:dateTime of a moment, written in Zone.

:- det(time_in_zone/3).

time_in_zone(Microseconds, "Z", Literal) =>
    Literal = Microseconds^^ #xsd(dateTime).
time_in_zone(Microseconds, Zone, Literal) =>
    zone_minutes(Zone, Minutes),
    Local is Microseconds + Minutes*60000000,
    time_text(Local, LocalText),
    sub_string(LocalText, Before, 1, 0, _),
    sub_string(LocalText, 0, Before, 1, Unzoned),
    string_concat(Unzoned, Zone, Text),
    Literal = lexical(Microseconds, Text)^^ #xsd(dateTime).
