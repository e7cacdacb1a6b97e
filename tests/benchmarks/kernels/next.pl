:- module(etalis_kernel_next, [start/1, batch/6, loop/6]).

/** <module> { ?x :p ?a } SEQ NEXT { ?x :q ?b }

Assert a goal for each :p; the :q that follows takes away all that wait for it. No option.
*/

:- include(columns).

:- dynamic goal/3.

start(Option) :-
    remember_option(Option),
    retractall(goal(_, _, _)).

step(1, X, A, T, _, _) :-
    assertz(goal(X, T, A)),
    fail.
step(2, X, B, T, _, [X,A,B,T0,T]) :-
    retract(goal(X, T0, A)).
