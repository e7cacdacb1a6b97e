:- module(etalis_kernel_rare_last, [start/1, batch/6, loop/6]).

/** <module> { ?x :p ?a } SEQ { ?x :q ?b } SEQ { ?x :r ?c } within a window, from the right

First and second steps are kept by their key; a third one pairs the second ones with the first ones. The
option is the window in microseconds.
*/

:- include(columns).
:- include(generations).

:- dynamic first_a/3, first_b/3, second_a/3, second_b/3.

start(Window) :-
    remember_option(Window),
    forget_generations,
    turn(a),
    turn(b).

turn(a) :- retractall(first_a(_,_,_)), retractall(second_a(_,_,_)).
turn(b) :- retractall(first_b(_,_,_)), retractall(second_b(_,_,_)).

step(1, X, A, T, Window, _) :-
    current(T, Window, Generation),
    (   Generation == a
    ->  assertz(first_a(X, T, A))
    ;   assertz(first_b(X, T, A))
    ),
    fail.
step(2, X, B, T, Window, _) :-
    current(T, Window, Generation),
    (   Generation == a
    ->  assertz(second_a(X, T, B))
    ;   assertz(second_b(X, T, B))
    ),
    fail.
step(3, X, C, T, Window, [X,A,B,C,T0,T]) :-
    ( second_a(X, T1, B) ; second_b(X, T1, B) ),
    T1 < T,
    T - T1 < Window,
    ( first_a(X, T0, A) ; first_b(X, T0, A) ),
    T0 < T1,
    T - T0 < Window.
