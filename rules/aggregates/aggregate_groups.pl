:- module(etalis_aggregate_groups,
          [ new_tables/1,               % -Tables
            delete_tables/1,            % +Tables
            tables_size/2,              % +Tables, -Size
            group_of_key/4,             % +Tables, +Plan, +Key, -Group
            change_groups/3,            % +Tables, +Plan, +Changes
            group_values/4              % +Tables, +Plan, ?Key, -Values
          ]).
:- use_module(aggregate_accumulators, [member_comes/6, member_goes/6, no_members/3, result/5]).
:- use_module(aggregate_terms, [any_term/4, forget_term/3, set_term_value/4, term_value/4]).
:- use_module(library(pairs), [group_pairs_by_key/2]).

/** <module> Groups by key

All that changes is in the two tries of tables(Groups, Store): a fact that is replaced at each solution leaves
an erased one behind, and where much is kept many of those are passed over before they are collected.

Groups has the number of each group by its key (see aggregate_terms.pl; the only group of a declaration without keys
is the value of `key`), Store what is kept for it:
state(Group) with the value state(Members, Accumulators), and see aggregate_queues.pl and
aggregate_distinct.pl. A group without members is removed, but for the one of a declaration without keys. The
value of `number` is the next unused number.
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

:- det((new_tables/1, delete_tables/1, tables_size/2, group_of_key/4, change_groups/3)).

%!  new_tables(-Tables) is det.

new_tables(tables(Groups, Store)) :-
    trie_new(Groups),
    trie_new(Store),
    trie_insert(Store, number, 1).

%!  delete_tables(+Tables) is det.

delete_tables(tables(Groups, Store)) :-
    trie_destroy(Groups),
    trie_destroy(Store).

%!  tables_size(+Tables, -Size) is det.
%
%   How many values are kept.

tables_size(tables(Groups, Store), Size) :-
    trie_property(Groups, value_count(GroupCount)),
    trie_property(Store, value_count(StoreCount)),
    !,
    Size is GroupCount + StoreCount.

%!  group_of_key(+Tables, +Plan, +Key, -Group) is det.
%
%   The group of Key, which is made if there is none.

group_of_key(tables(Groups, Store), plan(Kept, _), Key, Group) :-
    (   group_number(Groups, Key, Group0)
    ->  Group = Group0
    ;   trie_lookup(Store, number, Group),
        First is Group + 1,
        empty_accumulators(Kept, First, Next, Accumulators),
        trie_update(Store, number, Next),
        ( Key == key -> trie_insert(Groups, key, Group) ; set_term_value(Groups, key, Key, Group) ),
        trie_insert(Store, state(Group), state(0, Accumulators))
    ).

%   group_number(+Groups, +Key, -Group) is semidet: the group without keys is the first and stays.

group_number(Groups, Key, Group) :-
    (   Key == key
    ->  trie_lookup(Groups, key, Group)
    ;   term_value(Groups, key, Key, Group)
    ).

any_group(Groups, Key, Group) :-
    (   ground(Key)
    ->  group_number(Groups, Key, Group)
    ;   trie_lookup(Groups, key, Group)
    ->  Key = key
    ;   any_term(Groups, key, Key, Group)
    ).

empty_accumulators([], Next, Next, []).
empty_accumulators([Keep|Kept], Number0, Next, [Accumulator|Accumulators]) :-
    no_members(Keep, Number0, Accumulator),
    Number is Number0 + 1,
    empty_accumulators(Kept, Number, Next, Accumulators).

%!  change_groups(+Tables, +Plan, +Changes) is det.
%
%   Changes is a list of group(Group,Key)-Change, Change one of come(Place, Args) and go(Place, Args); see
%   member_comes/6. The changes of one group are made in their order.

change_groups(Tables, plan(Kept, _), Changes) :-
    in_groups(Changes, Groups),
    change_each(Groups, Tables, Kept).

in_groups([], Groups) =>
    Groups = [].
in_groups([Group-Change], Groups) =>
    Groups = [Group-[Change]].
in_groups([Group1-Change1,Group2-Change2], Groups) =>
    (   Group1 == Group2
    ->  Groups = [Group1-[Change1,Change2]]
    ;   Groups = [Group1-[Change1],Group2-[Change2]]
    ).
in_groups(Changes, Groups) =>
    keysort(Changes, Sorted),
    group_pairs_by_key(Sorted, Groups).

change_each([], _, _).
change_each([group(Group, Key)-Changes|More], Tables, Kept) :-
    Tables = tables(Groups, Store),
    trie_delete(Store, state(Group), state(Members0, Accumulators0)),
    change_members(Changes, Store, Kept, Members0, Accumulators0, Members, Accumulators),
    (   Members =:= 0,
        Key \== key
    ->  forget_term(Groups, key, Key)
    ;   trie_insert(Store, state(Group), state(Members, Accumulators))
    ),
    change_each(More, Tables, Kept).

change_members([], _, _, Members, Accumulators, Members, Accumulators).
change_members([Change|Changes], Store, Kept, Members0, Accumulators0, Members, Accumulators) :-
    change_member(Change, Store, Kept, Members0, Accumulators0, Members1, Accumulators1),
    change_members(Changes, Store, Kept, Members1, Accumulators1, Members, Accumulators).

change_member(come(Place, Args), Store, Kept, Members0, Accumulators0, Members, Accumulators) :-
    Members is Members0 + 1,
    all_come(Kept, Store, Place, Args, Accumulators0, Accumulators).
change_member(go(Place, Args), Store, Kept, Members0, Accumulators0, Members, Accumulators) :-
    Members is Members0 - 1,
    all_go(Kept, Store, Place, Args, Accumulators0, Accumulators).

all_come([], _, _, _, [], []).
all_come([Keep|Kept], Store, Place, Args, [Accumulator0|More0], [Accumulator|More]) :-
    member_comes(Keep, Store, Place, Args, Accumulator0, Accumulator),
    all_come(Kept, Store, Place, Args, More0, More).

all_go([], _, _, _, [], []).
all_go([Keep|Kept], Store, Place, Args, [Accumulator0|More0], [Accumulator|More]) :-
    member_goes(Keep, Store, Place, Args, Accumulator0, Accumulator),
    all_go(Kept, Store, Place, Args, More0, More).

%!  group_values(+Tables, +Plan, ?Key, -Values) is nondet.
%
%   The row of each group. With a ground Key there is at most one, looked up.

group_values(Tables, Plan, Key, Values) :-
    Tables = tables(Groups, Store),
    any_group(Groups, Key, Group),
    trie_lookup(Store, state(Group), state(_, Accumulators)),
    values_of(Store, Plan, Accumulators, Values).

values_of(Store, plan(_, Outputs), Accumulators, Values) :-
    results(Outputs, Store, Accumulators, Results),
    compound_name_arguments(Values, values, Results).

results([], _, _, []).
results([output(Function, Place, Keep)|Outputs], Store, Accumulators, [Result|Results]) :-
    nth_of(Place, Accumulators, Accumulator),
    result(Keep, Store, Accumulator, Function, Result),
    results(Outputs, Store, Accumulators, Results).

nth_of(Place, [First|Others], Accumulator) :-
    (   Place =:= 1
    ->  Accumulator = First
    ;   Before is Place - 1,
        nth_of(Before, Others, Accumulator)
    ).
