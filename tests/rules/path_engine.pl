:- module(test_path_engine,
          [ in_engine/1, walked/5, last_of/4, path_chain/3, few_tuples/5, dearest/4, cpu_time/4
          ]).
:- use_module('../../rules/operators/paths').
:- use_module(library(aggregate), [aggregate_all/3]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [last/2, member/2]).

:- meta_predicate in_engine(1).

%   What the tests of paths have in common: a module as an engine's is, and the solutions for edges
%   e(From,To,Start,End), one after the other. Timeless edges are a list of X-Y.

in_engine(Goal) :-
    M = path_engine,
    setup_call_cleanup(
        set_module(M:class(temporary)),
        call(Goal, M),
        '$destroy_module'(M)).

walked(Timeless, Edges, Window, Repeat, Found) :-
    in_engine(walk(Timeless, Edges, Window, Repeat, Found)).

last_of(Edges, Window, Repeat, Found) :-
    walked([], Edges, Window, Repeat, All),
    last(All, Found).

walk(Timeless, Edges, Window, Repeat, Found, M) :-
    declare_path(M:path, Window),
    maplist(arrive(M, Repeat, Timeless), Edges, Found).

arrive(M, Repeat, Timeless, e(From,To,Start,End), Solutions) :-
    (   Timeless == []
    ->  Edge = none
    ;   Edge = test_path_engine:edge(Timeless)
    ),
    findall(s(X,Y,S,End), path_solution(M:path, Repeat, Edge, From, To, Start, End, X, Y, S), All),
    msort(All, Solutions).

edge(Timeless, X, Y) :-
    member(X-Y, Timeless).

path_chain(Length, Count, M) :-
    declare_path(M:path, none),
    aggregate_all(count, chain(M, 0, Length), Count).

chain(M, From, Length) :-
    To is From + 1,
    path_solution(M:path, many, none, From, To, 7, 7, X, Y, _),
    (   true
    ;   X == From, Y == To, To < Length,
        chain(M, To, Length)
    ).

few_tuples(Timeless, Edges, Window, Most, M) :-
    walk(Timeless, Edges, Window, many, _, M),
    aggregate_all(count,
                  ( member(Store, [path_a,path_b]), functor(Head, Store, 4), call(M:Head) ),
                  Count),
    Count < Most.

%   The most inferences that one of the later edges takes.

dearest(Before, Edges, Most, M) :-
    walk([], Before, none, many, _, M),
    findall(Count,
            (   member(Edge, Edges),
                statistics(inferences, Count0),
                arrive(M, many, [], Edge, _),
                statistics(inferences, Count1),
                Count is Count1 - Count0
            ),
            Counts),
    aggregate_all(max(Count), member(Count, Counts), Most).

cpu_time(Before, Edges, Seconds, M) :-
    walk([], Before, none, many, _, M),
    statistics(cputime, Before0),
    maplist(arrive(M, many, []), Edges, _),
    statistics(cputime, After0),
    Seconds is After0 - Before0.
