:- module(etalis_kernel_taxonomy, [start/1, batch/6, loop/6]).

/** <module> { ?x a :Root }: is the class of the event one of those below the root?

The option is the list of these classes; whoever knows them beforehand needs no reasoning.
*/

:- include(columns).

:- dynamic below/1.

start(Classes) :-
    remember_option(none),
    retractall(below(_)),
    forall(member(Class, Classes), assertz(below(Class))).

step(1, X, Class, T, _, [X,T,T]) :-
    below(Class).
