:- module(etalis_snapshot,
          [ snapshot_parts/2,           % +Engine, -Parts
            begin_restore/1,            % +Engine
            restore_part/2              % +Engine, +Part
          ]).
:- use_module(aggregate_groups, [delete_tables/1]).
:- use_module(library(lists), [member/2]).
:- use_module(policies, [add_goal/4]).
:- use_module(state_predicates, [index_of_goals/3, passing_predicate/2, state_predicate/2]).

/** <module> The state of an engine as text, and back

A part is one term in the form of fast_term_serialized/2, a string of characters up to 255:

  - facts(Where, Facts): facts of one predicate in their order, Where one of `engine` and `background`
  - trie(Group, Which, Pairs): Key-Value pairs of a trie of an aggregate, Which one of `groups` and `store`

References to clauses mean nothing to another process: the indexes of goals by what they are made of (policies.pl)
are made anew from the goals.
*/

:- det((snapshot_parts/2, begin_restore/1, restore_part/2)).

%   Facts in one part: what is serialized stands on the stacks.

most_facts(20_000).

%!  snapshot_parts(+Engine, -Parts) is det.
%
%   The whole state, between two calls of the engine.

snapshot_parts(M, Parts) :-
    findall(Part, ( state_term(M, Term), fast_term_serialized(Term, Part) ), Parts).

state_term(M, facts(Where, Facts)) :-
    state_predicate(M, Module:Head),
    predicate_property(Module:Head, number_of_clauses(Count)),
    Count > 0,
    ( Module == M -> Where = engine ; Where = background ),
    most_facts(Most),
    findnsols(Most, Head, clause(Module:Head, true), Facts),
    Facts \== [].
state_term(M, trie(Name, Which, Pairs)) :-
    trie_of_group(M, Name, Which, Trie),
    most_facts(Most),
    findnsols(Most, Key-Value, trie_gen(Trie, Key, Value), Pairs),
    Pairs \== [].

trie_of_group(M, Name, Which, Trie) :-
    predicate_property(M:aggregate_declared(_, _, _, _), dynamic),
    M:aggregate_declared(Name, _, _, tables(Groups, Store)),
    member(Which-Trie, [groups-Groups, store-Store]).

%!  begin_restore(+Engine) is det.
%
%   Forget the state: parts of another one follow.

begin_restore(M) :-
    forall(state_predicate(M, Head), retractall(Head)),
    forall(passing_predicate(M, Head), retractall(Head)),
    forall(index_predicate(M, Head), retractall(Head)),
    findall(Name, trie_of_group(M, Name, store, _), Names),
    forall(member(Name, Names), empty_group(M, Name)).

index_predicate(M, M:IndexHead) :-
    state_predicate(M, M:Head),
    index_of_goals(M, Head, Index),
    functor(IndexHead, Index, 2).

empty_group(M, Name) :-
    retract(M:aggregate_declared(Name, Plan, Window, tables(Groups, Store))),
    !,
    delete_tables(tables(Groups, Store)),
    trie_new(NewGroups),
    trie_new(NewStore),
    assertz(M:aggregate_declared(Name, Plan, Window, tables(NewGroups, NewStore))).

%!  restore_part(+Engine, +Part) is det.
%
%   Part is an atom.

restore_part(M, Part) :-
    atom_string(Part, Text),
    fast_term_serialized(Term, Text),
    restore(Term, M).

restore(facts(Where, [Fact|Facts]), M) =>
    restored_module(Where, M, Module),
    functor(Fact, Name, Arity),
    functor(Head, Name, Arity),
    must_be_state(M, Module:Head),
    (   Module == M,
        index_of_goals(M, Head, Index)
    ->  forall(member(Goal, [Fact|Facts]),
               ( arg(Arity, Goal, Used), add_goal(last, M:Goal, Index, Used) ))
    ;   forall(member(Each, [Fact|Facts]), assertz(Module:Each))
    ).
restore(trie(Name, Which, Pairs), M) =>
    trie_of_group(M, Name, Which, Trie),
    !,
    forall(member(Key-Value, Pairs), trie_insert(Trie, Key, Value)).

restored_module(engine, M, M).
restored_module(background, M, B) :-
    M:user_predicates(B),
    !.

must_be_state(M, Head) :-
    (   state_predicate(M, Head)
    ->  true
    ;   type_error(state_of_the_engine, Head)
    ).
