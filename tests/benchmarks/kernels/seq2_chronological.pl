:- module(etalis_kernel_seq2_chronological, [start/1, batch/6, loop/6]).

/** <module> As seq2, but each :q takes the earliest :p of its key, and uses it up

The option is the window in microseconds. Goals are in the order of their times, so the first is the earliest.
*/

:- include(first_step).

step(2, X, B, T, Window, [X,A,B,T0,T]) :-
    current(T, Window, Generation),
    (   Generation == a
    ->  ( take_b(X, T, Window, T0, A) ; take_a(X, T, Window, T0, A) )
    ;   ( take_a(X, T, Window, T0, A) ; take_b(X, T, Window, T0, A) )
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
