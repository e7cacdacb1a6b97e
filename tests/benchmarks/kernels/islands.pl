:- module(etalis_kernel_islands, [start/1, batch/6, loop/6]).

/** <module> REPEAT 2 TO * STRICT LONGEST PER ?x { ?x :p ?v FILTER (?v > PREV(?v, 0)) }: runs that rise

One fact a key: where the run began, its length, the first and the last value. What does not rise ends a run and
begins the next; any :q about the key ends it, too. No option.
*/

:- include(columns).

:- dynamic run/5.

start(Option) :-
    remember_option(Option),
    retractall(run(_, _, _, _, _)).

step(1, X, V, T, _, Row) :-
    (   retract(run(X, Start, N, First, Last))
    ->  (   V > Last
        ->  N1 is N + 1,
            assertz(run(X, Start, N1, First, V)),
            fail
        ;   assertz(run(X, T, 1, V, V)),
            N >= 2,
            Row = [X,N,First,Last,Start,T]
        )
    ;   assertz(run(X, T, 1, V, V)),
        fail
    ).
step(2, X, _, T, _, [X,N,First,Last,Start,T]) :-
    retract(run(X, Start, N, First, Last)),
    N >= 2.
