:- module(etalis_goal_store,
          [ open_stores/1,              % +Engine
            close_stores/1,             % +Engine
            declare_store/5,            % +Engine, +Name, +Kind, +Arity, +Detail
            delete_store/2,             % +Engine, +Name
            with_stores/3,              % +Engine, +Clause, -Stored
            turn_stores/1,              % :Time
            kept_store/4,               % +Engine, ?Name, ?Arity, -Store
            passing_store/2,            % +Engine, -Store
            goals_kept/3,               % +Engine, +Name, -Count
            goals_size/3,               % +Engine, +Name, -Bytes
            limited_runs/1              % :Name
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [append/3]).
:- use_module('../background/state', [apply_changes/1]).

/** <module> Goals that forget by themselves

A binary operator keeps the solutions that wait for a partner as goals in a store, rows of native memory
(rules/native/goals.c). Kinds of stores:

  * `lasting`: a goal is kept for ever, unless a rule forgets it
  * `window`: the store turns four times while a window's length goes by, and the goals that were there four turns before are
    out of the window, and go at once. All stores of one window turn together, where they are many once in its length; no
    goal pays for a look at the clock.
  * `instant`: the stores of a group (an operator); they are emptied when the first solution of a new instant arrives
  * `settled`: goals that wait for the end of the instant only
  * `used_lasting`, `used_window`: goals are found by the occurrences they are made of, too, the last column

Rules speak of goals by the names of their stores, and with_stores/3 says what is called for that:

  * Name(Column...): the goals, in the order in which they came; newest(Goal): the other way round. A lookup sees what
    was there when it began.
  * insert(Goal); forget(Goal), the first that matches, fails if there is none; forget_all(Name)
  * begin_life(Goal, Least): the last two columns are until when something lives, and since when. What is equal in the others
    has one life, which goes on where another touches it; they come in the order of their beginnings. Fails where it
    lived already, and goes on. What else lives begins to live with it if its own life began at Least or later: at any time
    where it is new, and at the same where it went on from there.
  * current_instant(Group, Now): empty the group's stores if what they hold is of an earlier instant
  * consume_occurrences(Query, Names): see policies.pl
  * group_add/5, group_change/5, group_settle/2 and group_row/3: see aggregates.pl. Where the rows of a group are only wanted beside other
    solutions of the same instant, the others ask for them by key, before the group is settled or after it:
    demand_row(Name, Time, Key) succeeds if the group is settled already, so that who asks has the row made; settled_demand(Name,
    Time, Key) gives the keys that were asked for, once it is.

The engine's module holds goal_stores(Stores), goal_store(Name, Arity, Store, Lasts), Lasts one of `kept` and `passing`,
goal_group(Name, Group), and next_turn(Time), when stores turn next.
*/

:- meta_predicate
    turn_stores(:),
    limited_runs(:).

:- det((open_stores/1, close_stores/1, declare_store/5, delete_store/2, with_stores/3, turn_stores/1, goals_kept/3,
       goals_size/3)).

%!  open_stores(+Engine) is det.
%!  close_stores(+Engine) is det.

open_stores(M) :-
    dynamic(M:[goal_stores/1, goal_store/4, goal_group/2, next_turn/1]),
    etalis_goals:new_goal_stores(Stores),
    assertz(M:goal_stores(Stores)).

close_stores(M) :-
    forall(retract(M:goal_stores(Stores)), etalis_goals:delete_goal_stores(Stores)).

%!  declare_store(+Engine, +Name, +Kind, +Arity, +Detail) is det.
%
%   Make a store. Detail is the length of the window in microseconds, or the name of the group.

declare_store(M, Name, Kind, Arity, Detail) :-
    kind(Kind, Is, IsConsumed, Lasts),
    limits(Is, M, Detail, Window, Group),
    M:goal_stores(Stores),
    etalis_goals:new_goal_store(Stores, Arity, Window, Group, IsConsumed, Store),
    assertz(M:goal_store(Name, Arity, Store, Lasts)),
    functor(Goal, Name, Arity),
    with_stores(M, Goal, Lookup),
    assertz((M:Goal :- Lookup)),
    ( Window > 0 -> turn_at_once(M) ; true ),
    (   Lasts == kept,
        predicate_property(M:changes_begun, dynamic),
        M:changes_begun
    ->  etalis_goals:mark_goals(Store)
    ;   true
    ).

%!  delete_store(+Engine, +Name) is det.
%
%   Give back a store of which no rule speaks any more, and its group with the last store of it.

delete_store(M, Name) :-
    retract(M:goal_store(Name, Arity, Store, _)),
    !,
    etalis_goals:delete_goal_store(Store, Group),
    (   Group \== 0
    ->  retractall(M:goal_group(_, Group)),
        etalis_goals:delete_goal_group(Group)
    ;   true
    ),
    abolish(M:Name/Arity).

kind(lasting, lasting, false, kept).
kind(window, window, false, kept).
kind(used_lasting, lasting, true, kept).
kind(used_window, window, true, kept).
kind(instant, instant, false, passing).
kind(settled, lasting, false, passing).

%   A window that is longer than all times of 64 bits is none.

limits(window, _, Length, Window, 0) :-
    !,
    ( Length < 1<<62 -> Window = Length ; Window = 0 ).
limits(instant, M, Name, 0, Group) :-
    !,
    group(M, Name, Group).
limits(lasting, _, _, 0, 0).

group(M, Name, Group) :-
    M:goal_group(Name, Group),
    !.
group(M, Name, Group) :-
    M:goal_stores(Stores),
    etalis_goals:new_goal_group(Stores, Group),
    assertz(M:goal_group(Name, Group)).

% ---- goals of rules -----------------------------------------------------------------------------------------

%!  with_stores(+Engine, +Clause, -Stored) is det.
%
%   The same rule or goal, which calls its stores.

with_stores(_, Goal, Stored), var(Goal) =>
    Stored = Goal.
with_stores(M, (Head :- Body), Stored) =>
    Stored = (Head :- StoredBody),
    with_stores(M, Body, StoredBody).
with_stores(M, Goal, Stored), is_control(Goal) =>
    compound_name_arguments(Goal, Name, Parts),
    maplist(with_stores(M), Parts, StoredParts),
    compound_name_arguments(Stored, Name, StoredParts).
with_stores(M, findall(Row, Solution, Rows), Stored) =>
    Stored = findall(Row, StoredSolution, Rows),
    with_stores(M, Solution, StoredSolution).
with_stores(M, Goal, Stored), store_goal(Goal, M, Call) =>
    Stored = etalis_goals:Call.
with_stores(M, consume_occurrences(Query, Names), Stored) =>
    Stored = consume_occurrences(Query, Stores),
    maplist(store_of(M), Names, Stores).
with_stores(_, Goal, Stored) =>
    Stored = Goal.

is_control((_,_)).
is_control((_;_)).
is_control((_->_)).
is_control((_*->_)).
is_control(\+_).
is_control(forall(_,_)).

store_goal(insert(Goal), M, Call) :-
    call_of(insert_goal, insert_row, M, Goal, Call).
store_goal(forget(Goal), M, Call) :-
    call_of(forget_goal, forget_row, M, Goal, Call).
store_goal(newest(Goal), M, Call) :-
    call_of(newest_goals, newest_rows, M, Goal, Call).
store_goal(begin_life(Goal, Least), M, Call) :-
    call_of(renew_goal, renew_row, M, Goal, Kept),
    Kept =.. Parts,
    append(Parts, [Least], All),
    Call =.. All.
store_goal(forget_all(Name), M, forget_goals(Store)) :-
    store_of(M, Name, Store).
store_goal(current_instant(Name, Now), M, begin_group_instant(Group, Now)) :-
    group(M, Name, Group).
store_goal(Goal, M, Call) :-
    group_goal(Goal, Name, Groups, Call),
    predicate_property(M:aggregate_declared(_, _, _), dynamic),
    M:aggregate_declared(Name, _, Groups),
    !.
store_goal(Goal, M, Call) :-
    callable(Goal),
    call_of(goals, goal_rows, M, Goal, Call).

group_goal(group_add(Name,Start,End,Key,Args), Name, Groups, add_solution(Groups,Start,End,Key,Args)).
group_goal(group_change(Name,Goes,Now,Key,Args), Name, Groups, add_solution(Groups,Goes,Now,Key,Args)).
group_goal(group_settle(Name,Now), Name, Groups, settle_groups(Groups,Now)).
group_goal(group_row(Name,Key,Values), Name, Groups, group_rows(Groups,Key,Values)).
group_goal(demand_row(Name,Time,Key), Name, Groups, ask_row(Groups,Time,Key)).
group_goal(settled_demand(Name,Time,Key), Name, Groups, asked_rows(Groups,Time,Key)).

most_columns(60).                       % as in rules/native/native.h

call_of(Named, Packed, M, Goal, Call) :-
    functor(Goal, Name, Arity),
    M:goal_store(Name, Arity, Store, _),
    !,
    Goal =.. [_|Columns],
    (   most_columns(Most),
        Arity =< Most
    ->  Call =.. [Named,Store|Columns]
    ;   Row =.. [row|Columns],
        Call =.. [Packed,Store,Row]
    ).

store_of(M, Name, Store) :-
    M:goal_store(Name, _, Store, _),
    !.

% ---- time passes --------------------------------------------------------------------------------------------

%!  turn_stores(:Time) is det.
%
%   What is to be done before the instant Time, one that is not before M:next_turn/1: state changes, and goals that
%   are out of their window are forgotten. Where times are beyond 64 bits, none are.

turn_stores(M:Time) :-
    apply_changes(M),
    M:goal_stores(Stores),
    (   etalis_goals:turn_goals(Stores, Time, Next)
    ->  set_next_turn(M, Next)
    ;   Time < 0
    ->  turn_at_once(M)
    ;   retractall(M:next_turn(_))
    ).

turn_at_once(M) :-
    First is -(1<<62),
    set_next_turn(M, First).

set_next_turn(M, Next) :-
    retractall(M:next_turn(_)),
    assertz(M:next_turn(Next)).

% ---- what there is ------------------------------------------------------------------------------------------

%!  kept_store(+Engine, ?Name, ?Arity, -Store) is nondet.
%!  passing_store(+Engine, -Store) is nondet.
%
%   Stores whose goals outlive an instant, and the others.

kept_store(M, Name, Arity, Store) :-
    M:goal_store(Name, Arity, Store, kept).

passing_store(M, Store) :-
    M:goal_store(_, _, Store, passing).

%!  limited_runs(:Name) is det.
%
%   The store Name, of partial matches, may get one more: there are fewer than triples may be derived.
%
%   @throws error(etalis_limit(runs, Limit), _)

limited_runs(M:Name) :-
    goals_kept(M, Name, Count),
    M:derivation_limit(Limit),
    (   Count < Limit
    ->  true
    ;   throw(error(etalis_limit(runs, Limit), _))
    ).

%!  goals_kept(+Engine, +Name, -Count) is det.
%!  goals_size(+Engine, +Name, -Bytes) is det.
%
%   How many goals a store has, and their memory, without the terms in them.

goals_kept(M, Name, Count) :-
    (   M:goal_store(Name, _, Store, _)
    ->  etalis_goals:goal_count(Store, Count)
    ;   Count = 0
    ).

goals_size(M, Name, Bytes) :-
    (   M:goal_store(Name, _, Store, _)
    ->  etalis_goals:goal_bytes(Store, Bytes)
    ;   Bytes = 0
    ).
