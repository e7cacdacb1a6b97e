:- module(etalis_kernel_seq2, [start/1, batch/6, loop/6]).

/** <module> { ?x :p ?a } SEQ { ?x :q ?b } within a window, all pairs

Assert a goal for each :p, look goals up by key for each :q, and forget them in two generations. The option is
the window in microseconds.
*/

:- include(first_step).

step(2, X, B, T, Window, [X,A,B,T0,T]) :-
    ( goal_a(X, T0, A) ; goal_b(X, T0, A) ),
    T0 < T,
    T - T0 < Window.
