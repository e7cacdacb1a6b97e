:- module(etalis_kernel_sliding, [start/1, batch/6, loop/6]).

/** <module> Sum, count and mean of the values of the last so many microseconds, at each event

Values leave from the old end of a queue, and what is kept of them are their sum and their number.
The option is the window in microseconds.
*/

:- include(columns).

:- dynamic value/2.

start(Window) :-
    remember_option(Window),
    retractall(value(_, _)),
    nb_setval(etalis_kernel_sliding, sums(0, 0)).

step(1, _, A, T, Window, [Sum,Count,Mean,T,T]) :-
    assertz(value(T, A)),
    nb_getval(etalis_kernel_sliding, sums(Sum0, Count0)),
    Oldest is T - Window,
    leave(Oldest, Sum0, Count0, Sum1, Count1),
    Sum is Sum1 + A,
    Count is Count1 + 1,
    nb_setval(etalis_kernel_sliding, sums(Sum, Count)),
    Mean is Sum rdiv Count.

leave(Oldest, Sum0, Count0, Sum, Count) :-
    (   value(T, _),
        !,
        T =< Oldest
    ->  retract(value(T, A)),
        !,
        Sum1 is Sum0 - A,
        Count1 is Count0 - 1,
        leave(Oldest, Sum1, Count1, Sum, Count)
    ;   Sum = Sum0, Count = Count0
    ).
