:- module(etalis_group_parts,
          [ group_part/2,               % +Engine, -Part
            restore_groups/2,           % +Part, +Engine
            forget_group_state/1,       % +Engine
            watch_groups/1,             % +Engine
            group_change/2              % +Engine, -Part
          ]).
:- use_module(library(error), [type_error/2]).
:- use_module(library(lists), [member/2]).

/** <module> Groups in snapshots

A part of a snapshot (snapshot.pl) is one of

  - groups(Name, Groups): the groups of a declaration, and what is kept for each
  - passed(Name, Count): how many solutions have come into a landmark window
  - members(Name, Members): those in the window in their order, and those that wait to enter
  - solutions(Name, Solutions): what came for the open instant; of changes, all that came, and when it was settled: what
    comes into a group decides all that is in it

with items as group_list/5 gives them (rules/native/group_predicates.c). To be restored in their order.
*/

:- det((restore_groups/2, forget_group_state/1, watch_groups/1)).

%   Items in one part: what is serialized stands on the stacks.

most_items(20_000).

declared(M, Name, Groups) :-
    predicate_property(M:aggregate_declared(_, _, _), dynamic),
    M:aggregate_declared(Name, _, Groups).

%!  group_part(+Engine, -Part) is nondet.

group_part(M, Part) :-
    declared(M, Name, Groups),
    state_of(Groups, Name, Part).

state_of(Groups, Name, groups(Name, Items)) :-
    items(Groups, groups, Items).
state_of(Groups, Name, passed(Name, Count)) :-
    etalis_goals:groups_passed(Groups, Count).
state_of(Groups, Name, members(Name, Items)) :-
    items(Groups, members, Items).
state_of(Groups, Name, solutions(Name, Items)) :-
    items(Groups, pending, Items).

items(Groups, What, Items) :-
    items_from(Groups, What, 0, Items).

items_from(Groups, What, From, Items) :-
    most_items(Most),
    etalis_goals:group_list(Groups, What, From, Most, Some),
    Some \== [],
    (   Items = Some
    ;   Next is From + Most,
        items_from(Groups, What, Next, Items)
    ).

%!  watch_groups(+Engine) is det.
%
%   From now on note what comes, for group_change/2.

watch_groups(M) :-
    forall(declared(M, _, Groups), etalis_goals:mark_groups(Groups)).

%!  group_change(+Engine, -Part) is nondet.
%
%   What came since watch_groups/1.

group_change(M, solutions(Name, Items)) :-
    declared(M, Name, Groups),
    items(Groups, changes, Items).

%!  forget_group_state(+Engine) is det.

forget_group_state(M) :-
    forall(declared(M, _, Groups), etalis_goals:empty_groups(Groups)).

%!  restore_groups(+Part, +Engine) is det.

restore_groups(Part, M) :-
    arg(1, Part, Name),
    (   declared(M, Name, Groups)
    ->  restore(Part, Groups)
    ;   type_error(groups_of_the_engine, Name)
    ).

restore(groups(_, Items), Groups) =>
    forall(member(group(Key, Members, Kept), Items), etalis_goals:restore_group(Groups, Key, Members, Kept)).
restore(passed(_, Count), Groups) =>
    etalis_goals:restore_passed(Groups, Count).
restore(members(_, Items), Groups) =>
    forall(member(member(End, Key, Args, IsIn), Items), etalis_goals:restore_member(Groups, End, Key, Args, IsIn)).
restore(solutions(_, Items), Groups) =>
    forall(member(Item, Items), restore_solution(Item, Groups)).

restore_solution(add(Start, End, Key, Args), Groups) =>
    etalis_goals:add_solution(Groups, Start, End, Key, Args).
restore_solution(load(Key, Args), Groups) =>
    etalis_goals:load_solution(Groups, Key, Args).
restore_solution(settle(Now), Groups) =>
    etalis_goals:settle_groups(Groups, Now).
