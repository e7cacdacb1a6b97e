:- module(etalis_rdfs_stream,
          [ forget_consequences/1,      % +Background
            entailed_by_triple/7,       % +Background, +S, +P, +O, -S2, -P2, -O2
            consequence/3,              % +Background, +P, -Kind
            consequences/7              % +Background, +P, +Key, ?S, ?O, -Coincidence, -Triples
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [append/3, member/2]).
:- use_module(library(ordsets), [ord_subtract/3, ord_union/3]).
:- use_module(library(macros)).
:- use_module(rdfs_schema, [superclasses/3, superproperties/3, domains/3, ranges/3]).

#import(rdfs_names).

/** <module> What one stream triple entails with the background's schema (rdfs2, 3, 7, 9)

What follows from a triple depends on its predicate, on whether its object is a
literal, and for rdf:type on the class; with these it is the same set with other nodes in it. The set is found
once, by applying the rules until nothing new comes, and kept as a clause with variables in place of the nodes.
*/

%!  forget_consequences(+Background) is det.

forget_consequences(M) :-
    dynamic(M:['$consequence'/2, '$follows'/6]),
    retractall(M:'$consequence'(_, _)),
    retractall(M:'$follows'(_, _, _, _, _, _)).

%!  entailed_by_triple(+Background, +S, +P, +O, -S2, -P2, -O2) is nondet.
%
%   The triple S2 P2 O2 is S P O or follows from it. Each once; det if it is only the triple itself.

entailed_by_triple(M, S, P, O, S2, P2, O2) :-
    consequence(M, P, Kind),
    entailed(Kind, M, S, P, O, S2, P2, O2).

entailed(itself, _, S, P, O, S, P, O).
entailed(superclasses, M, S, P, O, S, P, Class) :-
    superclasses(M, O, Classes),
    member(Class, Classes).
entailed(by_class, M, S, P, O, S2, P2, O2) :-
    (   superclasses(M, O, [_,_|_])
    ->  Key = O
    ;   object_kind(O, Key)
    ),
    follows(M, P, Key, S, O, Triples),
    member(t(S2,P2,O2), Triples).
entailed(by_kind, M, S, P, O, S2, P2, O2) :-
    object_kind(O, Key),
    follows(M, P, Key, S, O, Triples),
    member(t(S2,P2,O2), Triples).

object_kind(O, Kind) :-
    ( atom(O) -> Kind = '$node' ; Kind = '$literal' ).

%!  consequence(+Background, +P, -Kind) is det.
%
%   Kind says what a triple with P entails beyond itself: nothing (`itself`), it depends on whether the object is a
%   literal (`by_kind`), on the class that the object is (`by_class`), or it is the type of its subject alone
%   (`superclasses`). A stream may have any number of predicates: those that the schema does not know are remembered
%   up to a bound.

consequence(M, P, Kind) :-
    M:'$consequence'(P, Known),
    !,
    Kind = Known.
consequence(M, P, Kind) :-
    consequence_kind(M, P, Kind),
    (   Kind == itself,
        predicate_property(M:'$consequence'(_, _), number_of_clauses(Count)),
        Count > 100 000
    ->  true
    ;   assertz(M:'$consequence'(P, Kind))
    ).

consequence_kind(M, P, Kind) :-
    (   M:'$entailment'(none)
    ->  Kind = itself
    ;   superproperties(M, P, Above),
        domains(M, P, Domains),
        ranges(M, P, Ranges),
        kind(P, Above, Domains, Ranges, Kind)
    ).

kind(#rdf(type), [_], [], [], Kind) =>
    Kind = superclasses.
kind(_, [_], [], [], Kind) =>
    Kind = itself.
kind(_, Above, _, _, Kind), memberchk(#rdf(type), Above) =>
    Kind = by_class.
kind(_, _, _, _, Kind) =>
    Kind = by_kind.

%   follows(+M, +P, +Key, +S, +O, -Triples): the set for a triple with P and an object of that Key.

follows(M, P, Key, S, O, Triples) :-
    (   M:'$follows'(P, Key, S, O, Coincidence, Found)
    ->  true
    ;   consequences(M, P, Key, Subject, Object, Coincidence, Set),
        assertz(M:'$follows'(P, Key, Subject, Object, Coincidence, Set)),
        Subject = S, Object = O, Found = Set
    ),
    (   Coincidence == never
    ->  Triples = Found
    ;   sort(Found, Triples)
    ).

%!  consequences(+Background, +P, +Key, ?S, ?O, -Coincidence, -Triples) is det.
%
%   Triples is what S P O entails, itself included, for all S and all O of one Key: a class that has others above it,
%   which O then is, or '$node' or '$literal' for any other IRI or blank node, or any literal. Some of its triples may
%   become the same if, for example, S is O: then Coincidence is `possible`, else `never`.

consequences(M, P, Key, Subject, Object, Coincidence, Triples) :-
    consequence(M, P, Kind),
    consequences(Kind, M, P, Key, Subject, Object, Coincidence, Triples).

consequences(superclasses, M, P, Class, Subject, _, Coincidence, Triples), superclasses(M, Class, [_,_|_]) =>
    Coincidence = never,
    superclasses(M, Class, Classes),
    maplist(typed(P, Subject), Classes, Triples).
consequences(_, M, P, Key, Subject, Object, Coincidence, Triples) =>
    stands_for(Key, Stand),
    closure(M, [t('$subject',P,Stand)], [t('$subject',P,Stand)], Set),
    maplist(with_variables(Stand, Subject, Object), Set, Triples),
    (   append(_, [One|Rest], Triples), member(Other, Rest), unifiable(One, Other, _)
    ->  Coincidence = possible
    ;   Coincidence = never
    ).

typed(P, Subject, Class, t(Subject,P,Class)).

stands_for('$node', Stand) => Stand = '$object'.
stands_for('$literal', Stand) => Stand = literal('$object').
stands_for(Class, Stand) => Stand = Class.

with_variables(Stand, Subject, Object, t(S,P,O), t(S1,P,O1)) :-
    with_variable(Stand, Subject, Object, S, S1),
    with_variable(Stand, Subject, Object, O, O1).

with_variable(_, Subject, _, '$subject', Term) => Term = Subject.
with_variable(_, _, Object, '$object', Term) => Term = Object.
with_variable(_, _, Object, literal('$object'), Term) => Term = Object.
with_variable(_, _, _, Constant, Term) => Term = Constant.

closure(_, [], Set, Set) :- !.
closure(M, New, Known, Set) :-
    findall(Triple, ( member(Before, New), rule(M, Before, Triple) ), All),
    sort(All, Found),
    ord_subtract(Found, Known, Newer),
    ord_union(Known, Newer, More),
    closure(M, Newer, More, Set).

rule(M, t(S,P,O), t(S,Q,O)) :-
    superproperties(M, P, Properties),
    member(Q, Properties),
    atom(Q),
    \+ sub_atom(Q, 0, _, _, '_:').
rule(M, t(S,P,_), t(S,#rdf(type),Class)) :-
    domains(M, P, Classes),
    member(Class, Classes).
rule(M, t(_,P,O), t(O,#rdf(type),Class)) :-
    atom(O),
    ranges(M, P, Classes),
    member(Class, Classes).
rule(M, t(S,#rdf(type),Class), t(S,#rdf(type),Superclass)) :-
    superclasses(M, Class, Classes),
    member(Superclass, Classes).
