:- module(etalis_aggregate_groups,
          [ group_of_key/4,             % +Engine, +Name, +Key, -Group
            change_groups/4,            % +Engine, +Plan, +Name, +Changes
            group_values/5              % +Engine, +Plan, +Name, ?Key, -Values
          ]).
:- use_module(aggregate_accumulators, [member_comes/6, member_goes/6, no_members/3, result/5]).
:- use_module(aggregate_plan, [plan_values/3]).
:- use_module(library(apply), [foldl/4]).
:- use_module(library(lists), [nth1/3]).
:- use_module(library(pairs), [group_pairs_by_key/2]).

/** <module> Groups by key

A group is a number. M:aggregate_group(Hash, Name, Key, Group) is found by the hash of Name and Key, so a key may be any
terms; M:aggregate_state(Group, Members, Accumulators) by the number. A group without members is removed, but
for the one of a declaration without keys.
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

:- det((group_of_key/4, change_groups/4)).

%!  group_of_key(+Engine, +Name, +Key, -Group) is det.
%
%   The group of Key, which is made if there is none.

group_of_key(M, Name, Key, Group) :-
    term_hash(Name-Key, Hash),
    (   M:aggregate_group(Hash, Name, Key, Group0)
    ->  Group = Group0
    ;   M:aggregate_declared(Name, _, plan(Kept, _), _, _),
        retract(M:aggregate_number(Group)),
        !,
        First is Group + 1,
        empty_accumulators(Kept, First, Next, Accumulators),
        assertz(M:aggregate_number(Next)),
        assertz(M:aggregate_group(Hash, Name, Key, Group)),
        assertz(M:aggregate_state(Group, 0, Accumulators))
    ).

empty_accumulators([], Next, Next, []).
empty_accumulators([Keep|Kept], Number0, Next, [Accumulator|Accumulators]) :-
    no_members(Keep, Number0, Accumulator),
    Number is Number0 + 1,
    empty_accumulators(Kept, Number, Next, Accumulators).

%!  change_groups(+Engine, +Plan, +Name, +Changes) is det.
%
%   Changes is a list of group(Group,Key)-Change, Change one of come(Place, Args) and go(Place, Args); see
%   member_comes/6. The changes of one group are made in their order.

change_groups(M, plan(Kept, _), Name, Changes) :-
    in_groups(Changes, Groups),
    change_each(Groups, M, Kept, Name).

in_groups([], Groups) =>
    Groups = [].
in_groups([Group-Change], Groups) =>
    Groups = [Group-[Change]].
in_groups(Changes, Groups) =>
    keysort(Changes, Sorted),
    group_pairs_by_key(Sorted, Groups).

change_each([], _, _, _).
change_each([Group-Changes|Groups], M, Kept, Name) :-
    change_group(M, Kept, Name, Group, Changes),
    change_each(Groups, M, Kept, Name).

change_group(M, Kept, Name, group(Group, Key), Changes) :-
    retract(M:aggregate_state(Group, Members0, Accumulators0)),
    !,
    foldl(change_member(M, Kept), Changes, Members0-Accumulators0, Members-Accumulators),
    (   Members =:= 0,
        Key \== key
    ->  term_hash(Name-Key, Hash),
        retract(M:aggregate_group(Hash, Name, Key, Group)),
        !
    ;   assertz(M:aggregate_state(Group, Members, Accumulators))
    ).

change_member(M, Kept, come(Place, Args), Members0-Accumulators0, After) =>
    After = Members-Accumulators,
    Members is Members0 + 1,
    all_come(Kept, M, Place, Args, Accumulators0, Accumulators).
change_member(M, Kept, go(Place, Args), Members0-Accumulators0, After) =>
    After = Members-Accumulators,
    Members is Members0 - 1,
    all_go(Kept, M, Place, Args, Accumulators0, Accumulators).

all_come([], _, _, _, [], []).
all_come([Keep|Kept], M, Place, Args, [Accumulator0|More0], [Accumulator|More]) :-
    member_comes(Keep, M, Place, Args, Accumulator0, Accumulator),
    all_come(Kept, M, Place, Args, More0, More).

all_go([], _, _, _, [], []).
all_go([Keep|Kept], M, Place, Args, [Accumulator0|More0], [Accumulator|More]) :-
    member_goes(Keep, M, Place, Args, Accumulator0, Accumulator),
    all_go(Kept, M, Place, Args, More0, More).

%!  group_values(+Engine, +Plan, +Name, ?Key, -Values) is nondet.
%
%   The row of each group. With a bound Key there is at most one, found by index.

group_values(M, Plan, Name, Key, Values) :-
    (   ground(Key)
    ->  term_hash(Name-Key, Hash),
        M:aggregate_group(Hash, Name, Key, Group),
        !
    ;   M:aggregate_group(_, Name, Key, Group)
    ),
    values_of(M, Plan, Group, Values).

values_of(M, plan(Kept, Outputs), Group, Values) :-
    M:aggregate_state(Group, _, Accumulators),
    !,
    plan_values(value_of(M, Kept, Accumulators), Outputs, Values).

value_of(M, Kept, Accumulators, Place, Function, Value) :-
    nth1(Place, Kept, Keep),
    nth1(Place, Accumulators, Accumulator),
    !,
    result(Keep, M, Accumulator, Function, Value).
