:- module(etalis_kernel_optionalseq, [start/1, batch/6, loop/6]).

/** <module> { ?x :p ?a } OPTIONALSEQ { ?x :q ?b }, the :p no older than a window: all pairs, else the :q alone

The option is the window in microseconds.
*/

:- include(first_step).

step(2, X, B, T, Window, [X,A,B,Start,T]) :-
    (   ( goal_a(X, T0, A) ; goal_b(X, T0, A) ),
        T0 < T,
        T - T0 < Window
    *-> Start = T0
    ;   Start = T,
        py_none(A)
    ).

py_none(@(none)).
