:- module(etalis_newest_elements,
          [ among_newest/4,                   % +Most, +New, -Kept, -Come
            whole_steps/5                     % +Step, +Came, -Whole, -Over, -Count
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [append/3, reverse/2]).

/** <module> Windows that hold the elements that ended last: each triple may be one by itself

Of those that ended at one instant the ones that started later are newer; then the order of terms decides.
*/

:- det((among_newest/4, whole_steps/5)).

%!  among_newest(+Most, +New, -Kept, -Come) is det.
%
%   New are rows row(Element, Column...) that came into a window, Element being what element_identity/4 (places.pl) makes.
%   Kept are those of the newest elements, Most at most, the oldest first; Come is how many elements these are.

among_newest(Most, New, Kept, Come) :-
    newest_first(New, Sorted),
    taken(Sorted, Most, Rows, Left),
    reverse(Rows, Kept),
    Come is Most - Left.

newest_first(Rows, Sorted) :-
    maplist(keyed, Rows, Keyed),
    sort(0, @>=, Keyed, Sorted).

keyed(Row, keyed(End,Start,Graph,Element,Row)) :-
    arg(1, Row, Element),
    ( Element = triple(Of, _) -> true ; Of = Element ),
    atomic_list_concat([_,Graph,StartText,EndText], ' ', Of),
    atom_number(StartText, Start),
    atom_number(EndText, End).

%   taken(+Sorted, +Most, -Rows, -Left): the Rows that the window has room for, and how much is left.

taken([], Most, Rows, Left) =>
    Rows = [],
    Left = Most.
taken(_, 0, Rows, Left) =>
    Rows = [],
    Left = 0.
taken([keyed(_,_,_,Element,Row)|Sorted], Most, Rows, Left) =>
    Rows = [Row|More],
    same_element(Sorted, Element, More, Rest, Older),
    Others is Most - 1,
    taken(Older, Others, Rest, Left).

same_element([keyed(_,_,_,Element0,Row)|Sorted], Element, Rows, Rest, Older), Element0 == Element =>
    Rows = [Row|More],
    same_element(Sorted, Element, More, Rest, Older).
same_element(Sorted, _, Rows, Rest, Older) =>
    Rows = Rest,
    Older = Sorted.

%!  whole_steps(+Step, +Came, -Whole, -Over, -Count) is det.
%
%   Came are rows as above, of one for each element. Whole are the oldest of them, as many as make whole steps of
%   Step each; Over are the Count others.

whole_steps(Step, Came, Whole, Over, Count) :-
    newest_first(Came, Sorted),
    length(Sorted, Length),
    Count is Length mod Step,
    length(Newer, Count),
    append(Newer, Older, Sorted),
    maplist(row, Newer, Over),
    maplist(row, Older, Whole).

row(keyed(_,_,_,_,Row), Row).
