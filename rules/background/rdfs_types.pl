:- module(etalis_rdfs_types,
          [ forget_types/1,             % +Background
            typed/3,                    % +Background, ?Node, ?Class
            some_typed/1,               % +Background
            used_class/2,               % +Background, ?Class
            type_tables/2               % +Background, -Tables
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(library(macros)).
:- use_module(background, [background_predicate/3]).
:- use_module(rdfs_schema,
              [ superclass/3, superclasses/3, subclasses/3, subproperties/3, domains/3, ranges/3 ]).

#import(rdfs_names).

/** <module> Which node has which class in the background (rdfs2, 3, 7, 9)

A node gets a class in one of these ways:

  - a triple with rdf:type or a subproperty of it names a class below: the tables of type_tables/2
  - subject(Table), object(Table): it is the subject or object of a triple whose predicate has such a domain or
    range
  - used: it is itself the class of something, and rdf:type has such a range

The last two are listed once for all classes, and for each class asked for, those below it that have instances
of their own: so `?x a :Plant` does not look at 40,000 subclasses each time.
*/

%!  forget_types(+Background) is det.

forget_types(M) :-
    dynamic(M:['$type_tables'/1, '$class_ways'/2, '$way'/2, '$ways_known'/0,
               '$used_class'/1, '$used_classes_known'/0]),
    retractall(M:'$type_tables'(_)),
    retractall(M:'$class_ways'(_, _)),
    retractall(M:'$way'(_, _)),
    retractall(M:'$ways_known'),
    retractall(M:'$used_class'(_)),
    retractall(M:'$used_classes_known').

%!  type_tables(+Background, -Tables) is det.
%
%   The tables of rdf:type and its subproperties.

type_tables(M, Tables) :-
    M:'$type_tables'(Known),
    !,
    Tables = Known.
type_tables(M, Tables) :-
    subproperties(M, #rdf(type), Below),
    findall(Table, ( member(P, Below), background_predicate(M, P, Table) ), Tables),
    assertz(M:'$type_tables'(Tables)).

%!  some_typed(+Background) is semidet.
%
%   Anything has a class.

some_typed(M) :-
    type_tables(M, Tables),
    member(Table, Tables),
    call(M:Table, _, _),
    !.
some_typed(M) :-
    other_way(M, _),
    !.

other_way(M, Way) :-
    background_predicate(M, P, Table),
    (   domains(M, P, [_|_]),
        Way = subject(Table)
    ;   ranges(M, P, [_|_]),
        some_node(M, Table),
        Way = object(Table)
    ).

some_node(M, Table) :-
    call(M:Table, _, Object),
    atom(Object),
    !.

%!  typed(+Background, ?Node, ?Class) is nondet.
%
%   Node has the class Class, each answer once; semidet if both are bound. Literals are of no class.

typed(M, Node, Class) :-
    nonvar(Node),
    !,
    atom(Node),
    (   nonvar(Class)
    ->  has_class(M, Node, Class)
    ;   classes_of(M, Node, Classes),
        member(Class, Classes)
    ).
typed(M, Node, Class) :-
    nonvar(Class),
    !,
    instance(M, Node, Class).
typed(M, Node, Class) :-
    know_used_classes(M),
    M:'$used_class'(Class),
    instance(M, Node, Class).

%!  used_class(+Background, ?Class) is nondet.
%
%   Something has Class; semidet if it is bound.

used_class(M, Class) :-
    know_used_classes(M),
    M:'$used_class'(Class).

% ---- a node is known ------------------------------------------------------------------------------------

has_class(M, Node, Class) :-
    type_tables(M, Tables),
    member(Table, Tables),
    call(M:Table, Node, Below),
    superclass(M, Below, Class),
    !.
has_class(M, Node, Class) :-
    ways(M, Class, Ways),
    member(Way, Ways),
    way(Way, M, Node),
    !.

way(subject(Table), M, Node) :- call(M:Table, Node, _).
way(object(Table), M, Node)  :- call(M:Table, _, Node), atom(Node).
way(used, M, Node)           :- know_used_classes(M), M:'$used_class'(Node), atom(Node).

classes_of(M, Node, Classes) :-
    findall(Class, class_of(M, Node, Class), All),
    sort(All, Given),
    (   ranges(M, #rdf(type), [_|_]), way(used, M, Node)
    ->  ranges(M, #rdf(type), OfUsed)
    ;   OfUsed = []
    ),
    (   Given == [], OfUsed == []
    ->  OfTyped = []
    ;   domains(M, #rdf(type), OfTyped)
    ),
    findall(Class, ( member(List, [Given, OfUsed, OfTyped]), member(Class, List) ), Together),
    sort(Together, Classes).

class_of(M, Node, Class) :-
    type_tables(M, Tables),
    member(Table, Tables),
    call(M:Table, Node, Below),
    superclass(M, Below, Class).
class_of(M, Node, Class) :-
    background_predicate(M, P, Table),
    (   domains(M, P, Classes),
        Classes \== [],
        \+ \+ call(M:Table, Node, _)
    ;   ranges(M, P, Classes),
        Classes \== [],
        \+ \+ call(M:Table, _, Node)
    ),
    member(Class, Classes).

% ---- a class is known -----------------------------------------------------------------------------------

%   With no way but the triples of one table, an answer is a repetition unless it comes by the first of the
%   node's triples that lead to Class: no memory is needed for that. Else a trie holds the answers given.

instance(M, Node, Class) :-
    class_ways(M, Class, Classes),
    ways(M, Class, Ways),
    type_tables(M, Tables),
    (   Ways == [], Tables = [Table]
    ->  member(Below, Classes),
        call(M:Table, Node, Below),
        ( Classes = [_] -> true ; first_below(M:Table, M, Node, Class, Below) )
    ;   setup_call_cleanup(
            trie_new(Given),
            ( some_instance(M, Tables, Classes, Ways, Node),
              trie_insert(Given, Node)
            ),
            trie_destroy(Given))
    ).

first_below(Types, M, Node, Class, Below) :-
    call(Types, Node, First),
    superclass(M, First, Class),
    !,
    First == Below.

some_instance(M, Tables, Classes, _, Node) :-
    member(Table, Tables),
    member(Below, Classes),
    call(M:Table, Node, Below).
some_instance(M, _, _, Ways, Node) :-
    member(Way, Ways),
    way(Way, M, Node).

%   class_ways(+M, +Class, -Classes): those below Class that a triple names.

class_ways(M, Class, Classes) :-
    M:'$class_ways'(Class, Known),
    !,
    Classes = Known.
class_ways(M, Class, Classes) :-
    type_tables(M, Tables),
    subclasses(M, Class, Below),
    findall(C, ( member(C, Below), has_instance(Tables, M, C) ), Classes),
    (   Below = [_]
    ->  true
    ;   assertz(M:'$class_ways'(Class, Classes))
    ).

has_instance(Tables, M, Class) :-
    member(Table, Tables),
    call(M:Table, _, Class),
    !.

%   ways(+M, +Class, -Ways): the other ways to Class.

ways(M, Class, Ways) :-
    know_ways(M),
    findall(Way, M:'$way'(Class, Way), Ways).

know_ways(M) :-
    M:'$ways_known',
    !.
know_ways(M) :-
    findall(Class-Way, way_to(M, Class, Way), All),
    sort(All, Ways),
    forall(member(Class-Way, Ways), assertz(M:'$way'(Class, Way))),
    assertz(M:'$ways_known').

way_to(M, Class, Way) :-
    background_predicate(M, P, Table),
    (   domains(M, P, Classes),
        Way = subject(Table)
    ;   ranges(M, P, Classes),
        Way = object(Table)
    ),
    member(Class, Classes).
way_to(M, Class, used) :-
    ranges(M, #rdf(type), Classes),
    member(Class, Classes).
way_to(M, Class, Way) :-
    domains(M, #rdf(type), Classes),
    Classes \== [],
    way_to_any(M, Way),
    member(Class, Classes).

%   Whatever has a class at all.

way_to_any(M, subject(Table)) :-
    type_tables(M, Tables),
    member(Table, Tables).
way_to_any(M, Way) :-
    other_way(M, Way).
way_to_any(M, used) :-
    ranges(M, #rdf(type), [_|_]).

% ---- the classes that anything has ----------------------------------------------------------------------

know_used_classes(M) :-
    M:'$used_classes_known',
    !.
know_used_classes(M) :-
    setup_call_cleanup(
        trie_new(Seen),
        forall(( named_class(M, Class), trie_insert(Seen, Class) ),
               use_with_superclasses(M, Class)),
        trie_destroy(Seen)),
    (   M:'$used_class'(_)
    ->  use_all(M, domains)
    ;   true
    ),
    (   M:'$used_class'(Node), atom(Node)
    ->  use_all(M, ranges)
    ;   true
    ),
    assertz(M:'$used_classes_known').

named_class(M, Class) :-
    type_tables(M, Tables),
    member(Table, Tables),
    call(M:Table, _, Class).
named_class(M, Class) :-
    background_predicate(M, P, Table),
    (   domains(M, P, Classes)
    ;   ranges(M, P, Classes),
        Classes \== [],
        some_node(M, Table)
    ),
    member(Class, Classes).

use_with_superclasses(M, Class) :-
    superclasses(M, Class, Classes),
    forall(member(Used, Classes), use(M, Used)).

use_all(M, Given) :-
    call(Given, M, #rdf(type), Classes),
    forall(member(Class, Classes), use(M, Class)).

use(M, Class) :-
    (   M:'$used_class'(Class)
    ->  true
    ;   assertz(M:'$used_class'(Class))
    ).
