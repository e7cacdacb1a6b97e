:- module(etalis_background_graphs,
          [ enter_graph/3,              % +Background, +Graph, -Tables
            enter_graph_predicate/4,    % +Background, +Graph, +Predicate, -Table
            merge_graphs_anew/1,        % +Background
            graph_name/2,               % +Background, ?Graph
            has_graphs/1,               % +Background
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

:- det((enter_graph/3, enter_graph_predicate/4, merge_graphs_anew/1)).

%!  enter_graph(+Background, +Graph, -Tables) is det.
%
%   Make sure that there is a graph of this name, with or without triples.

enter_graph(M, Graph, Tables) :-
    M:'$graph'(Graph, Known),
    !,
    Tables = Known.
enter_graph(M, Graph, Tables) :-
    (   retract(M:'$graph_count'(Before))
    ->  Number is Before + 1
    ;   Number = 1
    ),
    assertz(M:'$graph_count'(Number)),
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

%!  has_graphs(+Background) is semidet.
%
%   There is a named graph.

has_graphs(M) :-
    graph_name(M, _),
    !.

%!  graph_triple(+Background, ?Graph, ?Subject, ?Predicate, ?Object) is nondet.
%
%   A triple that a named graph holds, without entailment, each once.

graph_triple(M, Graph, S, P, O) :-
    nonvar(Graph),
    !,
    M:'$graph'(Graph, Tables),
    call(M:Tables, P, Table),
    call(M:Table, S, O).
graph_triple(M, Graph, S, P, O) :-
    ( nonvar(S) ; nonvar(O) ),
    many_graphs(M),
    !,
    merged_table(M, P, Table),
    call(M:Table, S, O, Graph).
graph_triple(M, Graph, S, P, O) :-
    M:'$graph_table'(P, Graph, Table),
    call(M:Table, S, O).

%   Where there are many graphs, a triple is not looked for in one after the other: when such a question is asked
%   for the first time, the triples with a predicate are put into one table, Table(Subject, Object, Graph); if the
%   predicate is not given, those of all. '$merged'(P, Table) and '$all_merged' remember this.

many_graphs(M) :-
    M:'$entailment'(_),                 % all triples are in
    M:'$graph_count'(Count),
    Count > 20.

merged_table(M, P, Table) :-
    nonvar(P),
    !,
    (   M:'$merged'(P, Known)
    ->  Table = Known
    ;   merge_graphs(M, P, Table)
    ).
merged_table(M, P, Table) :-
    (   M:'$all_merged'
    ->  true
    ;   findall(Each, M:'$graph_table'(Each, _, _), All),
        sort(All, Predicates),
        forall(member(Each, Predicates), merged_table(M, Each, _)),
        assertz(M:'$all_merged')
    ),
    M:'$merged'(P, Table).

merge_graphs(M, P, Merged) :-
    \+ \+ M:'$graph_table'(P, _, _),
    atomic_list_concat(['$graphs <', P, >], Merged),
    dynamic(M:Merged/3),
    forall(( M:'$graph_table'(P, Graph, Table), call(M:Table, S, O) ),
           ( Fact =.. [Merged,S,O,Graph], assertz(M:Fact) )),
    assertz(M:'$merged'(P, Merged)).

%!  merge_graphs_anew(+Background) is det.
%
%   Forget what was put together of several graphs, since triples may have been added.

merge_graphs_anew(M) :-
    forall(M:'$merged'(_, Merged),
           ( functor(Head, Merged, 3), retractall(M:Head) )),
    retractall(M:'$merged'(_, _)),
    retractall(M:'$all_merged').

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
