:- module(etalis_heard_occurrences,
          [ heard_occurrences/7,        % +Engine, +Background, +S, +P, +O, +Start, -Occurrences
            forget_heard/1              % +Engine
          ]).
:- use_module(library(apply), [include/3, maplist/3]).
:- use_module(library(macros)).
:- use_module(rdfs_schema, [superclasses/3]).
:- use_module(rdfs_stream, [consequence/3, consequences/7]).

#import(rdfs_names).

/** <module> Of what an event entails, the part that some pattern can match

An event `:e a :Oak` entails a triple for each class above :Oak; with `?x a :Plant` as the only pattern, one of them
is ever looked at. Which these are is the same for all events with one predicate and class (rdfs_stream.pl), so it
is found once and kept in the engine's module, until a query is added:

  - heard_way(P, Way): `nothing` hears an event with predicate P, or it is heard as `itself` alone, or what is heard
    depends on the class or kind of its object
  - heard_class(Class, P, S, Start, Coincidence, Occurrences): for an object Class that has classes above it
  - heard_kind(P, Kind, S, O, Start, Coincidence, Occurrences): for other objects, of the Kind '$node' or '$literal'

A stream may bring any number of predicates that nothing is known of: those beyond a bound are not remembered.
*/

:- det((heard_occurrences/7, forget_heard/1)).

most_predicates(100 000).

%!  heard_occurrences(+Engine, +Background, +S, +P, +O, +Start, -Occurrences) is det.
%
%   Occurrences are occ(S2,P2,O2,Start), each once, for all triples S2 P2 O2 that are S P O or follow from it and
%   that a trigger of the engine can take. Some may be among them that none takes.

heard_occurrences(M, B, S, P, O, Start, Occurrences) :-
    (   M:heard_way(P, Way)
    ->  true
    ;   find_way(M, B, P, Way)
    ),
    heard(Way, M, B, S, P, O, Start, Occurrences).

heard(nothing, _, _, _, _, _, _, []).
heard(itself, _, _, S, P, O, Start, [occ(S,P,O,Start)]).
heard(by_class, M, B, S, P, O, Start, Occurrences) :-
    (   M:heard_class(O, P, S, Start, Coincidence, Found)
    ->  set_of(Coincidence, Found, Occurrences)
    ;   superclasses(B, O, [_,_|_])
    ->  find_heard(M, B, P, O, _, S1, Start1, Coincidence1, Found1),
        assertz(M:heard_class(O, P, S1, Start1, Coincidence1, Found1)),
        heard(by_class, M, B, S, P, O, Start, Occurrences)
    ;   heard(by_kind, M, B, S, P, O, Start, Occurrences)
    ).
heard(by_kind, M, B, S, P, O, Start, Occurrences) :-
    ( atom(O) -> Kind = '$node' ; Kind = '$literal' ),
    (   M:heard_kind(P, Kind, S, O, Start, Coincidence, Found)
    ->  set_of(Coincidence, Found, Occurrences)
    ;   find_heard(M, B, P, Kind, O1, S1, Start1, Coincidence1, Found1),
        assertz(M:heard_kind(P, Kind, S1, O1, Start1, Coincidence1, Found1)),
        heard(by_kind, M, B, S, P, O, Start, Occurrences)
    ).

set_of(never, Found, Found).
set_of(possible, Found, Set) :-
    sort(Found, Set).

%   find_way(+M, +B, +P, -Way)

find_way(M, B, P, Way) :-
    consequence(B, P, Kind),
    way(Kind, M, P, Way),
    (   Kind == itself,
        predicate_property(M:heard_way(_, _), number_of_clauses(Count)),
        most_predicates(Most),
        Count >= Most
    ->  true
    ;   assertz(M:heard_way(P, Way))
    ).

way(itself, M, P, Way) =>
    ( is_heard(M, t(_,P,_)) -> Way = itself ; Way = nothing ).
way(by_kind, _, _, Way) =>
    Way = by_kind.
way(Kind, _, _, Way), memberchk(Kind, [superclasses, by_class]) =>
    Way = by_class.

%   find_heard(+M, +B, +P, +Key, -O, -S, -Start, -Coincidence, -Occurrences): with variables for what differs from one
%   event to another.

find_heard(M, B, P, Key, O, S, Start, Coincidence, Occurrences) :-
    consequences(B, P, Key, S, O, Coincidence, Triples),
    include(is_heard(M), Triples, Heard),
    maplist(occurrence(Start), Heard, Occurrences).

occurrence(Start, t(S,P,O), occ(S,P,O,Start)).

%   Some trigger takes triples like this one.

is_heard(M, t(S,P,O)) :-
    \+ \+ (   clause(M:trigger(P, S, O, _, _, _), _)
           ;   P == #rdf(type),
               clause(M:type_trigger(O, S, _, _, _), _)
           ;   clause(M:any_trigger(P, S, O, _, _, _), _)
           ).

%!  forget_heard(+Engine) is det.
%
%   Triggers have been added.

forget_heard(M) :-
    retractall(M:heard_way(_, _)),
    retractall(M:heard_class(_, _, _, _, _, _)),
    retractall(M:heard_kind(_, _, _, _, _, _, _)).
