:- module(etalis_recall,
          [ open_recall/1,              % +Engine
            remember/6,                 % +Engine, +Terms, +Columns, +Taken, +Late, +Window
            recalled/6,                 % +Engine, ?Subject, ?Predicate, ?Object, ?Start, ?End
            recalled/8                  % +Engine, ?Subject, ?Predicate, ?Object, ?Start, ?End, ?Stream, ?Graph
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [member/2]).
:- use_module('../engine/places', [place/3]).
:- use_module('../engine/terms', [decode_terms/2]).

/** <module> Recent occurrences, for questions

Kept only where an engine is told to. As goals of a window are (goal_store.pl), they are kept in two generations:
when all of the older one are out of the window, or the newer one is full, the older one is emptied at once. So the
newest 50,000 to 100,000 are kept at most, whatever the window. The engine's module holds recalled_a/6,
recalled_b/6, whose last argument is the place (places.pl), and recall(Generation, Count, Until, Window): what is written into, how many, and when it turns.
*/

:- det((open_recall/1, remember/6)).

most(50_000).

%!  open_recall(+Engine) is det.
%
%   To be called before the first of the others.

open_recall(M) :-
    dynamic(M:[recall/4, recalled_a/6, recalled_b/6]).

%!  remember(+Engine, +Terms, +Columns, +Taken, +Late, +Window) is det.
%
%   Remember the first Taken rows of a batch as feed/6 gets it, without those whose numbers (from 0) are in
%   Late, for Window microseconds; `inf` is for ever.

remember(M, Encoded, [SubjectList,PredicateList,ObjectList,StartList,EndList,[PlaceList,Streams,Graphs]], Taken, Late, Window) :-
    decode_terms(Encoded, Decoded),
    compound_name_arguments(Terms, terms, Decoded),
    maplist(column, [SubjectList,PredicateList,ObjectList,EndList,PlaceList], [Ss,Ps,Os,Ends,Numbers]),
    functor(Terms, _, Before),
    maplist(place, Streams, Graphs, PlaceOf),
    column(PlaceOf, Places),
    (   StartList == []                 % all are points
    ->  Starts = Ends
    ;   column(StartList, Starts)
    ),
    ready(M, Window),
    forall(( between(1, Taken, Row), Number is Row - 1, \+ memberchk(Number, Late) ),
           ( arg(Row, Ss, S0), arg(S0, Terms, S),
             arg(Row, Ps, P0), arg(P0, Terms, P),
             arg(Row, Os, O0), arg(O0, Terms, O),
             arg(Row, Starts, Start),
             arg(Row, Ends, End),
             arg(Row, Numbers, Place0), Place1 is Place0 - Before, arg(Place1, Places, Place),
             remember_one(M, Window, S, P, O, Start, End, Place)
           )).

column(List, Column) :-
    compound_name_arguments(Column, column, List).

ready(M, Window) :-
    (   retract(M:recall(Generation, Count, Until, _))
    ->  true
    ;   Generation = a, Count = 0, Until = none
    ),
    assertz(M:recall(Generation, Count, Until, Window)).

%   The stream is a set of occurrences.

remember_one(M, _, S, P, O, Start, End, Place) :-
    kept(M, [a,b], S, P, O, Start, End, Place),
    !.
remember_one(M, Window, S, P, O, Start, End, Place) :-
    retract(M:recall(Generation0, Count0, Until0, _)),
    !,
    turned(M, Window, End, Generation0, Count0, Until0, Generation, Count1, Until),
    Count is Count1 + 1,
    assertz(M:recall(Generation, Count, Until, Window)),
    (   Generation == a
    ->  assertz(M:recalled_a(S, P, O, Start, End, Place))
    ;   assertz(M:recalled_b(S, P, O, Start, End, Place))
    ).

kept(M, Generations, S, P, O, Start, End, Place) :-
    member(Generation, Generations),
    (   Generation == a
    ->  M:recalled_a(S, P, O, Start, End, Place)
    ;   M:recalled_b(S, P, O, Start, End, Place)
    ).

turned(M, Window, End, Generation0, Count, Until, Generation, 0, NewUntil) :-
    (   most(Count)
    ->  true
    ;   integer(Until), End >= Until
    ),
    !,
    other(Generation0, Generation),
    (   Generation == a
    ->  retractall(M:recalled_a(_,_,_,_,_,_))
    ;   retractall(M:recalled_b(_,_,_,_,_,_))
    ),
    until(Window, End, NewUntil).
turned(_, Window, End, Generation, Count, none, Generation, Count, Until) :-
    !,
    until(Window, End, Until).
turned(_, _, _, Generation, Count, Until, Generation, Count, Until).

until(inf, _, none) :-
    !.
until(Window, End, Until) :-
    Until is End + Window.

other(a, b).
other(b, a).

%!  recalled(+Engine, ?Subject, ?Predicate, ?Object, ?Start, ?End) is nondet.
%
%   An occurrence within the window, older generation first; each once, in however many streams and elements it is.

recalled(M, S, P, O, Start, End) :-
    recalled_in(M, Generations, S, P, O, Start, End, Place),
    once(kept(M, Generations, S, P, O, Start, End, First)),
    First == Place.

%!  recalled(+Engine, ?Subject, ?Predicate, ?Object, ?Start, ?End, ?Stream, ?Graph) is nondet.
%
%   The same with its stream and the name of its element, '' for none; once for each of these.

recalled(M, S, P, O, Start, End, Stream, Graph) :-
    place(Stream, Graph, Place),
    recalled_in(M, _, S, P, O, Start, End, Place).

recalled_in(M, [Older,Newer], S, P, O, Start, End, Place) :-
    current_predicate(M:recall/4),
    M:recall(Newer, _, _, Window),
    (   Window == inf
    ->  Least = none
    ;   newest(M, Clock),
        Least is Clock - Window
    ),
    other(Newer, Older),
    kept(M, [Older,Newer], S, P, O, Start, End, Place),
    ( Least == none -> true ; End > Least ).

newest(M, Clock) :-
    M:clock(Clock0),
    integer(Clock0),
    !,
    Clock = Clock0.
newest(_, 0).
