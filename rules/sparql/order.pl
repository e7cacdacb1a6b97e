:- module(etalis_order,
          [ compare_terms/3,            % +A, +B, -Order
            row_before/4                % +Keys, +A, +B, ?Truth
          ]).
:- use_module(dates, [calendar_value/4]).
:- use_module(datatypes, [literal_class/2, native_value/2, op(_, _, @), op(_, _, ^^)]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> The order of ORDER BY

SPARQL 1.1 section 15.1: unbound, blank nodes, IRIs, literals. Literals of one value space go by value; the
rest of the order is left open there and is made total here: literals by value space, ill-typed literals and
unknown datatypes last, by datatype and text. Two terms of one value are equal in this order; numbers go by their
exact values, NaN first. Dates without a zone go as if in UTC, before those of the same moment that have one.
*/

:- det(compare_terms/3).

%!  compare_terms(+A, +B, -Order) is det.
%
%   Order is `<`, `=` or `>`.

compare_terms(A, B, Order) :-
    sort_key(A, RankA, KeyA),
    sort_key(B, RankB, KeyB),
    compare(OrderOfRank, RankA, RankB),
    (   OrderOfRank \== (=)
    ->  Order = OrderOfRank
    ;   RankA == 3
    ->  compare_numbers(KeyA, KeyB, Order)
    ;   compare(Order, KeyA, KeyB)
    ).

sort_key('$unbound', Rank, Key) =>
    Rank = 0, Key = none.
sort_key(Name, Rank, Key), atom(Name) =>
    Key = Name,
    (   sub_atom(Name, 0, 2, _, '_:')
    ->  Rank = 1
    ;   Rank = 2
    ).
sort_key(Text@Language, Rank, Key) =>
    Rank = 5, Key = Text-Language.
sort_key(Text^^Type, Rank, Key), calendar_value(Text, Type, Class, First) =>
    First =.. [Zone, Moment],           % local before zoned
    (   Class == date
    ->  Rank = 7, Key = Moment-[date, Zone]
    ;   Rank = 8, Key = Class-(Moment-Zone)
    ).
sort_key(Raw^^Type, Rank, Key) =>
    native_value(Raw, Native),
    (   literal_class(Type, Class),
        value_key(Class, Native, Rank, Key)
    ->  true
    ;   Rank = 10, Key = Type-Native
    ).

value_key(number, Native, Rank, Key), number(Native) =>
    Rank = 3, Key = Native.
value_key(string, Native, Rank, Key) =>
    Rank = 4, Key = Native.
value_key(boolean, Native, Rank, Key), atom(Native) =>
    Rank = 6, Key = Native.
value_key(time, Native, Rank, Key), integer(Native) =>
    Rank = 7, Key = Native-[time].
value_key(duration, duration(Months, Microseconds), Rank, Key) =>
    Rank = 9, Key = Length-Months,
    Length is Months*2629746000000 + Microseconds.      % a mean month keeps the partial order
value_key(_, _, _, _) =>
    fail.

%   Prolog compares numbers of different types by their exact values, but calls none of them equal.

compare_numbers(A, B, Order) :-
    compare(Order0, A, B),
    (   Order0 \== (=),
        A =:= B,                        % as doubles
        same_value(A, B)
    ->  Order = (=)
    ;   Order = Order0
    ).

same_value(A, B), float(A), float(B) => true.           % zeros of either sign
same_value(A, B), float(A) => float_class(A, Class), Class \== infinite, rational(A) =:= B.
same_value(A, B) => float_class(B, Class), Class \== infinite, A =:= rational(B).

%!  row_before(+Keys, +A, +B, ?Truth) is semidet.
%
%   Whether row A comes before row B. Keys is a list of places in row(Column...), below 0 where the order is the other way round;
%   rows that are equal there are in the standard order of terms.

row_before([], A, B, Truth) :-
    ( A @< B -> Truth = true ; Truth = false ).
row_before([Key|Keys], A, B, Truth) :-
    Place is abs(Key),
    arg(Place, A, ColumnA),
    arg(Place, B, ColumnB),
    compare_terms(ColumnA, ColumnB, Order),
    (   Order == (=)
    ->  row_before(Keys, A, B, Truth)
    ;   (Key > 0 -> Order == (<) ; Order == (>))
    ->  Truth = true
    ;   Truth = false
    ).
