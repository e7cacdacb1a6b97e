:- module(etalis_aggregate_lists,
          [ group_row_of_list/5         % +KeyCount, +Aggregates, +Solutions, -Key, -Values
          ]).
:- use_module(aggregate_accumulators, [member_comes/6, no_members/3, result/5]).
:- use_module(aggregate_plan, [aggregate_plan/2]).
:- use_module(aggregate_texts, [joined_list/4]).
:- use_module(library(apply), [foldl/4, maplist/3]).
:- use_module(library(lists), [list_to_set/2, member/2]).
:- use_module(library(pairs), [group_pairs_by_key/2]).

/** <module> Aggregates of a list of solutions

For solutions without time, which are all there from the start and keep no state.
*/

%!  group_row_of_list(+KeyCount, +Aggregates, +Solutions, -Key, -Values) is nondet.
%
%   One row for each group; without keys one also for no solutions. Solutions is a list of Key-Args in any
%   order: they are taken in the standard order. The rest is as for group_row/3 and declare_group/4.

group_row_of_list(KeyCount, Aggregates, Solutions, Key, Values) :-
    aggregate_plan(Aggregates, plan(_, Outputs)),
    groups(KeyCount, Solutions, Groups),
    member(Key-Members, Groups),
    maplist(value_of_list(Members), Outputs, List),
    compound_name_arguments(Values, values, List).

groups(0, [], Groups) =>
    Groups = [key-[]].
groups(_, Solutions, Groups) =>
    msort(Solutions, Sorted),
    group_pairs_by_key(Sorted, Groups).

value_of_list(Members, output(Function, _, keep(Kind, Distinct, Argument)), Value) :-
    value_kept(Kind, Distinct, Argument, Members, Function, Value),
    !.

value_kept(texts, Distinct, Argument, Members, group_concat(Separator), Value) :-
    maplist(arg(Argument), Members, Terms),
    joined_list(Separator, Distinct, Terms, Value).
value_kept(Kind, true, Argument, Members, Function, Value) :-
    (   Argument == all
    ->  Terms = Members
    ;   maplist(arg(Argument), Members, Terms)
    ),
    list_to_set(Terms, Different),
    maplist(only_argument, Different, Only),
    value_kept(Kind, false, 1, Only, Function, Value).
value_kept(Kind, false, Argument, Members, Function, Value) :-
    Keep = keep(Kind, false, Argument),
    no_members(Keep, none, Accumulator0),
    foldl(member_comes(Keep, none, lasting), Members, Accumulator0, Accumulator),
    result(Keep, none, Accumulator, Function, Value).

only_argument(Term, args(Term)).
