:- module(etalis_newest_elements,
          [ surplus/3                   % +Newest, +Rows, -Surplus
          ]).
:- use_module(library(apply), [maplist/3]).

/** <module> Windows that hold the elements, or the triples, that ended last

Of those that ended at one instant the ones that started later are newer; then the order of terms decides.
*/

:- det(surplus/3).

%!  surplus(+Newest, +Rows, -Surplus) is det.
%
%   Rows are row(Element, Column...), Element being what element_identity/5 (places.pl) makes. Newest is elements(Count) or
%   triples(Count): Surplus are the rows that do not belong to the Count newest elements, or are not among the Count newest rows.

surplus(Newest, Rows, Surplus) :-
    maplist(keyed, Rows, Keyed),
    sort(0, @>=, Keyed, Sorted),
    behind(Sorted, Newest, Surplus).

keyed(Row, keyed(End,Start,Graph,Element,Row)) :-
    arg(1, Row, Element),
    atomic_list_concat([_,Graph,StartText,EndText], ' ', Element),
    atom_number(StartText, Start),
    atom_number(EndText, End).

behind([], _, Rows) =>
    Rows = [].
behind([keyed(_,_,_,_,Row)|Sorted], Newest, Rows), arg(1, Newest, 0) =>
    Rows = [Row|More],
    behind(Sorted, Newest, More).
behind([_|Sorted], triples(Count), Rows) =>
    Left is Count - 1,
    behind(Sorted, triples(Left), Rows).
behind([keyed(_,_,_,Element,_)|Sorted], elements(Count), Rows) =>
    Left is Count - 1,
    without(Sorted, Element, Others),
    behind(Others, elements(Left), Rows).

without([keyed(_,_,_,Element0,_)|Sorted], Element, Others), Element0 == Element =>
    without(Sorted, Element, Others).
without(Sorted, _, Others) =>
    Others = Sorted.
