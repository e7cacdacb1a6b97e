:- module(etalis_aggregate_extremes,
          [ no_extreme/2,               % +Queue, -Extreme
            extreme_in/6,               % +Which, +Store, +Place, +Value, +Extreme0, -Extreme
            extreme_out/5,              % +Store, +Place, +Value, +Extreme0, -Extreme
            extreme_of/2                % +Extreme, -Value
          ]).
:- use_module(aggregate_queues, [queue_get/4, queue_put/4, queue_take/4]).
:- use_module('../sparql/datatypes', [op(_, _, ^^)]).
:- use_module('../sparql/order', [compare_terms/3]).

/** <module> Least and greatest values of a sliding window

A monotonic queue: a value that comes removes those before it that it beats, since they leave the window
earlier and can never be the answer again. The answer is at the front. A value is put in once and taken out
once, so it costs amortised constant time, whatever the size of the window.

The order is that of ORDER BY (order.pl). Of terms of one value MIN and MAX both give the first in the
standard order of terms; so they depend on what is in the window alone, not on how it came there.

extreme(Queue, First, Last, Front, Lasting, Errors): the places of the first and last in the queue, the item at
First (any term where the queue is empty), the extreme of the values that never leave ('$unbound' if there is
none), and how many are unbound. A value that a lasting one beats is not put in. An item is Place-Value, Place
its solution's place in the window.
*/

:- det((no_extreme/2, extreme_in/6, extreme_out/5, extreme_of/2)).

%!  no_extreme(+Queue, -Extreme) is det.

no_extreme(Queue, extreme(Queue, 1, 0, none, '$unbound', 0)).

%!  extreme_in(+Which, +Store, +Place, +Value, +Extreme0, -Extreme) is det.
%
%   Which is `min` or `max`. Place is `lasting` for a value that never leaves.

extreme_in(_, _, _, '$unbound', extreme(Q, First, Last, Front, Lasting, Errors0), Extreme) =>
    Errors is Errors0 + 1,
    Extreme = extreme(Q, First, Last, Front, Lasting, Errors).
extreme_in(Which, _, lasting, Value, extreme(Q, First, Last, Front, Lasting0, Errors), Extreme) =>
    Extreme = extreme(Q, First, Last, Front, Lasting, Errors),
    (   not_beaten(Which, Lasting0, Value)
    ->  Lasting = Value
    ;   Lasting = Lasting0
    ).
extreme_in(Which, _, _, Value, extreme(Q, First, Last, Front, Lasting, Errors), Extreme),
        \+ not_beaten(Which, Lasting, Value) =>
    Extreme = extreme(Q, First, Last, Front, Lasting, Errors).
extreme_in(Which, Store, Place, Value, extreme(Q, First, Last0, Front0, Lasting, Errors), Extreme) =>
    remove_beaten(Last0, First, Which, Store, Q, Value, Last1),
    Last is Last1 + 1,
    queue_put(Store, Q, Last, Place-Value),
    (   Last =:= First
    ->  Front = Place-Value
    ;   Front = Front0
    ),
    Extreme = extreme(Q, First, Last, Front, Lasting, Errors).

remove_beaten(Last0, First, Which, Store, Queue, Value, Last) :-
    (   Last0 >= First,
        queue_get(Store, Queue, Last0, _-Before),
        not_beaten(Which, Before, Value)
    ->  queue_take(Store, Queue, Last0, _),
        Last1 is Last0 - 1,
        remove_beaten(Last1, First, Which, Store, Queue, Value, Last)
    ;   Last = Last0
    ).

%   Value is as good as Other or better; anything is better than none.

not_beaten(_, '$unbound', _) :-
    !.
not_beaten(Which, Other, Value) :-
    order_of_values(Value, Other, Order),
    (   Order == (=)
    ->  Value @=< Other
    ;   better(Which, Order)
    ).

better(min, <).
better(max, >).

order_of_values(A^^Type, B^^Type, Order), number(A), number(B) =>
    (   A =:= B                         % of one type: zeros of either sign
    ->  Order = (=)
    ;   compare(Order, A, B)
    ).
order_of_values(A, B, Order) =>
    compare_terms(A, B, Order).

%!  extreme_out(+Store, +Place, +Value, +Extreme0, -Extreme) is det.

extreme_out(_, _, '$unbound', extreme(Q, First, Last, Front, Lasting, Errors0), Extreme) =>
    Errors is Errors0 - 1,
    Extreme = extreme(Q, First, Last, Front, Lasting, Errors).
extreme_out(Store, Place, _, extreme(Q, First0, Last, Place-_, Lasting, Errors), Extreme), First0 =< Last =>
    queue_take(Store, Q, First0, _),
    First is First0 + 1,
    (   First =< Last
    ->  queue_get(Store, Q, First, Front)
    ;   Front = none
    ),
    Extreme = extreme(Q, First, Last, Front, Lasting, Errors).
extreme_out(_, _, _, Extreme0, Extreme) =>
    Extreme = Extreme0.

%!  extreme_of(+Extreme, -Value) is det.

extreme_of(extreme(_, _, _, _, _, Errors), Value), Errors > 0 =>
    Value = '$unbound'.
extreme_of(extreme(_, First, Last, _-Front, _, _), Value), First =< Last =>
    Value = Front.
extreme_of(extreme(_, _, _, _, Lasting, _), Value) =>
    Value = Lasting.
