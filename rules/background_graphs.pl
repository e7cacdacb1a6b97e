:- module(etalis_background_graphs,
          [ enter_graph/3,              % +Background, +Graph, -Tables
            enter_graph_predicate/4,    % +Background, +Graph, +Predicate, -Table
            graph_name/2,               % +Background, ?Graph
            graph_triple/5,             % +Background, ?Graph, ?Subject, ?Predicate, ?Object
            dataset_triple/5,           % +Background, +Graphs, ?Subject, ?Predicate, ?Object
            graph_node/3                % +Background, ?Graph, ?Node
          ]).
:- use_module(library(lists), [member/2]).

/** <module> The named graphs of a background

As with the default graph, each predicate of each graph has a Prolog predicate of its own, so that a lookup
within a graph costs nothing for what other graphs hold: '$graph'(Graph, Tables) names the graphs,
Tables(Predicate, Table) the predicates of one, Table(Subject, Object) holds the triples, and
'$graph_table'(Predicate, Graph, Table) finds the graphs that have a predicate.

The triples are as they stand in the files; nothing is entailed within a graph.
*/

:- det((enter_graph/3, enter_graph_predicate/4)).

%!  enter_graph(+Background, +Graph, -Tables) is det.
%
%   Make sure that there is a graph of this name, with or without triples.

enter_graph(M, Graph, Tables) :-
    M:'$graph'(Graph, Known),
    !,
    Tables = Known.
enter_graph(M, Graph, Tables) :-
    predicate_property(M:'$graph'(_, _), number_of_clauses(Number)),
    atom_concat('$graph ', Number, Tables),
    dynamic(M:Tables/2),
    assertz(M:'$graph'(Graph, Tables)).

%!  enter_graph_predicate(+Background, +Graph, +Predicate, -Table) is det.
%
%   Make sure that there is a table for the graph's triples with Predicate.

enter_graph_predicate(M, Graph, Predicate, Table) :-
    enter_graph(M, Graph, Tables),
    Known =.. [Tables, Predicate, KnownTable],
    (   M:Known
    ->  Table = KnownTable
    ;   atomic_list_concat([Tables, ' <', Predicate, >], Table),
        dynamic(M:Table/2),
        KnownTable = Table,
        assertz(M:Known),
        assertz(M:'$graph_table'(Predicate, Graph, Table))
    ).

%!  graph_name(+Background, ?Graph) is nondet.
%
%   There is a graph of this name, maybe an empty one; each once, semidet if Graph is bound.

graph_name(M, Graph) :-
    M:'$graph'(Graph, _).

%!  graph_triple(+Background, ?Graph, ?Subject, ?Predicate, ?Object) is nondet.
%
%   A triple that a named graph holds, without entailment, each once.

graph_triple(M, Graph, S, P, O) :-
    graph_table(M, Graph, P, Table),
    call(M:Table, S, O).

graph_table(M, Graph, P, Table) :-
    var(Graph),
    !,
    M:'$graph_table'(P, Graph, Table).
graph_table(M, Graph, P, Table) :-
    M:'$graph'(Graph, Tables),
    call(M:Tables, P, Table).

%!  dataset_triple(+Background, +Graphs, ?Subject, ?Predicate, ?Object) is nondet.
%
%   A triple of the merge of the named graphs in a list, each once. A name that no graph has stands for an empty
%   graph.

dataset_triple(M, [Graph|Graphs], S, P, O) :-
    dataset_triple(Graphs, Graph, [], M, S, P, O).

dataset_triple([], Graph, Before, M, S, P, O) :-
    !,
    new_triple(Graph, Before, M, S, P, O).
dataset_triple(_, Graph, Before, M, S, P, O) :-
    new_triple(Graph, Before, M, S, P, O).
dataset_triple([Next|Graphs], Graph, Before, M, S, P, O) :-
    dataset_triple(Graphs, Next, [Graph|Before], M, S, P, O).

new_triple(Graph, Before, M, S, P, O) :-
    graph_triple(M, Graph, S, P, O),
    \+ ( member(Earlier, Before), graph_triple(M, Earlier, S, P, O) ).

%!  graph_node(+Background, ?Graph, ?Node) is nondet.
%
%   Node is the subject or object of a triple of a named graph; each (Graph, Node) once.

graph_node(M, Graph, Node) :-
    M:'$graph'(Graph, Tables),
    table_node(M, Tables, Node).

table_node(M, Tables, Node) :-
    nonvar(Node),
    !,
    \+ \+ ( call(M:Tables, _, Table), ( call(M:Table, Node, _) ; call(M:Table, _, Node) ) ).
table_node(M, Tables, Node) :-
    findall(Each,
            ( call(M:Tables, _, Table), call(M:Table, S, O), member(Each, [S,O]) ),
            All),
    sort(All, Nodes),
    member(Node, Nodes).
