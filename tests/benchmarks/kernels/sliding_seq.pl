:- module(etalis_kernel_sliding_seq, [start/1, batch/6, loop/6]).

/** <module> Sum of ?b over the newest so many matches of { ?x :p ?a } SEQ { ?x :q ?b }, at each match

The SEQ of seq2, then a queue of numbered values (as in sliding). The option is [Window, Rows]: the window of the
SEQ in microseconds, and how many matches are summed.
*/

:- include(columns).
:- include(generations).

:- dynamic goal_a/3, goal_b/3, value/2.

start([Window,Rows]) :-
    remember_option(Window-Rows),
    forget_generations,
    turn(a),
    turn(b),
    retractall(value(_, _)),
    nb_setval(etalis_kernel_sliding_seq, state(0, 0)).

turn(a) :- retractall(goal_a(_,_,_)).
turn(b) :- retractall(goal_b(_,_,_)).

step(1, X, A, T, Window-_, _) :-
    current(T, Window, Generation),
    (   Generation == a
    ->  assertz(goal_a(X, T, A))
    ;   assertz(goal_b(X, T, A))
    ),
    fail.
step(2, X, B, T, Window-Rows, [Sum,T,T]) :-
    ( goal_a(X, T0, _) ; goal_b(X, T0, _) ),
    T0 < T,
    T - T0 < Window,
    nb_getval(etalis_kernel_sliding_seq, State),
    State = state(Number, Sum0),
    assertz(value(Number, B)),
    (   Old is Number - Rows,
        Old >= 0
    ->  retract(value(Old, Gone)),
        Sum is Sum0 - Gone + B
    ;   Sum is Sum0 + B
    ),
    Next is Number + 1,
    nb_setarg(1, State, Next),
    nb_setarg(2, State, Sum).
