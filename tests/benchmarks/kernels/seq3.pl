:- module(etalis_kernel_seq3, [start/1, batch/6, loop/6]).

/** <module> { ?x :p ?a } SEQ { ?x :q ?y } SEQ { ?y :r ?c } within a window, all combinations

As seq2, with a second store whose goals are found by the key of the third step. The option is the window in
microseconds.
*/

:- include(columns).
:- include(generations).

:- dynamic goal_a/3, goal_b/3, pair_a/5, pair_b/5.

start(Window) :-
    remember_option(Window),
    forget_generations,
    turn(a),
    turn(b).

turn(a) :- retractall(goal_a(_,_,_)), retractall(pair_a(_,_,_,_,_)).
turn(b) :- retractall(goal_b(_,_,_)), retractall(pair_b(_,_,_,_,_)).

step(1, X, A, T, Window, _) :-
    current(T, Window, Generation),
    (   Generation == a
    ->  assertz(goal_a(X, T, A))
    ;   assertz(goal_b(X, T, A))
    ),
    fail.
step(2, X, Y, T, Window, _) :-
    current(T, Window, Generation),
    ( goal_a(X, T0, A) ; goal_b(X, T0, A) ),
    T0 < T,
    T - T0 < Window,
    (   Generation == a
    ->  assertz(pair_a(Y, T, T0, X, A))
    ;   assertz(pair_b(Y, T, T0, X, A))
    ),
    fail.
step(3, Y, C, T, Window, [X,A,Y,C,T0,T]) :-
    ( pair_a(Y, T1, T0, X, A) ; pair_b(Y, T1, T0, X, A) ),
    T1 < T,
    T - T0 < Window.
