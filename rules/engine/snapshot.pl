:- module(etalis_snapshot,
          [ snapshot_parts/2,           % +Engine, -Parts
            begin_restore/1,            % +Engine
            restore_part/2              % +Engine, +Part
          ]).
:- use_module('../aggregates/group_parts', [forget_group_state/1, group_part/2, restore_groups/2]).
:- use_module(library(error), [existence_error/2, type_error/2]).
:- use_module(library(lists), [member/2]).
:- use_module('../stores/goal_parts', [forget_goal_state/1, goal_part/2, restore_goals/2]).
:- use_module('../stores/state_predicates', [passing_predicate/2, state_predicate/2]).

/** <module> The state of an engine as text, and back

A part is one term in the form of fast_term_serialized/2, a string of characters up to 255:

  - facts(Where, Facts): facts of one predicate in their order, Where one of `engine` and `background`
  - those of goal_parts.pl and group_parts.pl
  - and those of changes_parts/2
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
state_term(M, Part) :-
    goal_part(M, Part).
state_term(M, Part) :-
    group_part(M, Part).

%!  begin_restore(+Engine) is det.
%
%   Forget the state: parts of another one follow.

begin_restore(M) :-
    forall(state_predicate(M, Head), retractall(Head)),
    forall(passing_predicate(M, Head), retractall(Head)),
    forget_goal_state(M),
    forget_group_state(M).

%!  restore_part(+Engine, +Part) is det.
%
%   Part is an atom.

restore_part(M, Part) :-
    atom_string(Part, Text),
    fast_term_serialized(Term, Text),
    restore(Term, M).

restore(facts(Where, Facts), M) =>
    keep(Where, M, Facts).
restore(control(Facts, Name, Arity), M) =>
    functor(Head, Name, Arity),
    must_be_state(M, M:Head),
    retractall(M:Head),
    forall(member(Fact, Facts), assertz(M:Fact)).
restore(emptied(Where, Name, Arity), M) =>
    restored_module(Where, M, Module),
    functor(Head, Name, Arity),
    must_be_state(M, Module:Head),
    retractall(Module:Head).
restore(removed(Where, Facts), M) =>
    forall(member(Fact, Facts), remove(Where, M, Fact)).
restore(Part, M), functor(Part, Kind, 2), memberchk(Kind, [groups,passed,members,solutions]) =>
    restore_groups(Part, M).
restore(Part, M) =>
    restore_goals(Part, M).

restored_module(engine, M, M).
restored_module(background, M, B) :-
    M:user_predicates(B),
    !.

%   keep(+Where, +M, +Facts): facts of one predicate, in their order.

keep(Where, M, Facts) :-
    restored_module(Where, M, Module),
    Facts = [First|_],
    general(First, Head),
    must_be_state(M, Module:Head),
    forall(member(Fact, Facts), assertz(Module:Fact)).

remove(Where, M, Fact) :-
    restored_module(Where, M, Module),
    general(Fact, Head),
    must_be_state(M, Module:Head),
    (   retract(Module:Fact)
    ->  true
    ;   existence_error(fact, Fact)
    ).

general(Fact, Head) :-
    functor(Fact, Name, Arity),
    functor(Head, Name, Arity).

must_be_state(M, Head) :-
    (   state_predicate(M, Head)
    ->  true
    ;   type_error(state_of_the_engine, Head)
    ).
