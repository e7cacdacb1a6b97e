:- module(etalis_aggregate_queues,
          [ queue_put/4,                % +Engine, +Queue, +Place, +Item
            queue_get/4,                % +Engine, +Queue, +Place, -Item
            queue_take/4,               % +Engine, +Queue, +Place, -Item
            queue_items/5               % +Engine, +Queue, +First, +Last, -Items
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [numlist/3]).

/** <module> Queues of facts that are read and cut at both ends

Whoever owns a queue knows its number, and the places of its first and last item. An item is one fact
M:aggregate_item(Key, Item), Key the queue and the place in one integer: whatever the sizes of the queues, the
index on the first argument finds it, and nothing else.
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

:- det((queue_put/4, queue_get/4, queue_take/4, queue_items/5)).

%   2**40 places, more than 10**12 solutions, for each of a million queues in an integer of one machine word.

key(Queue, Place, Key) :-
    Key is Queue<<40 + Place.

%!  queue_put(+Engine, +Queue, +Place, +Item) is det.

queue_put(M, Queue, Place, Item) :-
    key(Queue, Place, Key),
    assertz(M:aggregate_item(Key, Item)).

%!  queue_get(+Engine, +Queue, +Place, -Item) is det.

queue_get(M, Queue, Place, Item) :-
    key(Queue, Place, Key),
    M:aggregate_item(Key, Item0),
    !,
    Item = Item0.

%!  queue_take(+Engine, +Queue, +Place, -Item) is det.
%
%   Read the item and remove it.

queue_take(M, Queue, Place, Item) :-
    key(Queue, Place, Key),
    retract(M:aggregate_item(Key, Item0)),
    !,
    Item = Item0.

%!  queue_items(+Engine, +Queue, +First, +Last, -Items) is det.

queue_items(M, Queue, First, Last, Items) :-
    (   First > Last
    ->  Items = []
    ;   numlist(First, Last, Places),
        maplist(queue_get(M, Queue), Places, Items)
    ).
