:- module(etalis_aggregates,
          [ declare_group/4,            % :Name, +KeyCount, +Aggregates, +Window
            group_load/3,               % :Name, +Key, +Args
            group_add/5,                % :Name, +Start, +End, +Key, +Args
            group_change/5,             % :Name, +Goes, +Now, +Key, +Args
            group_settle/2,             % :Name, +Now
            group_row/3,                % :Name, ?Key, -Values
            group_is_empty/1,           % :Name
            forget_group/1,             % :Name
            groups_kept/3,              % +Engine, +Name, -Size
            groups_size/3               % +Engine, +Name, -Bytes
          ]).
:- use_module(aggregate_numbers, []).   % what C asks for
:- use_module(aggregate_plan, [aggregate_plan/2]).
:- use_module(aggregate_values, []).
:- reexport(aggregate_lists).

/** <module> GROUP BY, aggregates and windows

The solutions of a group pattern come in as they are found; once their instant is complete, those that are in
the window are in their groups, and each group gives a row. Groups, windows and sums are native (rules/native/groups.c),
and belong to the stores of the engine (goal_store.pl); M:aggregate_declared(Name, Window, Groups) has them by name.
Rules call the native predicates themselves, see with_stores/3.

They hold no more than what is in the window, or will be. A window without an old end, and changes, keep no solutions: a few numbers
a group, the different values for DISTINCT, the values of GROUP_CONCAT. Only GROUP_CONCAT takes time for each solution,
when its value is asked for.
*/

:- meta_predicate
    declare_group(:, +, +, +),
    group_load(:, +, +),
    group_add(:, +, +, +, +),
    group_change(:, +, +, +, +),
    group_settle(:, +),
    group_row(:, ?, -),
    group_is_empty(:),
    forget_group(:).

:- det((declare_group/4, group_load/3, group_add/5, group_change/5, group_settle/2, groups_kept/3, groups_size/3,
       forget_group/1)).

%!  declare_group(:Name, +KeyCount, +Aggregates, +Window) is det.
%
%   Name, an atom, stands for a group pattern, its GROUP BY and its window in the engine. A Key is
%   key(Term...) with KeyCount terms, `key` without GROUP BY: then there is one group, also when it is empty.
%   Args is args(Term...), what is aggregated; a term may be '$unbound'.
%
%   Aggregates is a list of agg(Function, Distinct, Argument): Function one of count, sum, avg, min, max,
%   sample and group_concat(Separator), Separator a string; Distinct `true` or `false`; Argument a place in
%   args(...), from 1, or `all` in COUNT(*). Of `changes` it may be first_row(Keys) or last_row(Keys), of an argument row(Column...)
%   and Keys places in it, from 1, below 0 where the order is the other way round; then all columns decide.
%
%   Window is one of
%
%     - landmark: all solutions so far
%     - range(Width): at the instant t, those that end in (t-Width, t]
%     - step(Width, Step): the same; that group_settle/2 is called at each step is up to the caller
%     - past(A, B): those that end in (t-A, t-B], A > B
%     - rows(Count): the Count newest, by end, start, key and args
%     - instant: those that end then; those whose order would count go by their values
%     - changes: those that group_change/5 tells; the same
%
%   with durations in microseconds.

declare_group(M:Name, KeyCount, Aggregates, Window) :-
    dynamic(M:aggregate_declared/3),
    aggregate_plan(Aggregates, plan(Kept, Outputs)),
    held(Window, Held),
    M:goal_stores(Stores),
    etalis_goals:new_groups(Stores, KeyCount, Kept, Outputs, Held, Groups),
    assertz(M:aggregate_declared(Name, Held, Groups)),
    (   predicate_property(M:changes_begun, dynamic),
        M:changes_begun
    ->  etalis_goals:mark_groups(Groups)
    ;   true
    ).

held(landmark, Held) => Held = landmark.
held(range(Width), Held) => Held = time(Width, 0).
held(step(Width, _), Held) => Held = time(Width, 0).
held(past(Oldest, Delay), Held) => Held = time(Oldest, Delay).
held(rows(Count), Held) => Held = rows(Count).
held(instant, Held) => Held = instant.
held(changes, Held) => Held = changes.

groups_named(M, Name, Groups) :-
    M:aggregate_declared(Name, _, Groups),
    !.

%!  group_load(:Name, +Key, +Args) is det.
%
%   Add a solution without time, which is in every window. All come before the first group_settle/2.

group_load(M:Name, Key, Args) :-
    groups_named(M, Name, Groups),
    etalis_goals:load_solution(Groups, Key, Args).

%!  group_add(:Name, +Start, +End, +Key, +Args) is det.
%
%   Add a solution. Those that end at one time may be added in any order.

group_add(M:Name, Start, End, Key, Args) :-
    groups_named(M, Name, Groups),
    etalis_goals:add_solution(Groups, Start, End, Key, Args).

%!  group_change(:Name, +Goes, +Now, +Key, +Args) is det.
%
%   Of a window `changes`: a solution comes at Now where Goes is 0; where it is 1, one that is there goes.

group_change(M:Name, Goes, Now, Key, Args) :-
    group_add(M:Name, Goes, Now, Key, Args).

%!  group_settle(:Name, +Now) is det.
%
%   No more solutions that end at Now will come, or before: bring the window to this instant. A later call
%   has no earlier Now.

group_settle(M:Name, Now) :-
    groups_named(M, Name, Groups),
    etalis_goals:settle_groups(Groups, Now).

%!  group_row(:Name, ?Key, -Values) is nondet.
%
%   A row for each group that has solutions in the window, and always for the one of KeyCount 0. Values is
%   values(Value...) in the order of the aggregates, '$unbound' where a value is an error. Semidet, and by
%   index, where Key is ground. Other groups may change before the next row is asked for.

group_row(M:Name, Key, Values) :-
    groups_named(M, Name, Groups),
    etalis_goals:group_rows(Groups, Key, Values).

%!  group_is_empty(:Name) is semidet.
%
%   There is no solution in the window, nor added for it, but those without time.

group_is_empty(M:Name) :-
    groups_named(M, Name, Groups),
    \+ etalis_goals:have_members(Groups).

%!  forget_group(:Name) is det.
%
%   No rule speaks of the group any more, if there is one of this name.

forget_group(M:Name) :-
    (   predicate_property(M:aggregate_declared(_, _, _), dynamic),
        retract(M:aggregate_declared(Name, _, Groups))
    ->  etalis_goals:delete_groups(Groups)
    ;   true
    ).

%!  groups_kept(+Engine, +Name, -Size) is det.
%!  groups_size(+Engine, +Name, -Bytes) is det.
%
%   How many solutions are in the window, or will be; in one without an old end, how many groups there are. And their
%   memory, without the terms in them.

groups_kept(M, Name, Size) :-
    M:aggregate_declared(Name, Window, Groups),
    !,
    etalis_goals:groups_size(Groups, Count, Solutions),
    ( memberchk(Window, [landmark,changes]) -> Size = Count ; Size = Solutions ).

groups_size(M, Name, Bytes) :-
    M:aggregate_declared(Name, _, Groups),
    !,
    etalis_goals:groups_bytes(Groups, Bytes).
