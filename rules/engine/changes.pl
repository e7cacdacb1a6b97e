:- module(etalis_changes,
          [ record_changes/1,           % +Engine
            begin_changes/1,            % +Engine
            watch_no_more/1,            % +Engine
            watch_predicate_no_more/1,  % :Head
            changes_parts/2             % +Engine, -Parts
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(library(pairs), [group_pairs_by_key/2]).
:- use_module('../aggregates/group_parts', [group_change/2, watch_groups/1]).
:- use_module('../stores/goal_parts', [goal_change/2, watch_goals/1]).
:- use_module('../stores/state_predicates', [control_predicate/2, stored_predicate/2]).

/** <module> What changed in the state of an engine since it was last asked for

Only engines that were told to (record_changes/1) do any of this, and only when there is a snapshot that changes
can follow (begin_changes/1). Facts are watched by Prolog itself
(prolog_listen/2): no rule looks different. Written down in the engine's module are

  - added_fact(Reference, Where): a clause that is new, Where one of `engine` and `background`. If it is
    gone when the changes are asked for, nothing is said of it.
  - removed_fact(Where, Fact): a clause that is not new was removed
  - emptied(Where, Head): all clauses of a predicate were removed at once
  - told_control(Head, Facts): what was last said of clocks, counters and other predicates with few facts, which
    are compared

Stores of goals and groups note their changes themselves (goal_parts.pl, group_parts.pl).
*/

:- meta_predicate watch_predicate_no_more(:).

:- det((record_changes/1, begin_changes/1, watch_no_more/1, watch_predicate_no_more/1, changes_parts/2)).

%!  record_changes(+Engine) is det.
%
%   Changes will be asked for. To be called before queries are added.

record_changes(M) :-
    dynamic(M:[ added_fact/2, removed_fact/2, emptied/2, told_control/2, watched/1, changes_begun/0 ]).

%!  begin_changes(+Engine) is det.
%
%   What changes from now on is new: a snapshot was taken, or restored.

begin_changes(M) :-
    retractall(M:changes_begun),
    assertz(M:changes_begun),
    watch_state(M),
    forget_changes(M).

%   Watch the predicates that are not watched yet.

watch_state(M) :-
    forall(( stored_predicate(M, Head), \+ M:watched(Head) ),
           ( assertz(M:watched(Head)),
             indicator(Head, Indicator),
             prolog_listen(Indicator, etalis_changes:note(M, Head))
           )).

indicator(Module:Head, Module:Name/Arity) :-
    functor(Head, Name, Arity).

%!  watch_no_more(+Engine) is det.
%
%   Before the predicates go.

watch_no_more(M) :-
    (   predicate_property(M:watched(_), dynamic)
    ->  forall(retract(M:watched(Head)),
               ( indicator(Head, Indicator),
                 prolog_unlisten(Indicator, etalis_changes:note(M, Head))
               ))
    ;   true
    ).

%!  watch_predicate_no_more(:Head) is det.
%
%   Before this predicate goes.

watch_predicate_no_more(M:Head) :-
    (   predicate_property(M:watched(_), dynamic),
        retract(M:watched(M:Head))
    ->  indicator(M:Head, Indicator),
        prolog_unlisten(Indicator, etalis_changes:note(M, M:Head))
    ;   true
    ).

% ---- what is noted ------------------------------------------------------------------------------------------

:- public note/4.

%   note(+M, +Head, +Action, +Context): called for each change of a watched predicate.

note(M, Module:_, assertz, Reference) =>
    where(M, Module, Where),
    assertz(M:added_fact(Reference, Where)).
note(M, Module:Head, retract, Reference) =>
    where(M, Module, Where),
    (   M:emptied(Where, Head)
    ->  true                            % what is removed after that was new
    ;   retract(M:added_fact(Reference, _))
    ->  true
    ;   clause(Module:Fact, true, Reference),
        assertz(M:removed_fact(Where, Fact))
    ).
note(M, Module:Head, retractall, start(_:Pattern)), Pattern =@= Head =>
    where(M, Module, Where),
    (   M:emptied(Where, Head)
    ->  true
    ;   predicate_property(Module:Head, number_of_clauses(0))
    ->  true
    ;   retractall(M:removed_fact(Where, Head)),
        assertz(M:emptied(Where, Head))
    ).
note(_, _, _, _) =>
    true.

where(M, M, Where) :-
    !,
    Where = engine.
where(_, _, background).

% ---- what is told -------------------------------------------------------------------------------------------

%!  changes_parts(+Engine, -Parts) is det.
%
%   Parts as those of a snapshot (snapshot.pl), none where nothing changed; to be restored in their order:
%
%     - control(Facts, Name, Arity): all facts of a predicate with few
%     - emptied(Where, Name, Arity), removed(Where, Facts)
%     - facts(Where, Facts), which come last
%     - those of goal_change/2 and group_change/2

changes_parts(M, Parts) :-
    findall(Part, ( change(M, Change), fast_term_serialized(Change, Part) ), Parts),
    forget_changes(M).

change(M, control(Facts, Name, Arity)) :-
    control_facts(M, Head, Facts),
    \+ ( M:told_control(Head, Told), Told == Facts ),
    functor(Head, Name, Arity).
change(M, emptied(Where, Name, Arity)) :-
    M:emptied(Where, Head),
    functor(Head, Name, Arity).
change(M, removed(Where, Facts)) :-
    most_facts(Most),
    member(Where, [engine,background]),
    findnsols(Most, Fact, M:removed_fact(Where, Fact), Facts),
    Facts \== [].
change(M, facts(Where, Facts)) :-
    member(Where, [engine,background]),
    findall(Name/Arity-Fact, new_fact(M, Where, Name/Arity, Fact), All),
    keysort(All, Sorted),               % stable: the facts of one predicate stay in their order
    group_pairs_by_key(Sorted, Groups),
    member(_-Facts, Groups).
change(M, Change) :-
    goal_change(M, Change).
change(M, Change) :-
    group_change(M, Change).

%   Facts in one part, as in snapshot.pl.

most_facts(20_000).

new_fact(M, Where, Name/Arity, Fact) :-
    ( Where == background -> M:user_predicates(Module) ; Module = M ),
    M:added_fact(Reference, Where),
    clause(Module:Fact, true, Reference),
    functor(Fact, Name, Arity).

control_facts(M, Head, Facts) :-
    control_predicate(M, M:Head),
    findall(Head, clause(M:Head, true), Facts).

forget_changes(M) :-
    watch_goals(M),
    watch_groups(M),
    retractall(M:added_fact(_, _)),
    retractall(M:removed_fact(_, _)),
    retractall(M:emptied(_, _)),
    retractall(M:told_control(_, _)),
    forall(control_facts(M, Head, Facts), assertz(M:told_control(Head, Facts))).
