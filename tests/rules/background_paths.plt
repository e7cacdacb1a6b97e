:- module(test_background_paths, []).
:- use_module('../../rules/background/background_paths').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(lists), [member/2, memberchk/2]).
:- use_module(library(ordsets), [ord_union/3]).
:- use_module(library(plunit)).
:- use_module(library(random), [random_between/3]).

%   a -> b -> c -> b, c -> d, and an edge twice; e is a node without edges of this kind.

edge(a, b).     edge(b, c).     edge(c, b).     edge(c, d).     edge(a, b).

node(N) :- member(N, [a,b,c,d,e]).

node_unasked(_) :- throw(asked_for_nodes).

pairs(Repeat, Zero, Node, X, Y, Pairs) :-
    findall(X-Y, background_path(test_background_paths:edge, Node, Repeat, Zero, X, Y), Pairs).

%   A chain 0 -> 1 -> 2 ... with a graph beside it that no search may touch.

endless(X, Y) :-
    (   integer(X)
    ->  X < 1000, Y is X + 1
    ;   integer(Y)
    ->  Y > 0, X is Y - 1
    ;   throw(looked_elsewhere(X, Y))
    ).

%   Random graphs: all pairs there are, by growing the set of pairs until nothing is new.

in_graph(Graph, X, Y) :- member(X-Y, Graph).

random_graph(Seed, Graph) :-
    set_random(seed(Seed)),
    Nodes is 2 + Seed mod 5,
    random_between(0, 9, Count),
    findall(X-Y, ( between(1, Count, _), random_between(1, Nodes, X), random_between(1, Nodes, Y) ), Graph).

closure(Pairs0, Graph, Pairs) :-
    findall(X-Z, ( member(X-Y, Pairs0), member(Y-Z, Graph) ), Longer0),
    sort(Longer0, Longer),
    ord_union(Pairs0, Longer, Pairs1),
    (   Pairs1 == Pairs0
    ->  Pairs = Pairs0
    ;   closure(Pairs1, Graph, Pairs)
    ).

:- begin_tests(background_paths).

test(from, Pairs == [a-b,a-c,a-d]) :-
    pairs(many, false, node_unasked, a, _, Pairs).
test(to, Pairs == [a-b,c-b,b-b]) :-
    pairs(many, false, node_unasked, _, b, Pairs).
test(to_another, all(X == [c,b,a])) :-
    background_path(edge, node_unasked, many, false, X, d).
test(both, true) :-
    background_path(edge, node_unasked, many, false, a, d).
test(both_there_and_back, true) :-
    background_path(edge, node_unasked, many, false, b, b).
test(both_in_vain, fail) :-
    background_path(edge, node_unasked, many, false, a, a).
test(both_in_vain_without_edges, fail) :-
    background_path(edge, node_unasked, many, false, d, a).
test(both_zero, true) :-
    background_path(edge, node_unasked, many, true, new, new).
test(both_zero_and_more, true) :-
    background_path(edge, node_unasked, many, true, a, d).
test(free, Pairs == [a-b,a-c,a-d,b-b,b-c,b-d,c-b,c-c,c-d]) :-
    pairs(many, false, node_unasked, _, _, Pairs0),
    msort(Pairs0, Pairs).
test(free_zero, Pairs == [a-a,a-b,a-c,a-d,b-b,b-c,b-d,c-b,c-c,c-d,d-d,e-e]) :-
    pairs(many, true, node, _, _, Pairs0),
    msort(Pairs0, Pairs).
test(one_variable, Pairs == [b-b,c-c]) :-
    pairs(many, false, node_unasked, X, X, Pairs).
test(one_variable_zero, Pairs == [a-a,b-b,c-c,d-d,e-e]) :-
    pairs(many, true, node, X, X, Pairs).
test(zero_from, Pairs == [b-b,b-c,b-d]) :-
    pairs(many, true, node_unasked, b, _, Pairs0),
    msort(Pairs0, Pairs).
test(zero_to_a_term_of_no_graph, Pairs == ["x"@en-"x"@en]) :-
    pairs(many, true, node_unasked, _, "x"@en, Pairs).
test(one_edge_from, Pairs == [a-b]) :-
    pairs(once, false, node_unasked, a, _, Pairs).
test(one_edge_to, Pairs == [a-b,c-b]) :-
    pairs(once, false, node_unasked, _, b, Pairs).
test(one_edge_both, true) :-
    background_path(edge, node_unasked, once, false, a, b).
test(one_edge_in_vain, fail) :-
    background_path(edge, node_unasked, once, false, a, c).
test(one_edge_free, Pairs == [a-b,b-c,c-b,c-d]) :-
    pairs(once, false, node_unasked, _, _, Pairs).
test(zero_or_one_edge_free, Pairs == [a-a,a-b,b-b,b-c,c-b,c-c,c-d,d-d,e-e]) :-
    pairs(once, true, node, _, _, Pairs0),
    msort(Pairs0, Pairs).
test(zero_or_one_edge_to, Pairs == [b-b,a-b,c-b]) :-
    pairs(once, true, node_unasked, _, b, Pairs).
test(no_edges, [true(Found == [])]) :-
    findall(Y, background_path([_,_]>>fail, node_unasked, many, false, a, Y), Found).
test(works_from_the_bound_end_only, N-M == 990-10) :-
    findall(Y, background_path(endless, node_unasked, many, false, 10, Y), Ys),
    findall(X, background_path(endless, node_unasked, many, false, X, 10), Xs),
    length(Ys, N), length(Xs, M).
test(stops_at_the_goal, true(Inferences < 1000)) :-
    statistics(inferences, Inferences0),
    background_path(endless, node_unasked, many, false, 0, 5),
    statistics(inferences, Inferences1),
    Inferences is Inferences1 - Inferences0.

test(all_pairs_of_random_graphs, [forall(between(1, 200, Seed)), true(Ways == [Pairs,Pairs,Pairs,Pairs])]) :-
    random_graph(Seed, Graph),
    sort(Graph, Set),
    closure(Set, Graph, Pairs),
    Edge = test_background_paths:in_graph(Graph),
    findall(Found,
            (   member(Free, [none,x,y,both]),
                findall(X-Y,
                        (   ( memberchk(Free, [none,y]) -> between(1, 6, X) ; true ),
                            ( memberchk(Free, [none,x]) -> between(1, 6, Y) ; true ),
                            background_path(Edge, node_unasked, many, false, X, Y)
                        ),
                        All),
                msort(All, Found)
            ),
            Ways).

:- end_tests(background_paths).
