:- module(etalis_kernel_runs, [start/1, batch/6, loop/6]).

/** <module> Queries (5) and (6) of the EP-SPARQL paper: the runs of prices that each price begins, and the longest

At each price of a company all of its runs that are within the window become longer, each of which is an answer
(the triples with its count and sum), and a new run begins; then the longest run is a row. The option is
[Window, What]: microseconds, and `sum` for count and sum of the longest run (5), `average` for its mean (6).

All runs of a company are one fact, the oldest first.
*/

:- include(columns).

:- dynamic runs/2.

start([Window,What]) :-
    remember_option(Window-What),
    retractall(runs(_, _)).

step(1, X, Price, T, Window-What, Row) :-
    (   retract(runs(X, Old))
    ->  true
    ;   Old = []
    ),
    longer(Old, Price, T, Window, Runs),
    assertz(runs(X, Runs)),
    (   member(run(Start,Count,Sum), Runs),
        Row = [X,Count,X,Sum,Start,T]
    ;   Runs = [run(Start,Count,Sum)|_],
        longest(What, X, Count, Sum, Start, T, Row)
    ).

longest(sum, X, Count, Sum, Start, T, [X,Count,Sum,Start,T]).
longest(average, X, Count, Sum, Start, T, [X,Mean,Start,T]) :-
    Mean is Sum rdiv Count.

longer([], Price, T, _, [run(T,1,Price)]).
longer([run(Start,Count0,Sum0)|Old], Price, T, Window, Runs) :-
    (   T - Start < Window
    ->  Count is Count0 + 1,
        Sum is Sum0 + Price,
        Runs = [run(Start,Count,Sum)|Longer],
        longer(Old, Price, T, Window, Longer)
    ;   longer(Old, Price, T, Window, Runs)
    ).
