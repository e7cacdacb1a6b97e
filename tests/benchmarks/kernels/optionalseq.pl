:- module(etalis_kernel_optionalseq, [start/1, batch/6, loop/6]).

/** <module> { ?x :p ?a } OPTIONALSEQ { ?x :q ?b }, the :p no older than a window: all pairs, else the :q alone

The option is the window in microseconds.
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
step(2, X, B, T, Window, [X,A,B,Start,T]) :-
    (   ( goal_a(X, T0, A) ; goal_b(X, T0, A) ),
        T0 < T,
        T - T0 < Window
    *-> Start = T0
    ;   Start = T,
        py_none(A)
    ).

py_none(@(none)).
