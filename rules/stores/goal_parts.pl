:- module(etalis_goal_parts,
          [ goal_part/2,                % +Engine, -Part
            restore_goals/2,            % +Part, +Engine
            forget_goal_state/1,        % +Engine
            watch_goals/1,              % +Engine
            goal_change/2               % +Engine, -Part
          ]).
:- use_module(library(error), [existence_error/2, type_error/2]).
:- use_module(library(lists), [member/2]).
:- use_module(goal_store, [kept_store/4, passing_store/2]).

/** <module> Goals in snapshots

A store's part of a snapshot (snapshot.pl) is one of

  - goals(Name, Rows): goals in their order, row(Column...) each
  - removed_goals(Name, Rows): goals that were there are no more
  - dropped_goals(Name, Count): so many of the oldest are no more
  - young_goals(All): All lists Name-Counts, how many of the newest came since each of the store's last turns
  - turns(Turns): Turns lists Window-Time, when stores turn next

To be restored in their order.
*/

:- det((restore_goals/2, forget_goal_state/1, watch_goals/1)).

%   Goals in one part: what is serialized stands on the stacks.

most_goals(20_000).

%!  goal_part(+Engine, -Part) is nondet.
%
%   The goals of all stores.

goal_part(M, goals(Name, Rows)) :-
    kept_store(M, Name, Arity, Store),
    functor(Row, row, Arity),
    most_goals(Most),
    findnsols(Most, Row, etalis_goals:goal_rows(Store, Row), Rows),
    Rows \== [].
goal_part(M, Part) :-
    times(M, Part).

times(M, young_goals(All)) :-
    findall(Name-Counts,
            ( kept_store(M, Name, _, Store), etalis_goals:goal_count(Store, Count), Count > 0,
              etalis_goals:young_goals(Store, Counts)
            ),
            All),
    All \== [].
times(M, turns(Turns)) :-
    M:goal_stores(Stores),
    etalis_goals:goal_turns(Stores, Turns),
    Turns \== [].

%!  watch_goals(+Engine) is det.
%
%   From now on note what changes, for goal_change/2. M:told_times(Part) is what is known of times.

watch_goals(M) :-
    forall(kept_store(M, _, _, Store), etalis_goals:mark_goals(Store)),
    dynamic(M:told_times/1),
    retractall(M:told_times(_)),
    forall(times(M, Part), assertz(M:told_times(Part))).

%!  goal_change(+Engine, -Part) is nondet.
%
%   What is another since watch_goals/1.

goal_change(M, Part) :-
    kept_store(M, Name, Arity, Store),
    store_change(Name, Arity, Store, Part).
goal_change(M, Part) :-
    times(M, Part),
    \+ M:told_times(Part).

store_change(Name, _, Store, Part) :-
    etalis_goals:changed_goals(Store, Dropped, Removed),
    (   Removed \== [],
        Part = removed_goals(Name, Removed)
    ;   Dropped > 0,
        Part = dropped_goals(Name, Dropped)
    ).
store_change(Name, Arity, Store, goals(Name, Rows)) :-
    functor(Row, row, Arity),
    most_goals(Most),
    findnsols(Most, Row, etalis_goals:new_rows(Store, Row), Rows),
    Rows \== [].

%!  forget_goal_state(+Engine) is det.
%
%   All stores are empty.

forget_goal_state(M) :-
    forall(kept_store(M, _, _, Store), etalis_goals:forget_goals(Store)),
    forall(passing_store(M, Store), etalis_goals:forget_goals(Store)).

%!  restore_goals(+Part, +Engine) is det.

restore_goals(goals(Name, Rows), M) =>
    store_named(M, Name, Store),
    forall(member(Row, Rows), etalis_goals:insert_row(Store, Row)).
restore_goals(removed_goals(Name, Rows), M) =>
    store_named(M, Name, Store),
    forall(member(Row, Rows), must_forget(Store, Row)).
restore_goals(dropped_goals(Name, Count), M) =>
    store_named(M, Name, Store),
    etalis_goals:drop_goals(Store, Count).
restore_goals(young_goals(All), M) =>
    forall(member(Name-Counts, All),
           ( store_named(M, Name, Store), etalis_goals:set_young_goals(Store, Counts) )).
restore_goals(turns(Turns), M) =>
    M:goal_stores(Stores),
    forall(member(Window-Time, Turns), etalis_goals:set_goal_turn(Stores, Window, Time)).

store_named(M, Name, Store) :-
    (   kept_store(M, Name, _, Store)
    ->  true
    ;   type_error(goal_store_of_the_engine, Name)
    ).

must_forget(Store, Row) :-
    (   etalis_goals:forget_row(Store, Row)
    ->  true
    ;   existence_error(goal, Row)
    ).
