:- module(etalis_profile_clock,
          [ new_clock/2,                % +SlotCount, -Clock
            more_places/4,              % +Clock0, +SlotCount, +Stores, -Clock
            start_clock/2,              % +Clock, +Slot
            stop_clock/2,               % +Slot, -Clock
            clock_runs/0,
            clock_counts/2,             % +Clock, -Counts
            enter/2,                    % +Slot, -Caller
            charge/1,                   % +Slot
            leave/1,                    % +Caller
            return/2,                   % +Slot, +Caller
            found/1,                    % +Slot
            made/1                      % +Store
          ]).
:- use_module(library(apply), [maplist/3, maplist/4]).
:- use_module(library(lists), [append/3, member/2, nth1/3]).
:- use_module(library(macros)).
:- use_module(profile_stores, [store_size/2]).

/** <module> A clock that charges one slot at a time

What enters a rule, and what comes back from it or into it again, moves the clock's hand from one slot to another. At
each moment one slot is charged: that of the rule that was entered last and not left.

While the clock runs it is the global variable `etalis_profile`, and is changed in place:
profile(Slot, Last, Base, Own, Moves, Calls, Found, Made, Most, Due, Stores, Ran, Collected, Away, Began).
Slot is charged since Last, in nanoseconds after Base. Own, Moves, Calls and Found have a place for each slot:
nanoseconds, how often the hand was moved from it, how often it was entered, solutions it counted. Made, Most, Due and
Stores have a place for each store: goals made, most that were seen at once, after how many goals it is looked at
next, and where they are. Ran is the processor time while the clock ran, Collected that of collecting garbage, Away
for how long other programs had the processor, Began the processor time when the clock was started.

Slot 1 is what is charged where nothing else is. Slots 6 to 8 are the clock's own: looking at stores, garbage
collection, and what other programs do meanwhile.
*/

%   #clock(Field): the number of an argument of a clock; #slot(Name): one of the slots that every clock has.

#define(clock(Field), Place) :-
    nth1(Place, [slot, last, base, own, moves, calls, found, made, most, due, stores, ran, collected, away, began],
         Field).
#define(slot(Name), Slot) :-
    member(Name-Slot, [engine-1, looking-6, collection-7, others-8]).

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

:- det((new_clock/2, more_places/4, start_clock/2, stop_clock/2, clock_counts/2, enter/2, charge/1, found/1,
        made/1)).

%!  new_clock(+SlotCount, -Clock) is det.
%
%   A clock that was never started, without stores.

new_clock(SlotCount, Clock) :-
    None = profile(1, 0, 0.0, counts(), counts(), counts(), counts(), counts(), counts(), counts(), stores(),
                   0, 0, 0, 0),
    more_places(None, SlotCount, [], Clock).

%!  more_places(+Clock0, +SlotCount, +Stores, -Clock) is det.
%
%   So many more slots, and more stores (profile_stores.pl).

more_places(Clock0, SlotCount, Stores, Clock) :-
    Clock0 = profile(Slot, Last, Base, Own0, Moves0, Calls0, Found0, Made0, Most0, Due0, Stores0, Ran, _, _, _),
    maplist(more(SlotCount, 0), [Own0,Moves0,Calls0,Found0], [Own,Moves,Calls,Found]),
    length(Stores, StoreCount),
    maplist(more(StoreCount, 0), [Made0,Most0], [Made,Most]),
    more(StoreCount, 1, Due0, Due),
    compound_name_arguments(Stores0, stores, Before),
    append(Before, Stores, All),
    compound_name_arguments(Stores1, stores, All),
    Clock = profile(Slot, Last, Base, Own, Moves, Calls, Found, Made, Most, Due, Stores1, Ran, 0, 0, 0).

more(Count, Value, Counts0, Counts) :-
    compound_name_arguments(Counts0, counts, Before),
    findall(Value, between(1, Count, _), New),
    append(Before, New, All),
    compound_name_arguments(Counts, counts, All).

%!  start_clock(+Clock, +Slot) is det.
%
%   Slot is charged first.

start_clock(Clock, Slot) :-
    get_time(Base),
    collected(Collected),
    away(Base, Away),
    processor_time(Began),
    nb_setval(etalis_profile, Clock),
    nb_getval(etalis_profile, Running),
    nb_setarg(#clock(slot), Running, Slot),
    nb_setarg(#clock(last), Running, 0),
    nb_setarg(#clock(base), Running, Base),
    nb_setarg(#clock(collected), Running, Collected),
    nb_setarg(#clock(away), Running, Away),
    nb_setarg(#clock(began), Running, Began).

%!  stop_clock(+Slot, -Clock) is det.
%
%   Slot is the one that was charged first. What is not charged to slot 1 is not the engine's time.

stop_clock(Slot, Clock) :-
    nb_getval(etalis_profile, Clock),
    move(Clock, Slot),
    processor_time(Ended),
    arg(#clock(began), Clock, Began),
    arg(#clock(ran), Clock, Ran0),
    (   Slot =:= #slot(engine)
    ->  Ran is Ran0 + Ended - Began,
        nb_setarg(#clock(ran), Clock, Ran)
    ;   true
    ),
    nb_setval(etalis_profile, off).

%!  clock_runs is semidet.

clock_runs :-
    nb_current(etalis_profile, Clock),
    Clock \== off.

%!  clock_counts(+Clock, -Counts) is det.
%
%   Counts is [Own,Moves,Calls,Found,Made,Most,Live,Ran,MoveCost]: lists with a number for each slot or store, how
%   long the engine ran, and what it costs to move the hand, in nanoseconds. The clock does not run.

clock_counts(Clock, [Own,Moves,Calls,Found,Made,Most,Live,Ran,MoveCost]) :-
    Clock = profile(_, _, _, Own0, Moves0, Calls0, Found0, Made0, Most0, _, Stores0, Ran, _, _, _),
    maplist(numbers, [Own0,Moves0,Calls0,Found0,Made0,Most0], [Own,Moves,Calls,Found,Made,Seen]),
    compound_name_arguments(Stores0, _, Stores),
    maplist(store_size, Stores, Live),
    maplist(greater, Seen, Live, Most),
    move_cost(MoveCost).

numbers(Counts, Numbers) :-
    compound_name_arguments(Counts, counts, Numbers).

greater(A, B, C) :-
    C is max(A, B).

%   The least of some means.

move_cost(Cost) :-
    findall(Mean, ( between(1, 9, _), mean_cost(500, Mean) ), Means),
    msort(Means, [Cost|_]).

mean_cost(Times, Mean) :-
    new_clock(8, New),
    start_clock(New, 1),
    forall(between(1, Times, _), ( enter(2, Caller), return(2, Caller) )),
    stop_clock(1, Clock),
    arg(#clock(own), Clock, Own),
    arg(2, Own, Total),
    Mean is Total / Times.

% ---- the hand -------------------------------------------------------------------------------------------------

%!  enter(+Slot, -Caller) is det.
%
%   A rule begins; Caller is the slot that was charged.

enter(Slot, Caller) :-
    nb_getval(etalis_profile, State),
    arg(#clock(slot), State, Caller),
    arg(#clock(calls), State, Calls),
    arg(Slot, Calls, Count0),
    Count is Count0 + 1,
    nb_setarg(Slot, Calls, Count),
    move(State, Slot).

%!  charge(+Slot) is det.
%
%   Slot is charged from now on.

charge(Slot) :-
    nb_getval(etalis_profile, State),
    move(State, Slot).

%!  leave(+Caller) is failure.
%
%   A rule has no more solutions.

leave(Caller) :-
    nb_getval(etalis_profile, State),
    move(State, Caller),
    fail.

%!  return(+Slot, +Caller) is multi.
%
%   A rule has a solution: the caller goes on with it. On backtracking the rule is asked for another.

return(_, Caller) :-
    nb_getval(etalis_profile, State),
    move(State, Caller).
return(Slot, _) :-
    nb_getval(etalis_profile, State),
    move(State, Slot),
    fail.

move(State, Next) :-
    get_time(Now),
    State = profile(Slot, Last, Base, Own, Moves, _, _, _, _, _, _, _, _, _, _),
    Time is truncate((Now - Base) * 1.0e9),
    Elapsed is Time - Last,
    arg(Slot, Own, Own0),
    (   Elapsed > 20000                 % enough for garbage to be collected, or another program to run
    ->  since_then(State, Collection, Away),
        Own1 is Own0 + max(0, Elapsed - Collection - Away)
    ;   Own1 is Own0 + Elapsed
    ),
    nb_setarg(Slot, Own, Own1),
    arg(Slot, Moves, Moves0),
    Moves1 is Moves0 + 1,
    nb_setarg(Slot, Moves, Moves1),
    nb_setarg(#clock(slot), State, Next),
    nb_setarg(#clock(last), State, Time).

%   since_then(+State, -Collection, -Away): how long garbage was collected, and how long other programs ran, since
%   this was asked for the last time.

since_then(State, Collection, Away) :-
    arg(#clock(base), State, Base),
    collected(Collected),
    away(Base, NotHere),
    change(State, #clock(collected), Collected, #slot(collection), Collection),
    change(State, #clock(away), NotHere, #slot(others), Away).

change(State, Place, Now, Slot, Change) :-
    arg(Place, State, Before),
    Change is max(0, Now - Before),
    nb_setarg(Place, State, Now),
    arg(#clock(own), State, Own),
    arg(Slot, Own, Own0),
    Own1 is Own0 + Change,
    nb_setarg(Slot, Own, Own1).

collected(Nanoseconds) :-
    statistics(gctime, Seconds),
    Nanoseconds is truncate(Seconds * 1.0e9).

away(Base, Nanoseconds) :-
    get_time(Now),
    statistics(cputime, Seconds),
    Nanoseconds is truncate((Now - Base - Seconds) * 1.0e9).

processor_time(Nanoseconds) :-
    statistics(cputime, Seconds),
    Nanoseconds is truncate(Seconds * 1.0e9).

% ---- what is counted ------------------------------------------------------------------------------------------

%!  found(+Slot) is det.
%
%   Count a solution of background.

found(Slot) :-
    nb_getval(etalis_profile, State),
    arg(#clock(found), State, Found),
    arg(Slot, Found, Count0),
    Count is Count0 + 1,
    nb_setarg(Slot, Found, Count).

%!  made(+Store) is det.
%
%   Count a goal. To count those that are alive takes time for each: it is done at every one while there are less than
%   128, then each time that 1/64 of their number were made.

made(Store) :-
    nb_getval(etalis_profile, State),
    arg(#clock(made), State, Made),
    arg(Store, Made, Count0),
    Count is Count0 + 1,
    nb_setarg(Store, Made, Count),
    arg(#clock(due), State, Due),
    arg(Store, Due, Least),
    (   Count >= Least
    ->  arg(#clock(slot), State, Slot),
        move(State, #slot(looking)),
        look(State, Store, Count),
        move(State, Slot)
    ;   true
    ).

look(State, Store, Count) :-
    arg(#clock(stores), State, Stores),
    arg(Store, Stores, Known),
    store_size(Known, Size),
    arg(#clock(most), State, Most),
    arg(Store, Most, Most0),
    (   Size > Most0
    ->  nb_setarg(Store, Most, Size)
    ;   true
    ),
    arg(#clock(due), State, Due),
    Next is Count + max(1, Size >> 6),
    nb_setarg(Store, Due, Next).
