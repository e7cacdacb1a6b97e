:- module(etalis_dates,
          [ first_moment/2              % +Date, -Time
          ]).
:- use_module(datatypes, [op(_, _, ^^)]).
:- use_module(lexical_read, [typed_literal/3]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> The xsd:date, by its first moment

A date keeps its text as its value; it is compared and cast by the moment it starts at, in its own zone.
*/

%!  first_moment(+Date, -Time) is semidet.
%
%   Date is the text of an xsd:date, Time the xsd:dateTime it starts at. Fails for an ill-typed date.

first_moment(Date, Time) :-
    zone_length(Date, Zoned),
    sub_string(Date, Day, Zoned, 0, Zone),
    sub_string(Date, 0, Day, _, Local),
    atomics_to_string([Local, "T00:00:00", Zone], Text),
    typed_literal(Text, #xsd(dateTime), Time),
    Time \= Text^^_.

zone_length(Date, Length) :-
    (   sub_string(Date, _, 1, 0, "Z")
    ->  Length = 1
    ;   sub_string(Date, _, 1, 2, ":")
    ->  Length = 6
    ;   Length = 0
    ).
