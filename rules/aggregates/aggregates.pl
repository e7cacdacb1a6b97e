:- module(etalis_aggregates,
          [ declare_group/4,            % :Name, +KeyCount, +Aggregates, +Window
            group_load/3,               % :Name, +Key, +Args
            group_add/5,                % :Name, +Start, +End, +Key, +Args
            group_settle/2,             % :Name, +Now
            group_row/3,                % :Name, ?Key, -Values
            group_is_empty/1,           % :Name
            drop_groups/1               % :Any
          ]).
:- use_module(aggregate_groups, [change_groups/3, delete_tables/1, group_of_key/4, group_values/4, new_tables/1]).
:- use_module(aggregate_plan, [aggregate_plan/2]).
:- use_module(aggregate_windows,
              [check_window/2, empty_window/1, no_one_in_window/1, wait_for_instant/2, window_change/5]).
:- reexport(aggregate_lists).

/** <module> GROUP BY, aggregates and windows

The solutions of a group pattern come in as they are found; once their instant is complete, those that are in
the window are in their groups, and each group gives a row. Nothing is computed anew from what is in the
window: a solution changes its group when it comes and when it goes, at an amortised cost that depends neither
on how many solutions are in the window nor on how many groups there are. Only GROUP_CONCAT takes time for
each of them, when its value is asked for.

M:aggregate_declared(Name, Plan, Window, Tables) is all there is in the engine's module; Tables are tries (see
aggregate_groups.pl) and hold no more than what is in the window, or will be. A window without an old end
keeps no solutions: a few numbers a group, the different values for DISTINCT, the values of GROUP_CONCAT.
*/

:- meta_predicate
    declare_group(:, +, +, +),
    group_load(:, +, +),
    group_add(:, +, +, +, +),
    group_settle(:, +),
    group_row(:, ?, -),
    group_is_empty(:),
    drop_groups(:).

:- det((declare_group/4, drop_groups/1, group_load/3, group_add/5, group_settle/2)).

%!  declare_group(:Name, +KeyCount, +Aggregates, +Window) is det.
%
%   Name, an atom, stands for a group pattern, its GROUP BY and its window in the engine. A Key is
%   key(Term...) with KeyCount terms, `key` without GROUP BY: then there is one group, also when it is empty.
%   Args is args(Term...), what is aggregated; a term may be '$unbound'.
%
%   Aggregates is a list of agg(Function, Distinct, Argument): Function one of count, sum, avg, min, max,
%   sample and group_concat(Separator), Separator a string; Distinct `true` or `false`; Argument a place in
%   args(...), from 1, or `all` in COUNT(*).
%
%   Window is one of
%
%     - landmark: all solutions so far
%     - range(Width): at the instant t, those that end in (t-Width, t]
%     - step(Width, Step): the same; that group_settle/2 is called at each step is up to the caller
%     - past(A, B): those that end in (t-A, t-B], A > B
%     - rows(Count): the Count newest, by end, start, key and args
%
%   with durations in microseconds.

declare_group(M:Name, KeyCount, Aggregates, Window) :-
    dynamic(M:aggregate_declared/4),
    aggregate_plan(Aggregates, Plan),
    check_window(Window, Checked),
    new_tables(Tables),
    Tables = tables(_, Store),
    empty_window(Store),
    (   KeyCount == 0
    ->  group_of_key(Tables, Plan, key, _)
    ;   true
    ),
    assertz(M:aggregate_declared(Name, Plan, Checked, Tables)).

%!  drop_groups(:Any) is det.
%
%   Give back at once what the groups of an engine hold. They cannot be used after that.

drop_groups(M:_) :-
    (   predicate_property(M:aggregate_declared(_, _, _, _), dynamic)
    ->  forall(retract(M:aggregate_declared(_, _, _, Tables)), delete_tables(Tables))
    ;   true
    ).

%!  group_load(:Name, +Key, +Args) is det.
%
%   Add a solution without time, which is in every window. All come before the first group_settle/2.

group_load(M:Name, Key, Args) :-
    M:aggregate_declared(Name, _, _, tables(_, Store)),
    !,
    wait_for_instant(Store, timeless(Key, Args)).

%!  group_add(:Name, +Start, +End, +Key, +Args) is det.
%
%   Add a solution. Those that end at one time may be added in any order.

group_add(M:Name, Start, End, Key, Args) :-
    M:aggregate_declared(Name, _, _, tables(_, Store)),
    !,
    wait_for_instant(Store, solution(End, Start, Key, Args)).

%!  group_settle(:Name, +Now) is det.
%
%   No more solutions that end at Now will come, or before: bring the window to this instant. A later call
%   has no earlier Now.

group_settle(M:Name, Now) :-
    M:aggregate_declared(Name, Plan, Window, Tables),
    !,
    window_change(Tables, Plan, Window, Now, Changes),
    change_groups(Tables, Plan, Changes).

%!  group_row(:Name, ?Key, -Values) is nondet.
%
%   A row for each group that has solutions in the window, and always for the one of KeyCount 0. Values is
%   values(Value...) in the order of the aggregates, '$unbound' where a value is an error. Semidet, and by
%   index, where Key is ground. Other groups may change before the next row is asked for.

group_row(M:Name, Key, Values) :-
    M:aggregate_declared(Name, Plan, _, Tables),
    !,
    group_values(Tables, Plan, Key, Values).

%!  group_is_empty(:Name) is semidet.
%
%   There is no solution in the window, nor added for it, but those without time.

group_is_empty(M:Name) :-
    M:aggregate_declared(Name, _, _, tables(_, Store)),
    !,
    no_one_in_window(Store).
