:- module(etalis_aggregate_queues,
          [ queue_put/4,                % +Store, +Queue, +Place, +Item
            queue_get/4,                % +Store, +Queue, +Place, -Item
            queue_take/4,               % +Store, +Queue, +Place, -Item
            queue_items/5               % +Store, +Queue, +First, +Last, -Items
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [numlist/3]).

/** <module> Queues that are read and cut at both ends

Whoever owns a queue knows its number, and the places of its first and last item. Store is a trie; an item is
the value of item(Queue, Place) there.
*/

:- det((queue_put/4, queue_get/4, queue_take/4, queue_items/5)).

%!  queue_put(+Store, +Queue, +Place, +Item) is det.

queue_put(Store, Queue, Place, Item) :-
    trie_insert(Store, item(Queue, Place), Item).

%!  queue_get(+Store, +Queue, +Place, -Item) is det.

queue_get(Store, Queue, Place, Item) :-
    trie_lookup(Store, item(Queue, Place), Item).

%!  queue_take(+Store, +Queue, +Place, -Item) is det.
%
%   Read the item and remove it.

queue_take(Store, Queue, Place, Item) :-
    trie_delete(Store, item(Queue, Place), Item).

%!  queue_items(+Store, +Queue, +First, +Last, -Items) is det.

queue_items(Store, Queue, First, Last, Items) :-
    (   First > Last
    ->  Items = []
    ;   numlist(First, Last, Places),
        maplist(queue_get(Store, Queue), Places, Items)
    ).
