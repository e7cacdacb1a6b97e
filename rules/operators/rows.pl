:- module(etalis_rows,
          [ rows_in_order/3,            % +Keys, +Rows, -Ordered
            in_slice/4                  % :Name, +Time, +Offset, +Limit
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(library(pairs), [pairs_values/2]).
:- use_module(library(sort), [predsort/3]).
:- use_module('../sparql/order', [compare_terms/3]).

/** <module> The rows of one instant: their order, and some of them

ORDER BY, OFFSET and LIMIT (SPARQL 1.1, section 15) work on the rows of one instant. Rows that are equal in all
keys come by start and bindings, in the standard order of terms, so that the order is always the same.
*/

:- meta_predicate
    in_slice(:, +, +, +).

%!  rows_in_order(+Keys, +Rows, -Ordered) is det.
%
%   Keys is a list of ascending(Place) and descending(Place), places in row(Start, Column...).

:- det(rows_in_order/3).

rows_in_order([], Rows, Ordered) :-
    !,
    msort(Rows, Ordered).
rows_in_order(Keys, Rows, Ordered) :-
    msort(Rows, Sorted),
    findall(Values-Row,
            ( member(Row, Sorted), key_values(Keys, Row, Values) ),
            Keyed),
    predsort(compare_rows(Keys), Keyed, InOrder),
    pairs_values(InOrder, Ordered).

key_values([], _, []).
key_values([Key|Keys], Row, [Value|Values]) :-
    arg(1, Key, Place),
    arg(Place, Row, Value),
    key_values(Keys, Row, Values).

%   Never `=`: predsort/3 would drop a row. It is stable, so equal rows stay in the order of msort/2.

compare_rows(Keys, Order, ValuesA-_, ValuesB-_) :-
    compare_values(Keys, ValuesA, ValuesB, Order).

compare_values([], [], [], <).
compare_values([Key|Keys], [A|As], [B|Bs], Order) :-
    compare_terms(A, B, Order0),
    (   Order0 == (=)
    ->  compare_values(Keys, As, Bs, Order)
    ;   functor(Key, descending, _)
    ->  other_way(Order0, Order)
    ;   Order = Order0
    ).

other_way(<, >).
other_way(>, <).

%!  in_slice(:Name, +Time, +Offset, +Limit) is semidet.
%
%   Count the row that comes now; succeeds if it is behind the first Offset rows of the instant Time and
%   among the next Limit ones, `none` for no limit.

in_slice(M:Name, Time, Offset, Limit) :-
    (   retract(M:rows_so_far(Name, Before, Time0))
    ->  true
    ;   Time0 = none, Before = 0
    ),
    (   Time0 == Time
    ->  Count = Before
    ;   Count = 0
    ),
    Next is Count + 1,
    assertz(M:rows_so_far(Name, Next, Time)),
    Count >= Offset,
    (   Limit == none
    ->  true
    ;   Count < Offset + Limit
    ).
