:- module(etalis_kernel_between_shared, [start/1, batch/6, loop/6]).

/** <module> { ?x :p ?a } SEQ REPEAT { ?x :r ?v } SEQ { ?x :q ?b }, how many and their sum: one total a key

A :p keeps what the total of its key was when it came, so an :r is one update however many :p are open. No option.
*/

:- include(columns).

:- dynamic total/3, open/5.

start(Option) :-
    remember_option(Option),
    retractall(total(_, _, _)),
    retractall(open(_, _, _, _, _)).

step(1, X, A, T, _, _) :-
    (   total(X, N, Sum)
    ->  true
    ;   N = 0,
        Sum = 0,
        assertz(total(X, N, Sum))
    ),
    assertz(open(X, T, A, N, Sum)),
    fail.
step(2, X, B, T, _, [X,A,B,N,Sum,T0,T]) :-
    total(X, AllN, AllSum),
    open(X, T0, A, N0, Sum0),
    N is AllN - N0,
    N >= 1,
    Sum is AllSum - Sum0.
step(3, X, V, _, _, _) :-
    retract(total(X, N0, Sum0)),
    N is N0 + 1,
    Sum is Sum0 + V,
    assertz(total(X, N, Sum)),
    fail.
