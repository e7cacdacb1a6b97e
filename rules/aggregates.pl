:- module(etalis_aggregates,
          [ declare_group/4,            % :Name, +KeyCount, +Aggregates, +Window
            group_load/3,               % :Name, +Key, +Args
            group_add/5,                % :Name, +Start, +End, +Key, +Args
            group_settle/2,             % :Name, +Now
            group_row/3,                % :Name, ?Key, -Values
            group_is_empty/1            % :Name
          ]).
:- use_module(aggregate_groups, [change_groups/4, group_of_key/4, group_values/5]).
:- use_module(aggregate_plan, [aggregate_plan/2]).
:- use_module(aggregate_windows, [check_window/2, window_change/6]).
:- use_module(library(lists), [member/2]).
:- reexport(aggregate_lists).

/** <module> GROUP BY, aggregates and windows

The solutions of a group pattern come in as they are found; once their instant is complete, those that are in the
window are in their groups, and each group gives a row. Nothing is computed anew from what is in the window:
a solution changes its group when it comes and when it goes, at an amortised cost that depends neither on how many
solutions are in the window nor on how many groups there are. Only GROUP_CONCAT takes time for each of them, when
its value is asked for.

Everything is kept in facts of the engine's module, and goes with what leaves the window. A window without an old
end keeps no solutions: a few numbers a group, the different values for DISTINCT, the values of GROUP_CONCAT.

  | facts of the engine's module              | see                   |
  |-------------------------------------------|-----------------------|
  | aggregate_declared/5, aggregate_loaded/3  | here                  |
  | aggregate_pending/5, aggregate_places/4   | aggregate_windows.pl  |
  | aggregate_group/4, aggregate_state/3      | aggregate_groups.pl   |
  | aggregate_number/1: the next unused one   | aggregate_groups.pl   |
  | aggregate_item/2                          | aggregate_queues.pl   |
  | aggregate_value/4                         | aggregate_distinct.pl |
  | aggregate_text/2                          | aggregate_texts.pl    |
*/

:- meta_predicate
    declare_group(:, +, +, +),
    group_load(:, +, +),
    group_add(:, +, +, +, +),
    group_settle(:, +),
    group_row(:, ?, -),
    group_is_empty(:).

:- det((declare_group/4, group_load/3, group_add/5, group_settle/2)).

%!  declare_group(:Name, +KeyCount, +Aggregates, +Window) is det.
%
%   Name, an atom, stands for a group pattern, its GROUP BY and its window in the engine. A Key is key(Term...) with
%   KeyCount terms, `key` without GROUP BY: then there is one group, also when it is empty. Args is args(Term...),
%   what is aggregated; a term may be '$unbound'.
%
%   Aggregates is a list of agg(Function, Distinct, Argument): Function one of count, sum, avg, min, max, sample and
%   group_concat(Separator), Separator a string; Distinct `true` or `false`; Argument a place in args(...), from 1,
%   or `all` in COUNT(*).
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
    dynamic(M:[ aggregate_declared/5, aggregate_loaded/3,
                aggregate_pending/5, aggregate_places/4,
                aggregate_group/4, aggregate_state/3, aggregate_number/1,
                aggregate_item/2, aggregate_value/4, aggregate_text/2
              ]),
    aggregate_plan(Aggregates, Plan),
    check_window(Window, Checked),
    queue_number(M, Queue),
    assertz(M:aggregate_declared(Name, KeyCount, Plan, Checked, Queue)),
    assertz(M:aggregate_places(Name, 1, 0, 0)),
    (   KeyCount == 0
    ->  group_of_key(M, Name, key, _)
    ;   true
    ).

queue_number(M, Queue) :-
    (   retract(M:aggregate_number(Queue))
    ->  true
    ;   Queue = 0
    ),
    Next is Queue + 1,
    assertz(M:aggregate_number(Next)).

%!  group_load(:Name, +Key, +Args) is det.
%
%   Add a solution without time, which is in every window. All come before the first group_settle/2.

group_load(M:Name, Key, Args) :-
    assertz(M:aggregate_loaded(Name, Key, Args)).

%!  group_add(:Name, +Start, +End, +Key, +Args) is det.
%
%   Add a solution. Those that end at one time may be added in any order.

group_add(M:Name, Start, End, Key, Args) :-
    assertz(M:aggregate_pending(Name, End, Start, Key, Args)).

%!  group_settle(:Name, +Now) is det.
%
%   No more solutions that end at Now will come, or before: bring the window to this instant. A later call
%   has no earlier Now.

group_settle(M:Name, Now) :-
    M:aggregate_declared(Name, _, Plan, Window, Queue),
    !,
    settle_loaded(M, Name, Plan),
    window_change(M, Name, Window, Queue, Now, Changes),
    change_groups(M, Plan, Name, Changes).

settle_loaded(M, Name, Plan) :-
    findall(Key-Args, M:aggregate_loaded(Name, Key, Args), Unsorted),
    (   Unsorted == []
    ->  true
    ;   retractall(M:aggregate_loaded(Name, _, _)),
        msort(Unsorted, Sorted),
        findall(group(Group, Key)-come(lasting, Args),
                ( member(Key-Args, Sorted), group_of_key(M, Name, Key, Group) ),
                Changes),
        change_groups(M, Plan, Name, Changes)
    ).

%!  group_row(:Name, ?Key, -Values) is nondet.
%
%   A row for each group that has solutions in the window, and always for the one of KeyCount 0. Values is
%   values(Value...) in the order of the aggregates, '$unbound' where a value is an error. Semidet, and by index,
%   where Key is ground. Other groups may change before the next row is asked for.

group_row(M:Name, Key, Values) :-
    M:aggregate_declared(Name, _, Plan, _, _),
    !,
    group_values(M, Plan, Name, Key, Values).

%!  group_is_empty(:Name) is semidet.
%
%   There is no solution in the window but those without time.

group_is_empty(M:Name) :-
    M:aggregate_places(Name, First, Newest, _),
    !,
    Newest < First.
