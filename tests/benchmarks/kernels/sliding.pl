:- module(etalis_kernel_sliding, [start/1, batch/6, loop/6]).

/** <module> Sum, count and mean of the values of the last so many microseconds, at each event

Values are numbered, so that the oldest is found by its number: a fact that has been retracted is passed over until
Prolog collects it, and a queue read from its front would meet all of these. What is kept of the values is
state(Oldest, Next, Sum): two numbers and a sum. The option is the window in microseconds.
*/

:- include(columns).

:- dynamic value/3.

start(Window) :-
    remember_option(Window),
    retractall(value(_, _, _)),
    nb_setval(etalis_kernel_sliding, state(0, 0, 0)).

step(1, _, A, T, Window, [Sum,Count,Mean,T,T]) :-
    nb_getval(etalis_kernel_sliding, State),
    State = state(Oldest0, Number, Sum0),
    assertz(value(Number, T, A)),
    Next is Number + 1,
    Sum1 is Sum0 + A,
    Limit is T - Window,
    leave(Oldest0, Limit, Sum1, Oldest, Sum),
    nb_setarg(1, State, Oldest),
    nb_setarg(2, State, Next),
    nb_setarg(3, State, Sum),
    Count is Next - Oldest,
    Mean is Sum rdiv Count.

leave(Oldest0, Limit, Sum0, Oldest, Sum) :-
    value(Oldest0, T, A),
    T =< Limit,
    !,
    retract(value(Oldest0, _, _)),
    Oldest1 is Oldest0 + 1,
    Sum1 is Sum0 - A,
    leave(Oldest1, Limit, Sum1, Oldest, Sum).
leave(Oldest, _, Sum, Oldest, Sum).
