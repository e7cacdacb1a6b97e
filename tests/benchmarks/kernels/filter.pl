:- module(etalis_kernel_filter, [start/1, batch/6, loop/6]).

/** <module> As seq2, with FILTER(?b * 10 > ?a * 11 && ?a + ?b < 1500)

The option is the window in microseconds.
*/

:- include(first_step).

step(2, X, B, T, Window, [X,A,B,T0,T]) :-
    ( goal_a(X, T0, A) ; goal_b(X, T0, A) ),
    T0 < T,
    T - T0 < Window,
    B * 10 > A * 11,
    A + B < 1500.
