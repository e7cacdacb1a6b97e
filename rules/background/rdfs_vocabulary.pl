:- module(etalis_rdfs_vocabulary,
          [ forget_vocabulary/1,        % +Background
            vocabulary_predicate/1,     % ?Predicate
            vocabulary_triple/4         % +Background, +Predicate, ?Subject, ?Object
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(library(macros)).
:- use_module(library(pairs), [group_pairs_by_key/2]).
:- use_module(background, [background_predicate/3]).
:- use_module(rdfs_axioms, [axiom_triple/3, core_term/2, known_member_property/2]).
:- use_module(rdfs_schema, [schema_edge/4, superclass/3, superclasses/3]).
:- use_module(rdfs_types, [typed/3, used_class/2]).

#import(rdfs_names).

/** <module> What is said of classes and properties themselves (rdfD2, rdfs6, 8, 10, 12, 13, axiomatic triples)

The classes are what the background uses as one: in a hierarchy, as domain, range or type of something, or because it
says so; the properties are its predicates, what stands in a hierarchy or has a domain or range. Each is an rdfs:Class or
an rdf:Property and below itself; classes are below rdfs:Resource, datatypes below rdfs:Literal.

This is found for who asks: nothing is kept but the lists of classes and properties, once all are wanted. Nothing
further follows from it but superclasses (rdfs9, rdfs11): a domain of rdf:type does not speak of rdfs:Class.
*/

%!  forget_vocabulary(+Background) is det.

forget_vocabulary(M) :-
    dynamic(M:['$classes'/1, '$properties'/1, '$vocabulary_classes'/1]),
    retractall(M:'$classes'(_)),
    retractall(M:'$properties'(_)),
    retractall(M:'$vocabulary_classes'(_)).

%!  vocabulary_predicate(?Predicate) is nondet.
%
%   There are such triples with Predicate.

vocabulary_predicate(#rdf(type)).
vocabulary_predicate(#rdfs(subClassOf)).
vocabulary_predicate(#rdfs(subPropertyOf)).
vocabulary_predicate(#rdfs(domain)).
vocabulary_predicate(#rdfs(range)).

%!  vocabulary_triple(+Background, +Predicate, ?Subject, ?Object) is nondet.
%
%   Each once; semidet if all are bound. Among them may be some that follow by other rules, too.

vocabulary_triple(M, #rdf(type), S, O) =>
    vocabulary_type(M, S, O).
vocabulary_triple(M, #rdfs(subClassOf), S, O) =>
    below_class(M, S, O).
vocabulary_triple(M, #rdfs(subPropertyOf), S, O) =>
    property(M, S, O).
vocabulary_triple(_, #rdfs(domain), S, O) =>
    axiom(domain, S, O).
vocabulary_triple(_, #rdfs(range), S, O) =>
    axiom(range, S, O).

axiom(Kind, S, O) :-
    (   nonvar(S), nonvar(O)
    ->  axiom_triple(Kind, S, O),
        !
    ;   axiom_triple(Kind, S, O)
    ).

% ---- rdf:type -------------------------------------------------------------------------------------------

vocabulary_type(M, S, O) :-
    nonvar(S),
    !,
    atom(S),
    (   nonvar(O)
    ->  vocabulary_classes(M, Classes),
        memberchk(O-Kinds, Classes),
        member(Kind, Kinds),
        is_of(Kind, M, S),
        !
    ;   findall(Class, ( kind(Kind), is_of(Kind, M, S), superclass(M, Kind, Class) ), All),
        sort(All, Found),
        member(O, Found)
    ).
vocabulary_type(M, S, O) :-
    vocabulary_classes(M, Classes),
    (   nonvar(O)
    ->  memberchk(O-Kinds, Classes)
    ;   member(O-Kinds, Classes)
    ),
    findall(Term, ( member(Kind, Kinds), all_of(Kind, M, Terms), member(Term, Terms) ), All),
    sort(All, Found),
    member(S, Found).

%   vocabulary_classes(+M, -Classes): each class that terms of the vocabulary have, with the kinds below it.

vocabulary_classes(M, Classes) :-
    M:'$vocabulary_classes'(Known),
    !,
    Classes = Known.
vocabulary_classes(M, Classes) :-
    findall(Class-Kind, ( kind(Kind), superclasses(M, Kind, Above), member(Class, Above) ), All),
    keysort(All, Sorted),
    group_pairs_by_key(Sorted, Classes),
    assertz(M:'$vocabulary_classes'(Classes)).

kind(#rdfs('Class')).
kind(#rdfs('Datatype')).
kind(#rdf('Property')).
kind(#rdfs('ContainerMembershipProperty')).
kind(#rdf('List')).

is_of(#rdfs('Class'), M, Term) => is_class(M, Term), !.
is_of(#rdf('Property'), M, Term) => is_property(M, Term), !.
is_of(#rdfs('ContainerMembershipProperty'), M, Term) => known_member_property(M, Term).
is_of(Kind, _, Term) => core_term(Term, Kind), !.

all_of(#rdfs('Class'), M, Terms) => classes(M, Terms).
all_of(#rdf('Property'), M, Terms) => properties(M, Terms).
all_of(Kind, M, Terms) => findall(Term, ( core_term(Term, Kind) ; member_of(Kind, M, Term) ), Terms).

member_of(#rdfs('ContainerMembershipProperty'), M, Term) :-
    known_member_property(M, Term).

% ---- classes --------------------------------------------------------------------------------------------

%   is_class(+M, ?Term) is nondet, with repetitions.

is_class(_, Term) :- core_term(Term, #rdfs('Class')).
is_class(_, Term) :- core_term(Term, #rdfs('Datatype')).
is_class(M, Term) :- schema_edge(M, class, Term, _).
is_class(M, Term) :- schema_edge(M, class, _, Term).
is_class(M, Term) :- schema_edge(M, domain, _, Term).
is_class(M, Term) :- schema_edge(M, range, _, Term).
is_class(M, Term) :- used_class(M, Term).
is_class(M, Term) :- typed(M, Term, #rdfs('Class')).

classes(M, Classes) :-
    M:'$classes'(Known),
    !,
    Classes = Known.
classes(M, Classes) :-
    findall(Class, ( is_class(M, Class), atom(Class) ), All),
    sort(All, Classes),
    assertz(M:'$classes'(Classes)).

below_class(M, S, O) :-
    nonvar(S),
    !,
    atom(S),
    once(is_class(M, S)),
    findall(Class, common_superclass(M, S, Class), All),
    sort([S|All], Above),
    (   nonvar(O)
    ->  memberchk(O, Above)
    ;   member(O, Above)
    ).
below_class(M, S, O) :-
    nonvar(O),
    \+ common_superclass(M, _, O),
    !,
    atom(O),
    once(is_class(M, O)),
    S = O.
below_class(M, S, O) :-
    classes(M, Classes),
    member(S, Classes),
    below_class(M, S, O).

%   Every class, or every datatype, is below the Class.

common_superclass(M, S, Class) :-
    superclasses(M, #rdfs('Resource'), Above),
    literal_classes(M, S, More),
    (   member(Class, Above)
    ;   member(Class, More)
    ).

literal_classes(M, S, Classes) :-
    (   ( var(S) ; is_datatype(M, S) )
    ->  superclasses(M, #rdfs('Literal'), Classes)
    ;   Classes = []
    ).

is_datatype(_, S) :- core_term(S, #rdfs('Datatype')), !.
is_datatype(M, S) :- typed(M, S, #rdfs('Datatype')), !.

% ---- properties -----------------------------------------------------------------------------------------

is_property(_, Term) :- core_term(Term, #rdf('Property')).
is_property(M, Term) :- background_predicate(M, Term, _).
is_property(M, Term) :- schema_edge(M, property, Term, _).
is_property(M, Term) :- schema_edge(M, property, _, Term).
is_property(M, Term) :- schema_edge(M, domain, Term, _).
is_property(M, Term) :- schema_edge(M, range, Term, _).
is_property(M, Term) :- typed(M, Term, #rdf('Property')).

properties(M, Properties) :-
    M:'$properties'(Known),
    !,
    Properties = Known.
properties(M, Properties) :-
    findall(Property, ( is_property(M, Property), atom(Property) ), All),
    sort(All, Properties),
    assertz(M:'$properties'(Properties)).

%   Each is below itself.

property(M, S, O) :-
    ( nonvar(S) -> Property = S ; Property = O ),
    nonvar(Property),
    !,
    atom(Property),
    once(is_property(M, Property)),
    S = O.
property(M, S, O) :-
    properties(M, Properties),
    member(S, Properties),
    O = S.
