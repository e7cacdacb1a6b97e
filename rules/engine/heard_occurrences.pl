:- module(etalis_heard_occurrences,
          [ heard_occurrences/8,        % +Engine, +Background, +S, +P, +O, +Start, +Place, -Occurrences
            heard_templates/5,          % +Engine, +P, +O, -How, -Templates
            heard_kinds/4,              % +Engine, +Background, +P, -How
            forget_heard/1              % +Engine
          ]).
:- use_module(library(apply), [include/3, maplist/3]).
:- use_module(library(lists), [member/2]).
:- use_module(library(macros)).
:- use_module('../background/rdfs_schema', [schema_edge/4]).
:- use_module('../background/rdfs_stream', [consequence/3, consequences/7]).

#import('../background/rdfs_names').

/** <module> Of what an event entails, the part that some pattern can match

An event `:e a :Oak` entails a triple for each class above :Oak; with `?x a :Plant` as the only pattern, one of them
is ever looked at. Which these are is the same for all events with one predicate and class (rdfs_stream.pl), so it
is found once and kept in the engine's module, until a query is added:

  - heard_way(P, Way): `nothing` hears an event with predicate P, or it is heard as `itself` alone, or what is heard
    depends on the class or kind of its object
  - heard_class(Class, P, S, Start, Place, Coincidence, Occurrences): for an object Class that has classes above it
  - heard_kind(P, Kind, S, O, Start, Place, Coincidence, Occurrences): for other objects, of the Kind '$node' or '$literal'

A stream may bring any number of predicates that nothing is known of: those beyond a bound are not remembered.
*/

:- det((heard_occurrences/8, heard_templates/5, heard_kinds/4, forget_heard/1)).

most_predicates(100 000).

%!  heard_occurrences(+Engine, +Background, +S, +P, +O, +Start, +Place, -Occurrences) is det.
%
%   Occurrences are occ(S2,P2,O2,Start,Place), each once, for all triples S2 P2 O2 that are S P O or follow from it and
%   that a trigger of the engine can take. Some may be among them that none takes.

heard_occurrences(M, B, S, P, O, Start, Place, Occurrences) :-
    (   M:heard_way(P, Way)
    ->  true
    ;   find_way(M, B, P, Way)
    ),
    (   Way == by_class,
        M:heard_class(O, P, S, Start, Place, Coincidence, Found)
    ->  ( Coincidence == never -> Occurrences = Found ; sort(Found, Occurrences) )
    ;   Way == itself
    ->  Occurrences = [occ(S,P,O,Start,Place)]
    ;   Way == nothing
    ->  Occurrences = []
    ;   Way == by_class,
        has_superclass(B, O)
    ->  find_class(M, B, P, O),
        heard_occurrences(M, B, S, P, O, Start, Place, Occurrences)
    ;   heard_by_kind(M, B, S, P, O, Start, Place, Occurrences)
    ).

%!  heard_templates(+Engine, +P, +O, -How, -Templates) is det.
%
%   What heard_occurrences/8 gives for triples like one with P and O. How is `whole` if that is so for all with P, or by(Way, Scope):
%   Way is `by_class` if it depends on the class that is the object, else `by_kind`; Scope is `class`, for this O, or
%   `kind`. Templates are t(S, P, O), each k(Term), or `s` or `o` for the triple's own.

heard_templates(M, P, O, How, Templates) :-
    M:entailment(B),
    !,
    (   M:heard_way(P, Way)
    ->  true
    ;   find_way(M, B, P, Way)
    ),
    how(Way, B, O, How),
    (   How == by(by_class, class)
    ->  heard_occurrences(M, B, S, P, O, _, [], Occurrences),
        Object = none
    ;   How = by(_, _)
    ->  ( atom(O) -> Kind = '$node' ; Kind = '$literal' ),
        find_heard(M, B, P, Kind, Object, S, _, _, _, Occurrences)
    ;   Way == itself
    ->  Occurrences = [occ(S,P,Object,_,_)]
    ;   Occurrences = []
    ),
    maplist(template(S, Object), Occurrences, Templates).

how(by_class, B, O, How), has_superclass(B, O) => How = by(by_class, class).
how(by_class, _, _, How) => How = by(by_class, kind).
how(by_kind, _, _, How) => How = by(by_kind, kind).
how(_, _, _, How) => How = whole.

template(S, O, occ(S1,P1,O1,_,_), t(S2,P2,O2)) :-
    maplist(template_part(S, O), [S1,P1,O1], [S2,P2,O2]).

template_part(S, _, Part, s) :- Part == S, !.
template_part(_, O, Part, o) :- Part == O, !.
template_part(_, _, Part, k(Part)).

%!  heard_kinds(+Engine, +Background, +P, -How) is det.
%
%   Whether anything is heard of a triple with P: How is 0, never; 1, it may be; 2, it depends on the class that is its object.

heard_kinds(M, B, P, How) :-
    (   M:heard_way(P, Way)
    ->  true
    ;   find_way(M, B, P, Way)
    ),
    (   Way == nothing
    ->  How = 0
    ;   Way == by_class
    ->  How = 2
    ;   Way == by_kind,
        \+ ( member(Kind, ['$node','$literal']), find_heard(M, B, P, Kind, _, _, _, _, _, [_|_]) )
    ->  How = 0
    ;   How = 1
    ).

heard_by_kind(M, B, S, P, O, Start, Place, Occurrences) :-
    ( atom(O) -> Kind = '$node' ; Kind = '$literal' ),
    (   M:heard_kind(P, Kind, S, O, Start, Place, Coincidence, Found)
    ->  ( Coincidence == never -> Occurrences = Found ; sort(Found, Occurrences) )
    ;   find_heard(M, B, P, Kind, O1, S1, Start1, Place1, Coincidence1, Found1),
        assertz(M:heard_kind(P, Kind, S1, O1, Start1, Place1, Coincidence1, Found1)),
        heard_by_kind(M, B, S, P, O, Start, Place, Occurrences)
    ).

has_superclass(B, Class) :-
    schema_edge(B, class, Class, _),
    !.

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

%   find_class(+M, +B, +P, +Class): find heard_class/6. Most taxonomies are trees: there it is what the only parent
%   has, and maybe the class itself, so a class is looked at once for all that are below it.

find_class(M, B, P, Class) :-
    consequence(B, P, superclasses),
    find_by_parents(M, B, P, Class, 1000),
    !.
find_class(M, B, P, Class) :-
    find_anyhow(M, B, P, Class).

find_anyhow(M, B, P, Class) :-
    find_heard(M, B, P, Class, _, S, Start, Place, Coincidence, Occurrences),
    assertz(M:heard_class(Class, P, S, Start, Place, Coincidence, Occurrences)).

%   find_by_parents(+M, +B, +P, +Class, +Height) is semidet: no higher than so many steps. Fails where there is a
%   circle.

find_by_parents(M, B, P, Class, Height) :-
    Height > 0,
    findall(Above, schema_edge(B, class, Class, Above), Parents),
    (   Parents = [Parent]
    ->  inherited(M, B, P, Parent, Height, S, Start, Place, Inherited),
        \+ memberchk(occ(_,_,Class,_,_), Inherited),
        own_occurrences(M, S, P, Class, Start, Place, Inherited, Occurrences),
        assertz(M:heard_class(Class, P, S, Start, Place, never, Occurrences))
    ;   find_anyhow(M, B, P, Class)
    ).

inherited(M, B, P, Parent, Height, S, Start, Place, Inherited) :-
    (   M:heard_class(Parent, P, S, Start, Place, never, Inherited)
    ->  true
    ;   has_superclass(B, Parent)
    ->  Next is Height - 1,
        find_by_parents(M, B, P, Parent, Next),
        M:heard_class(Parent, P, S, Start, Place, never, Inherited)
    ;   own_occurrences(M, S, P, Parent, Start, Place, [], Inherited)
    ),
    !.

own_occurrences(M, S, P, Class, Start, Place, Inherited, Occurrences) :-
    (   is_heard(M, t(S,P,Class))
    ->  Occurrences = [occ(S,P,Class,Start,Place)|Inherited]
    ;   Occurrences = Inherited
    ).

%   find_heard(+M, +B, +P, +Key, -O, -S, -Start, -Place, -Coincidence, -Occurrences): with variables for what differs from one
%   event to another.

find_heard(M, B, P, Key, O, S, Start, Place, Coincidence, Occurrences) :-
    consequences(B, P, Key, S, O, Coincidence, Triples),
    include(is_heard(M), Triples, Heard),
    maplist(occurrence(Start, Place), Heard, Occurrences).

occurrence(Start, Place, t(S,P,O), occ(S,P,O,Start,Place)).

%   Some trigger takes triples like this one.

is_heard(M, t(S,P,O)) :-
    \+ \+ (   clause(M:trigger(P, S, O, _, _, _), _)
           ;   P == #rdf(type),
               clause(M:type_trigger(O, S, _, _, _), _)
           ;   clause(M:any_trigger(P, S, O, _, _, _), _)
           ;   clause(M:tuple_trigger(P, O, _, _, _), _)
           ;   clause(M:placed_trigger(P, S, O, _, _, _, _), _)
           ;   P == #rdf(type),
               clause(M:placed_type_trigger(O, S, _, _, _, _), _)
           ;   clause(M:placed_any_trigger(P, S, O, _, _, _, _), _)
           ).

%!  forget_heard(+Engine) is det.
%
%   Triggers have been added.

forget_heard(M) :-
    retractall(M:heard_way(_, _)),
    retractall(M:heard_class(_, _, _, _, _, _, _)),
    retractall(M:heard_kind(_, _, _, _, _, _, _, _)).
