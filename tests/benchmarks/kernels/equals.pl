:- module(etalis_kernel_equals, [start/1, batch/6, loop/6]).

/** <module> { ?x :p ?a } EQUALS { ?x :q ?b } of point events, all pairs

Both sides are kept for one instant.
*/

:- include(columns).

:- dynamic now/1, left/2, right/2.

start(Option) :-
    remember_option(Option),
    retractall(now(_)),
    assertz(now(-1)),
    clear.

clear :- retractall(left(_,_)), retractall(right(_,_)).

at(T) :-
    now(T),
    !.
at(T) :-
    retractall(now(_)),
    assertz(now(T)),
    clear.

step(1, X, A, T, _, [X,A,B,T,T]) :-
    at(T),
    assertz(left(X, A)),
    right(X, B).
step(2, X, B, T, _, [X,A,B,T,T]) :-
    at(T),
    assertz(right(X, B)),
    left(X, A).
