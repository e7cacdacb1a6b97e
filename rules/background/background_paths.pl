:- module(etalis_background_paths,
          [ background_path/6,          % :Edge, :Node, +Repeat, +Zero, ?X, ?Y
            reachable/4                 % +Direction, :Edge, +Node, -Nodes
          ]).
:- use_module(library(lists), [append/2, member/2, memberchk/2]).

/** <module> Property paths of background alone (SPARQL 1.1, sections 9.3 and 18.4)

An edge is a closure: call(Edge, X, Y) enumerates timeless edges from X to Y, with either, both or none of the two
bound, repetitions allowed; `none` has no edges. Paths are found by breadth-first search from whichever end is
bound, so the cost depends on what can be reached from there, and cycles end. Nothing is kept from one call to
the next.
*/

:- meta_predicate
    background_path(2, 1, +, +, ?, ?),
    reachable(+, 2, +, -).

%!  background_path(:Edge, :Node, +Repeat, +Zero, ?X, ?Y) is nondet.
%
%   A path leads from X to Y; each pair once. Repeat is `many` (one or more edges) or `once` (one edge). With
%   Zero `true` each term has a path to itself as well: X or Y where one is bound, be it in the graph or
%   not; else the source of each edge and each N of call(Node, N), which is called for nothing else. Zero is
%   `false` otherwise.

background_path(Edge, _, Repeat, Zero, X, Y) :-
    nonvar(X),
    !,
    (   nonvar(Y)
    ->  joined(Repeat, Zero, Edge, X, Y)
    ;   ends(Zero, Repeat, forward, Edge, X, Ends),
        member(Y, Ends)
    ).
background_path(Edge, _, Repeat, Zero, X, Y) :-
    nonvar(Y),
    !,
    ends(Zero, Repeat, backward, Edge, Y, Ends),
    member(X, Ends).
background_path(Edge, Node, Repeat, Zero, X, Y) :-
    findall(From, first_node(Zero, Edge, Node, From), All),
    sort(All, Froms),
    member(From, Froms),
    X = From,                           % X and Y may be one variable
    background_path(Edge, Node, Repeat, Zero, From, Y).

first_node(_, Edge, _, X)      :- edge(Edge, X, _).
first_node(true, _, Node, X)   :- call(Node, X).

joined(_, true, _, X, Y) :-
    X == Y,
    !.
joined(once, _, Edge, X, Y) :-
    \+ \+ edge(Edge, X, Y).
joined(many, _, Edge, X, Y) :-
    search(forward, Edge, X, Y, found).

ends(Zero, Repeat, Direction, Edge, Node, Ends) :-
    (   Repeat == many
    ->  reachable(Direction, Edge, Node, Ends0)
    ;   findall(Next, step(Direction, Edge, Node, Next), All),
        sort(All, Ends0)
    ),
    (   ( Zero == false ; memberchk(Node, Ends0) )
    ->  Ends = Ends0
    ;   Ends = [Node|Ends0]
    ).

%!  reachable(+Direction, :Edge, +Node, -Nodes) is det.
%
%   Nodes is the list of what one edge or more lead to from Node (Direction `forward`), or come from
%   (`backward`), each once, the nearest first. Node is among them if it is on a cycle.

reachable(Direction, Edge, Node, Nodes) :-
    search(Direction, Edge, Node, _, Nodes).

%   search(+Direction, :Edge, +Node, ?Goal, -Nodes): with Goal bound, Nodes is `found` or the search fails.

search(Direction, Edge, Node, Goal, Nodes) :-
    findall(Next, step(Direction, Edge, Node, Next), Nexts),
    (   Nexts == []
    ->  var(Goal),
        Nodes = []
    ;   setup_call_cleanup(
            trie_new(Visited),
            first_level(Nexts, Direction, Edge, Visited, Goal, Nodes),
            trie_destroy(Visited))
    ).

first_level(Nexts, Direction, Edge, Visited, Goal, Nodes) :-
    findall(Next, ( member(Next, Nexts), trie_insert(Visited, Next) ), Level),
    levels(Level, Direction, Edge, Visited, Goal, Levels),
    (   Levels == found
    ->  Nodes = found
    ;   append(Levels, Nodes)
    ).

levels([], _, _, _, Goal, Levels) =>
    var(Goal),
    Levels = [].
levels(_, _, _, Visited, Goal, Levels), nonvar(Goal), trie_lookup(Visited, Goal, _) =>
    Levels = found.
levels(Level, Direction, Edge, Visited, Goal, Levels) =>
    findall(Next,
            ( member(Node, Level), step(Direction, Edge, Node, Next), trie_insert(Visited, Next) ),
            NextLevel),
    levels(NextLevel, Direction, Edge, Visited, Goal, NextLevels),
    (   NextLevels == found
    ->  Levels = found
    ;   Levels = [Level|NextLevels]
    ).

step(forward, Edge, X, Y)  :- edge(Edge, X, Y).
step(backward, Edge, Y, X) :- edge(Edge, X, Y).

edge(_:none, _, _) :-
    !,
    fail.
edge(Edge, X, Y) :-
    call(Edge, X, Y).
