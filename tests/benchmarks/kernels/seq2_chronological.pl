:- module(etalis_kernel_seq2_chronological, [start/1, batch/6, loop/6]).

/** <module> As seq2, but each :q takes the earliest :p of its key, and uses it up

The option is the window in microseconds. Goals are in the order of their times, so the first is the earliest.
*/

:- include(columns).
:- include(generations).

:- dynamic goal_a/3, goal_b/3.

start(Window) :-
    remember_option(Window),
    forget_generations,
    turn(a),
    turn(b).

turn(a) :- retractall(goal_a(_,_,_)).
turn(b) :- retractall(goal_b(_,_,_)).

step(1, X, A, T, Window, _) :-
    current(T, Window, Generation),
    (   Generation == a
    ->  assertz(goal_a(X, T, A))
    ;   assertz(goal_b(X, T, A))
    ),
    fail.
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
