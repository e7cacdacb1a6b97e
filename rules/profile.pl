:- module(etalis_profile,
          [ watch_engines/0,
            unwatch_engines/0,
            add_probes/3,               % +Engine, +RuleCount, +Stores
            begin_profile/2,            % +Engine, +Slot
            end_profile/2,              % +Engine, +Slot
            profile_counts/2,           % +Engine, -Counts
            enter/2,                    % +Slot, -Caller
            enter_again/2,              % +Slot, -Caller
            leave/1,                    % +Caller
            return/2,                   % +Slot, +Caller
            found/1,                    % +Slot
            made/1                      % +Store
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [append/3, member/2, nth1/3]).
:- use_module(library(prolog_wrap), [unwrap_predicate/2, wrap_predicate/4]).
:- use_module(aggregates, []).
:- use_module(engine, []).
:- use_module(instant, []).
:- use_module(path_tuples, []).
:- use_module(terms, []).

/** <module> Where the time of an engine goes

The rules of a profiled engine are wrapped (profiling_rules.py): what enters a rule, and what comes back from it or
into it again, moves a clock's hand from one slot to another. At each moment one slot is charged: that of the rule
that was entered last and not left. What is outside of all rules has the first slots, below; those of rules follow.

M:profile_state(State) is all there is in the engine's module; while the engine runs, State is the global variable
`etalis_profile` and is changed in place:
profile(Slot, Last, Base, Own, Moves, Calls, Found, Made, Most, Due, Stores, Ran, Collected, Away, Began). Slot is charged
since Last, in nanoseconds after Base. Own, Moves, Calls and Found have a place for each slot: nanoseconds, how often the hand was
moved from it, how often it was entered, solutions it counted. Made, Most, Due and Stores have a place for
each store: goals made, most that were seen at once, after how many goals it is looked at next, and its
predicates. Ran is the processor time of the engine, Collected that of collecting garbage, Away for how long other
programs had the processor, Began the processor time when the clock was started; in nanoseconds.
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

:- det((watch_engines/0, unwatch_engines/0, add_probes/3, begin_profile/2, end_profile/2, profile_counts/2,
        enter/2, enter_again/2, found/1, made/1)).

outside_slots(8).

%   outside(?Slot, ?Module, ?Name): what the predicates of this name, which are det, do is charged to Slot. Slot 1 has
%   what no other has, 5 what is done before the first event, 6 the counting of goals, 7 garbage collection, whenever
%   it happens, 8 what other programs do meanwhile.

outside(2, etalis_terms, decode_terms).
outside(3, etalis_instant, occurrence_set).
outside(4, etalis_instant, in_order).
outside(4, etalis_engine, encode_answer).

% ---- engines that are watched -------------------------------------------------------------------------------

%!  watch_engines is det.
%
%   Measure the calls into engines that have probes. To be undone by as many calls of unwatch_engines/0: the
%   predicates of the run-time library are the same for all engines.

watch_engines :-
    with_mutex(etalis_profile, watched(1)).

%!  unwatch_engines is det.

unwatch_engines :-
    with_mutex(etalis_profile, watched(-1)).

watched(More) :-
    flag(etalis_profiled_engines, Count, Count + More),
    (   Count + More =:= max(More, 0)
    ->  forall(watched_predicate(Head, Goal, Watched), watch(More, Head, Goal, Watched))
    ;   true
    ).

watch(1, Head, Goal, Watched) :-
    wrap_predicate(Head, etalis_profile, Goal, Watched).
watch(-1, M:Head, _, _) :-
    functor(Head, Name, Arity),
    unwrap_predicate(M:Name/Arity, etalis_profile).

%   watched_predicate(-Head, -Goal, -Watched): Watched is called in place of Goal, which is what Head was.

watched_predicate(Defined:Head, Goal, etalis_profile:run_engine(M, Goal)) :-
    member(Name, [feed, advance, finish]),
    module_property(etalis_engine, exports(Exported)),
    member(Name/Arity, Exported),
    functor(Head, Name, Arity),
    arg(1, Head, M),
    (   predicate_property(etalis_engine:Head, imported_from(Defined0))
    ->  Defined = Defined0
    ;   Defined = etalis_engine
    ).
watched_predicate(M:Head, Goal, etalis_profile:outside(Slot, Goal)) :-
    outside(Slot, M, Name),
    current_predicate(M:Name/Arity),
    functor(Head, Name, Arity),
    \+ predicate_property(M:Head, imported_from(_)).

run_engine(M, Goal) :-
    (   current_predicate(M:profile_state/1)
    ->  setup_call_cleanup(begin_profile(M, 1), Goal, end_profile(M, 1))
    ;   call(Goal)
    ).

outside(Slot, Goal) :-
    (   nb_current(etalis_profile, State),
        State \== off
    ->  enter(Slot, Caller),
        call(Goal),
        enter_again(Caller, _)
    ;   call(Goal)
    ).

%!  add_probes(+Engine, +RuleCount, +Stores) is det.
%
%   RuleCount more slots, and more stores: goals([Name,Arity]...), group(Name) or path(Name), each as a list.

add_probes(M, RuleCount, Stores) :-
    dynamic(M:profile_state/1),
    (   retract(M:profile_state(State0))
    ->  true
    ;   outside_slots(Outside),
        new_state(Outside, State0)
    ),
    State0 = profile(Slot, Last, Base, Own0, Moves0, Calls0, Found0, Made0, Most0, Due0, Stores0, Ran, _, _, _),
    maplist(more(RuleCount, 0), [Own0,Moves0,Calls0,Found0], [Own,Moves,Calls,Found]),
    length(Stores, StoreCount),
    maplist(more(StoreCount, 0), [Made0,Most0], [Made,Most]),
    more(StoreCount, 1, Due0, Due),
    compound_name_arguments(Stores0, stores, Before),
    findall(Known, ( member(Store, Stores), known_store(Store, M, Known) ), New),
    append(Before, New, All),
    compound_name_arguments(Stores1, stores, All),
    assertz(M:profile_state(
                  profile(Slot, Last, Base, Own, Moves, Calls, Found, Made, Most, Due, Stores1, Ran, 0, 0, 0))).

new_state(Outside, profile(1, 0, 0.0, None, None, None, None, counts(), counts(), counts(),
                           stores(), 0, 0, 0, 0)) :-
    more(Outside, 0, counts(), None).

more(Count, Value, Counts0, Counts) :-
    compound_name_arguments(Counts0, counts, Before),
    findall(Value, between(1, Count, _), New),
    append(Before, New, All),
    compound_name_arguments(Counts, counts, All).

known_store([goals|Predicates], M, goals(Heads)) :-
    findall(M:Head, ( member([Name,Arity], Predicates), functor(Head, Name, Arity) ), Heads).
known_store([group,Name], M, group(M:Name)).
known_store([path,Name], M, path(M:Name)).

%!  begin_profile(+Engine, +Slot) is det.
%
%   Start the clock; Slot is charged first.

begin_profile(M, Slot) :-
    retract(M:profile_state(State)),
    !,
    get_time(Base),
    setarg(1, State, Slot),
    setarg(2, State, 0),
    setarg(3, State, Base),
    collected(Collected),
    setarg(13, State, Collected),
    away(Base, Away),
    setarg(14, State, Away),
    processor_time(Began),
    setarg(15, State, Began),
    nb_setval(etalis_profile, State).

%!  end_profile(+Engine, +Slot) is det.
%
%   Stop the clock, and keep what was measured. Slot is that of the beginning.

end_profile(M, Slot) :-
    nb_getval(etalis_profile, State),
    move(State, Slot),
    processor_time(Ended),
    arg(15, State, Began),
    arg(12, State, Ran0),
    (   Slot =:= 1
    ->  Ran is Ran0 + Ended - Began,
        nb_setarg(12, State, Ran)
    ;   true
    ),
    assertz(M:profile_state(State)),
    nb_setval(etalis_profile, off).

%!  profile_counts(+Engine, -Counts) is det.
%
%   Counts is [Own,Moves,Calls,Found,Made,Most,Live,Ran,MoveCost]: lists with a number for each slot or store, how
%   long the engine ran, and what it costs to move the hand, in nanoseconds.

profile_counts(M, [Own,Moves,Calls,Found,Made,Most,Live,Ran,Cost]) :-
    M:profile_state(profile(_, _, _, Own0, Moves0, Calls0, Found0, Made0, Most0, _, Stores, Ran, _, _, _)),
    !,
    compound_name_arguments(Own0, _, Own),
    compound_name_arguments(Moves0, _, Moves),
    compound_name_arguments(Calls0, _, Calls),
    compound_name_arguments(Found0, _, Found),
    compound_name_arguments(Made0, _, Made),
    findall(Size, ( arg(_, Stores, Store), store_size(Store, Size) ), Live),
    compound_name_arguments(Most0, _, Most1),
    findall(Greater, ( nth1(N, Most1, Seen), nth1(N, Live, Now), Greater is max(Seen, Now) ), Most),
    move_cost(Cost).

%   What the clock itself takes: the least of some means.

move_cost(Cost) :-
    findall(Mean, ( between(1, 9, _), mean_cost(500, Mean) ), Means),
    msort(Means, [Cost|_]).

mean_cost(Times, Mean) :-
    outside_slots(Outside),
    new_state(Outside, State),
    get_time(Base),
    nb_setarg(3, State, Base),
    nb_setval(etalis_profile, State),
    forall(between(1, Times, _), ( enter(2, Caller), return(2, Caller) )),
    nb_getval(etalis_profile, Measured),
    arg(4, Measured, Own),
    arg(2, Own, Total),
    Mean is Total / Times,
    nb_setval(etalis_profile, off).

% ---- what wrapped rules call --------------------------------------------------------------------------------

%!  enter(+Slot, -Caller) is det.
%
%   A rule begins; Caller is the slot that was charged.

enter(Slot, Caller) :-
    nb_getval(etalis_profile, State),
    arg(1, State, Caller),
    arg(6, State, Calls),
    arg(Slot, Calls, Count0),
    Count is Count0 + 1,
    nb_setarg(Slot, Calls, Count),
    move(State, Slot).

%!  enter_again(+Slot, -Caller) is det.
%
%   The same for another clause of the rule that does not count.

enter_again(Slot, Caller) :-
    nb_getval(etalis_profile, State),
    arg(1, State, Caller),
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
    nb_setarg(1, State, Next),
    nb_setarg(2, State, Time).

%   since_then(+State, -Collection, -Away): how long garbage was collected, and how long other programs ran, since
%   this was asked for the last time.

since_then(State, Collection, Away) :-
    arg(3, State, Base),
    collected(Collected),
    away(Base, NotHere),
    change(State, 13, Collected, 7, Collection),
    change(State, 14, NotHere, 8, Away).

change(State, Place, Now, Slot, Change) :-
    arg(Place, State, Before),
    Change is max(0, Now - Before),
    nb_setarg(Place, State, Now),
    arg(4, State, Own),
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

%!  found(+Slot) is det.
%
%   Count a solution of background.

found(Slot) :-
    nb_getval(etalis_profile, State),
    arg(7, State, Found),
    arg(Slot, Found, Count0),
    Count is Count0 + 1,
    nb_setarg(Slot, Found, Count).

%!  made(+Store) is det.
%
%   Count a goal. To count those that are alive takes time for each: it is done at every one while there are less than
%   128, then each time that 1/64 of their number were made.

made(Store) :-
    nb_getval(etalis_profile, State),
    arg(8, State, Made),
    arg(Store, Made, Count0),
    Count is Count0 + 1,
    nb_setarg(Store, Made, Count),
    arg(10, State, Due),
    arg(Store, Due, Least),
    (   Count >= Least
    ->  arg(1, State, Slot),
        move(State, 6),
        look(State, Store, Count),
        move(State, Slot)
    ;   true
    ).

look(State, Store, Count) :-
    arg(11, State, Stores),
    arg(Store, Stores, Known),
    store_size(Known, Size),
    arg(9, State, Most),
    arg(Store, Most, Most0),
    (   Size > Most0
    ->  nb_setarg(Store, Most, Size)
    ;   true
    ),
    arg(10, State, Due),
    Next is Count + max(1, Size >> 6),
    nb_setarg(Store, Due, Next).

% ---- how many goals there are -------------------------------------------------------------------------------

:- det(store_size/2).

%   Of a group with a window, its solutions, and those that wait to enter; else the groups. Of a path, its tuples,
%   but for the marks (path_tuples.pl).

store_size(goals(Heads), Size) :-
    heads_size(Heads, 0, Size).
store_size(group(M:Name), Size) :-
    M:aggregate_declared(Name, _, Window, tables(Groups, Store)),
    !,
    (   Window == landmark
    ->  trie_property(Groups, value_count(Size))
    ;   trie_lookup(Store, places, places(First, _, Last)),
        trie_lookup(Store, pending, Pending),
        Size is Last - First + 1 + Pending
    ),
    !.
store_size(path(M:Name), Size) :-
    M:path_tuples(Name, _, _, Stores),
    !,
    findall(M:Head, ( arg(_, Stores, Predicate), functor(Head, Predicate, 4) ), Heads),
    heads_size(Heads, 0, Facts),
    length(Heads, Predicates),
    Size is Facts - 24 * Predicates.

heads_size([], Size, Size).
heads_size([Head|Heads], Size0, Size) :-
    predicate_property(Head, number_of_clauses(Count)),
    !,
    Size1 is Size0 + Count,
    heads_size(Heads, Size1, Size).
