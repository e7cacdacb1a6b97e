:- module(etalis_aggregate_lists,
          [ group_row_of_list/5         % +KeyCount, +Aggregates, +Solutions, -Key, -Values
          ]).
:- use_module(aggregate_plan, [aggregate_plan/2]).
:- use_module(library(lists), [member/2]).

/** <module> Aggregates of a list of solutions

For solutions without time, which are all there from the start and keep no state.
*/

%!  group_row_of_list(+KeyCount, +Aggregates, +Solutions, -Key, -Values) is nondet.
%
%   One row for each group; without keys one also for no solutions. Solutions is a list of Key-Args in any
%   order: they are taken in the standard order. The rest is as for group_row/3 and declare_group/4.

group_row_of_list(KeyCount, Aggregates, Solutions, Key, Values) :-
    aggregate_plan(Aggregates, plan(Kept, Outputs)),
    setup_call_cleanup(
        etalis_goals:new_goal_stores(Stores),
        rows_of_list(Stores, KeyCount, Kept, Outputs, Solutions, Rows),
        etalis_goals:delete_goal_stores(Stores)),
    member(Key-Values, Rows).

rows_of_list(Stores, KeyCount, Kept, Outputs, Solutions, Rows) :-
    etalis_goals:new_groups(Stores, KeyCount, Kept, Outputs, landmark, Groups),
    forall(member(Key-Args, Solutions), etalis_goals:load_solution(Groups, Key, Args)),
    etalis_goals:settle_groups(Groups, 0),
    findall(Key-Values, etalis_goals:group_rows(Groups, Key, Values), Rows).
