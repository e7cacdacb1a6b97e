:- module(etalis_listening,
          [ hears_anything/1,           % +Engine
            hearing/3,                  % +Engine, +Predicates, -Hearing
            hears_objects/4             % +Engine, +Predicate, +Objects, -Heard
          ]).
:- use_module(driver, [way/2]).
:- use_module(heard_occurrences, [heard_kinds/4, heard_occurrences/8]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(macros)).
:- use_module(link, [link_rules/1]).
:- use_module(terms, [decode_term/2]).

#import('../background/rdfs_names').

/** <module> Which rows some rule can hear, for whoever leaves the others out (etalis_py/engine/listening.py)

What no trigger takes, nor takes anything of that follows from it, brings nothing about but that time passes. Triggers
are looked at by predicate, for rdf:type by class, and by stream where all patterns that could take a row name theirs.
*/

:- det((hearing/3, hears_objects/4)).

%!  hears_anything(+Engine) is semidet.
%
%   Every row may matter: a pattern takes any predicate from anywhere, or instants are due though nothing happens.

hears_anything(M) :-
    link_rules(M),
    (   way(M, general)
    ->  true
    ;   clause(M:any_trigger(_, _, _, _, _, _), _)
    ->  true
    ;   clause(M:placed_any_trigger(_, _, _, _, _, Place, _), _),
        \+ names_stream(Place, _)
    ->  true
    ).

%!  hearing(+Engine, +Predicates, -Hearing) is det.
%
%   For each of Predicates [How,Streams]: How is 1 if a row with it is heard, 2 if that depends on its object
%   (hears_objects/4), else 0. In any case rows of Streams are heard.

hearing(M, Predicates, Hearing) :-
    maplist(hearing_of(M), Predicates, Hearing).

hearing_of(M, P, [How,Streams]) :-
    (   M:entailment(B)
    ->  heard_kinds(M, B, P, How),
        Streams = []
    ;   is_taken_anywhere(M, P)
    ->  How = 1, Streams = []
    ;   ( P == #rdf(type), is_class_taken(M, _) -> How = 2 ; How = 0 ),
        findall(Stream, ( placed(M, P, Place), names_stream(Place, Stream) ), All),
        sort(All, Streams)
    ).

is_taken_anywhere(M, P) :-
    (   clause(M:trigger(P, _, _, _, _, _), _)
    ->  true
    ;   clause(M:tuple_trigger(P, _, _, _, _), _)
    ->  true
    ;   clause(M:placed_trigger(P, _, _, _, _, Place, _), _),
        \+ names_stream(Place, _)
    ->  true
    ).

is_class_taken(M, Class) :-
    (   clause(M:type_trigger(Class, _, _, _, _), _)
    ->  true
    ;   clause(M:placed_type_trigger(Class, _, _, _, _, _), _)
    ->  true
    ).

placed(M, P, Place) :-
    clause(M:placed_trigger(P, _, _, _, _, Place, _), _).
placed(M, _, Place) :-
    clause(M:placed_any_trigger(_, _, _, _, _, Place, _), _).

%   names_stream(+Place, -Stream) is semidet: as stream(IRI) or element(IRI, Graph, Identity) of places.pl.

names_stream(Place, Stream) :-
    compound(Place),
    arg(1, Place, Stream),
    atom(Stream).

%!  hears_objects(+Engine, +Predicate, +Objects, -Heard) is det.
%
%   For each of Objects, in their encoded form, 1 if a row with it and Predicate is heard, else 0.

hears_objects(M, P, Objects, Heard) :-
    maplist(hears_object(M, P), Objects, Heard).

hears_object(M, P, Encoded, Heard) :-
    decode_term(Encoded, O),
    (   M:entailment(B)
    ->  heard_occurrences(M, B, 'urn:s', P, O, 0, [], Occurrences),
        ( Occurrences == [] -> Heard = 0 ; Heard = 1 )
    ;   is_class_taken(M, O)
    ->  Heard = 1
    ;   Heard = 0
    ).
