% Included by kernels with a window: current(+Time, +Window, -Generation) tells which of two generations, a and b,
% a goal is written into. When a window has gone by, the older one is emptied by the kernel's turn/1.

:- dynamic generation/2.

forget_generations :-
    retractall(generation(_, _)),
    assertz(generation(a, 0)).

current(T, Window, Generation) :-
    generation(Current, Until),
    (   T < Until
    ->  Generation = Current
    ;   retractall(generation(_, _)),
        ( Current == a -> Generation = b ; Generation = a ),
        turn(Generation),
        Next is T + Window,
        assertz(generation(Generation, Next))
    ).
