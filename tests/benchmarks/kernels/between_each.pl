:- module(etalis_kernel_between_each, [start/1, batch/6, loop/6]).

/** <module> { ?x :p ?a } SEQ REPEAT { ?x :r ?v FILTER (?v > ?a) } SEQ { ?x :q ?b }, how many and their sum: a run each

An :r makes each run longer that it fits. No option.
*/

:- include(columns).

:- dynamic run/5.

start(Option) :-
    remember_option(Option),
    retractall(run(_, _, _, _, _)).

step(1, X, A, T, _, _) :-
    assertz(run(X, T, A, 0, 0)),
    fail.
step(2, X, B, T, _, [X,A,B,N,Sum,T0,T]) :-
    run(X, T0, A, N, Sum),
    N >= 1.
step(3, X, V, _, _, _) :-
    findall(run(X,T0,A,N0,Sum0), ( run(X, T0, A, N0, Sum0), V > A ), Runs),
    member(run(X,T0,A,N0,Sum0), Runs),
    retract(run(X, T0, A, N0, Sum0)),
    N is N0 + 1,
    Sum is Sum0 + V,
    assertz(run(X, T0, A, N, Sum)),
    fail.
