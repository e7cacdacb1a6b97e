:- module(etalis_rdfs_schema,
          [ set_schema/3,               % +Background, +Kind, +Table
            forget_closures/1,          % +Background
            schema_edge/4,              % +Background, +Kind, ?From, ?To
            superclass/3,               % +Background, ?Class, ?Superclass
            superproperty/3,            % +Background, ?Property, ?Superproperty
            property_domain/3,          % +Background, +Property, ?Class
            property_range/3,           % +Background, +Property, ?Class
            superclasses/3,             % +Background, +Class, -Superclasses
            subclasses/3,               % +Background, +Class, -Subclasses
            superproperties/3,          % +Background, +Property, -Superproperties
            subproperties/3,            % +Background, +Property, -Subproperties
            domains/3,                  % +Background, +Property, -Classes
            ranges/3,                   % +Background, +Property, -Classes
            proper_superclass/3,        % +Background, ?Class, ?Superclass
            proper_superproperty/3      % +Background, ?Property, ?Superproperty
          ]).
:- use_module(library(lists), [append/3, member/2]).
:- use_module(rdfs_axioms, [axiom_edge/4]).

/** <module> Closures of the class and property hierarchies (rdfs5, rdfs11, and the schema side of rdfs2 and rdfs3)

The edges of the hierarchies are the background's own triples, or what derived_schema.pl puts in their place, and the
axioms of rdfs_axioms.pl.
'$schema'(Kind, Table) in the background names the table of each Kind: class, property, domain, range.

A closure is found from one node at a time, level by level, with each node visited once: cycles are harmless and
a chain of 10,000 classes needs no deep recursion. What has been found is kept in the background's module, one
list a node; nodes without an edge are not kept, since a stream may bring any number of them.
*/

%!  set_schema(+Background, +Kind, +Table) is det.
%
%   From here on the edges of Kind are the clauses of Table.

set_schema(M, Kind, Table) :-
    retractall(M:'$schema'(Kind, _)),
    assertz(M:'$schema'(Kind, Table)).

%!  forget_closures(+Background) is det.
%
%   The schema has changed, or is used for the first time.

forget_closures(M) :-
    forall(kept(Name/Arity),
           ( dynamic(M:Name/Arity),
             functor(Head, Name, Arity),
             retractall(M:Head)
           )).

kept('$superclasses'/2).
kept('$subclasses'/2).
kept('$superproperties'/2).
kept('$subproperties'/2).
kept('$domains'/2).
kept('$ranges'/2).

%!  schema_edge(+Background, +Kind, ?From, ?To) is nondet.
%
%   From is said to be below To (class, property), or to have the domain or range To.

schema_edge(M, Kind, From, To) :-
    M:'$schema'(Kind, Table),
    call(M:Table, From, To).
schema_edge(M, Kind, From, To) :-
    axiom_edge(M, Kind, From, To).

% ---- reflexive and transitive ---------------------------------------------------------------------------

%!  superclass(+Background, ?Class, ?Superclass) is nondet.
%
%   Class is Superclass or below it. With neither bound, for all classes that have a place in the hierarchy.
%   Each answer once; semidet if both are bound.

superclass(M, Class, Superclass) :-
    nonvar(Class),
    !,
    superclasses(M, Class, List),
    one_of(Superclass, List).
superclass(M, Class, Superclass) :-
    nonvar(Superclass),
    !,
    subclasses(M, Superclass, List),
    member(Class, List).
superclass(M, Class, Superclass) :-
    nodes(M, class, Nodes),
    member(Class, Nodes),
    superclasses(M, Class, List),
    member(Superclass, List).

%!  superproperty(+Background, ?Property, ?Superproperty) is nondet.
%
%   As superclass/3, for properties.

superproperty(M, Property, Superproperty) :-
    nonvar(Property),
    !,
    superproperties(M, Property, List),
    one_of(Superproperty, List).
superproperty(M, Property, Superproperty) :-
    nonvar(Superproperty),
    !,
    subproperties(M, Superproperty, List),
    member(Property, List).
superproperty(M, Property, Superproperty) :-
    nodes(M, property, Nodes),
    member(Property, Nodes),
    superproperties(M, Property, List),
    member(Superproperty, List).

one_of(X, List) :-
    (   nonvar(X)
    ->  memberchk(X, List)
    ;   member(X, List)
    ).

nodes(M, Kind, Nodes) :-
    findall(Node,
            ( schema_edge(M, Kind, From, To), ( Node = From ; Node = To ) ),
            All),
    sort(All, Nodes).

%!  superclasses(+Background, +Class, -Superclasses) is det.
%!  subclasses(+Background, +Class, -Subclasses) is det.
%!  superproperties(+Background, +Property, -Superproperties) is det.
%!  subproperties(+Background, +Property, -Subproperties) is det.
%
%   Lists without duplicates; the node itself comes first, then the nearest.

superclasses(M, Class, List) :-
    (   M:'$superclasses'(Class, Known)
    ->  List = Known
    ;   closure(M, class, up, Class, Found),
        keep(Found, M:'$superclasses'(Class, Found)),
        List = Found
    ).

subclasses(M, Class, List) :-
    (   M:'$subclasses'(Class, Known)
    ->  List = Known
    ;   closure(M, class, down, Class, Found),
        keep(Found, M:'$subclasses'(Class, Found)),
        List = Found
    ).

superproperties(M, Property, List) :-
    (   M:'$superproperties'(Property, Known)
    ->  List = Known
    ;   closure(M, property, up, Property, Found),
        keep(Found, M:'$superproperties'(Property, Found)),
        List = Found
    ).

subproperties(M, Property, List) :-
    (   M:'$subproperties'(Property, Known)
    ->  List = Known
    ;   closure(M, property, down, Property, Found),
        keep(Found, M:'$subproperties'(Property, Found)),
        List = Found
    ).

keep([_], _) :- !.
keep(_, Fact) :- assertz(Fact).

closure(M, Kind, Direction, Node, [Node|More]) :-
    (   edge(Direction, M, Kind, Node, _)
    ->  setup_call_cleanup(
            trie_new(Seen),
            ( trie_insert(Seen, Node),
              levels([Node], Direction, M, Kind, Seen, More)
            ),
            trie_destroy(Seen))
    ;   More = []
    ).

levels([], _, _, _, _, []) :- !.
levels(Level, Direction, M, Kind, Seen, List) :-
    findall(Next,
            ( member(Node, Level), edge(Direction, M, Kind, Node, Next), trie_insert(Seen, Next) ),
            NextLevel),
    append(NextLevel, More, List),
    levels(NextLevel, Direction, M, Kind, Seen, More).

edge(up, M, Kind, From, To) :- schema_edge(M, Kind, From, To).
edge(down, M, Kind, To, From) :- schema_edge(M, Kind, From, To).

% ---- domain and range ---------------------------------------------------------------------------------

%!  property_domain(+Background, +Property, ?Class) is nondet.
%!  property_range(+Background, +Property, ?Class) is nondet.
%
%   The subject (object) of a triple with Property is a Class: the domains (ranges) of its superproperties,
%   and what is above them. Each answer once; semidet if Class is bound.

property_domain(M, Property, Class) :-
    domains(M, Property, Classes),
    one_of(Class, Classes).

property_range(M, Property, Class) :-
    ranges(M, Property, Classes),
    one_of(Class, Classes).

%!  domains(+Background, +Property, -Classes) is det.
%!  ranges(+Background, +Property, -Classes) is det.

domains(M, Property, Classes) :-
    (   M:'$domains'(Property, Known)
    ->  Classes = Known
    ;   classes_given(M, domain, Property, Found),
        keep_some(Found, M:'$domains'(Property, Found)),
        Classes = Found
    ).

ranges(M, Property, Classes) :-
    (   M:'$ranges'(Property, Known)
    ->  Classes = Known
    ;   classes_given(M, range, Property, Found),
        keep_some(Found, M:'$ranges'(Property, Found)),
        Classes = Found
    ).

keep_some([], _) :- !.
keep_some(_, Fact) :- assertz(Fact).

classes_given(M, Kind, Property, Classes) :-
    superproperties(M, Property, Superproperties),
    findall(Class,
            ( member(Superproperty, Superproperties),
              schema_edge(M, Kind, Superproperty, Direct),
              superclasses(M, Direct, Above),
              member(Class, Above)
            ),
            All),
    sort(All, Classes).

% ---- transitive, as the triples of the entailed graph are -------------------------------------------------

%!  proper_superclass(+Background, ?Class, ?Superclass) is nondet.
%!  proper_superproperty(+Background, ?Property, ?Superproperty) is nondet.
%
%   A way of at least one edge leads up from one to the other. A node is above itself only if a cycle says so.

proper_superclass(M, Class, Superclass) :-
    proper(M, class, superclasses, subclasses, Class, Superclass).

proper_superproperty(M, Property, Superproperty) :-
    proper(M, property, superproperties, subproperties, Property, Superproperty).

proper(M, Kind, Up, _, From, To) :-
    nonvar(From),
    !,
    call(Up, M, From, List),
    one_of(To, List),
    ( To \== From -> true ; on_cycle(up, M, Kind, From, List) ).
proper(M, Kind, _, Down, From, To) :-
    nonvar(To),
    !,
    call(Down, M, To, List),
    member(From, List),
    ( From \== To -> true ; on_cycle(down, M, Kind, To, List) ).
proper(M, Kind, Up, Down, From, To) :-
    findall(Node, schema_edge(M, Kind, Node, _), All),
    sort(All, Nodes),
    member(From, Nodes),
    proper(M, Kind, Up, Down, From, To).

%   An edge leads from the nodes above Node back to it; seen from below, from it to a node below.

on_cycle(up, M, Kind, Node, Above) :-
    member(Before, Above),
    schema_edge(M, Kind, Before, Node),
    !.
on_cycle(down, M, Kind, Node, Below) :-
    schema_edge(M, Kind, Node, After),
    memberchk(After, Below),
    !.
