:- module(etalis_kernel_union, [start/1, batch/6, loop/6]).

/** <module> { { ?x :p ?a } UNION { ?x :r ?a } } SEQ { ?x :q ?b } within a window, all pairs

One store serves both sides of the union. The option is the window in microseconds; the predicates are p, q, r.
*/

:- include(first_goals).

step(1, X, A, T, Window, _) :-
    first(X, A, T, Window).
step(3, X, A, T, Window, _) :-
    first(X, A, T, Window).
step(2, X, B, T, Window, [X,A,B,T0,T]) :-
    ( goal_a(X, T0, A) ; goal_b(X, T0, A) ),
    T0 < T,
    T - T0 < Window.

first(X, A, T, Window) :-
    current(T, Window, Generation),
    (   Generation == a
    ->  assertz(goal_a(X, T, A))
    ;   assertz(goal_b(X, T, A))
    ),
    fail.
