:- module(etalis_kernel_absence, [start/1, batch/6, loop/6]).

/** <module> { ?x :p ?a } SEQ NOT { ?x :q ?b } FOR d

Deadlines come in the order of the :p, so a queue has them: places from a head to a tail. A :q takes its goal away, and
a deadline that time has passed gives what is still there. The option is d in microseconds.
*/

:- include(columns).

:- dynamic goal/3, due/3, head/1, tail/1.

start(Option) :-
    remember_option(Option),
    retractall(goal(_, _, _)),
    retractall(due(_, _, _)),
    retractall(head(_)),
    retractall(tail(_)),
    assertz(head(0)),
    assertz(tail(0)).

step(_, _, _, T, Length, [X,A,T0,Due]) :-
    passed(T, Length, X, T0),
    retract(goal(X, T0, A)),
    Due is T0 + Length.
step(1, X, A, T, _, _) :-
    assertz(goal(X, T, A)),
    retract(tail(Place)),
    Next is Place + 1,
    assertz(tail(Next)),
    assertz(due(Place, X, T)),
    fail.
step(2, X, _, T, _, _) :-
    goal(X, T0, A),
    T0 < T,
    retract(goal(X, T0, A)),
    fail.

%   Those whose deadline is before T, one after the other.

passed(T, Length, X, T0) :-
    head(Place),
    due(Place, X1, T1),
    T1 + Length < T,
    retract(due(Place, _, _)),
    retract(head(_)),
    Next is Place + 1,
    assertz(head(Next)),
    (   X = X1,
        T0 = T1
    ;   passed(T, Length, X, T0)
    ).
