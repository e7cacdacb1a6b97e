:- module(etalis_kernel_seq2_recent, [start/1, batch/6, loop/6]).

/** <module> As seq2, but each :q takes the latest :p of its key, and uses it up

The option is the window in microseconds. New goals go in front, so the first is the latest.
*/

:- include(first_goals).

step(1, X, A, T, Window, _) :-
    current(T, Window, Generation),
    (   Generation == a
    ->  asserta(goal_a(X, T, A))
    ;   asserta(goal_b(X, T, A))
    ),
    fail.
step(2, X, B, T, Window, [X,A,B,T0,T]) :-
    current(T, Window, Generation),
    (   Generation == a
    ->  ( take_a(X, T, Window, T0, A) ; take_b(X, T, Window, T0, A) )
    ;   ( take_b(X, T, Window, T0, A) ; take_a(X, T, Window, T0, A) )
    ),
    !.

take_a(X, T, Window, T0, A) :-
    goal_a(X, T0, A),
    T - T0 < Window,
    !,
    retract(goal_a(X, T0, A)),
    !.

take_b(X, T, Window, T0, A) :-
    goal_b(X, T0, A),
    T - T0 < Window,
    !,
    retract(goal_b(X, T0, A)),
    !.
