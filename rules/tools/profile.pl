:- module(etalis_profile,
          [ watch_engines/0,
            unwatch_engines/0,
            add_probes/3,               % +Engine, +SlotCount, +Stores
            begin_profile/2,            % +Engine, +Slot
            end_profile/2,              % +Engine, +Slot
            profile_counts/2            % +Engine, -Counts
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(library(prolog_wrap), [unwrap_predicate/2, wrap_predicate/4]).
:- use_module('../engine/answers', []).
:- use_module('../engine/around', [around/3]).
:- use_module('../engine/feed', []).
:- use_module('../engine/heard_occurrences', []).
:- use_module('../engine/instant', []).
:- use_module('../engine/link', []).
:- use_module(profile_clock,
              [ charge/1, clock_counts/2, clock_runs/0, enter/2, more_places/4, new_clock/2, start_clock/2, stop_clock/2
              ]).
:- use_module(profile_stores, [known_store/3]).
:- use_module('../engine/terms', []).

/** <module> Where the time of an engine goes

The rules of a profiled engine are wrapped as they are told to Prolog (profiling_rules.py). What they do between two
events, and what is no rule's, is found by wrapping predicates of the run-time library while there is such an
engine. M:profile_state(Clock) is all there is in the engine's module: what its clock (profile_clock.pl) has counted.
*/

:- det((watch_engines/0, unwatch_engines/0, add_probes/3, begin_profile/2, end_profile/2, profile_counts/2)).

outside_slots(8).

%   outside(?Slot, ?Module, ?Name): what the predicates of this name do is charged to Slot. They are det and do not
%   call themselves. Slot 1 has what no other has, 5 what is done before the first event; see profile_clock.pl for
%   those from 6.

outside(2, etalis_terms, decode_terms).
outside(3, etalis_instant, occurrence_set).
outside(3, etalis_heard_occurrences, heard_occurrences).
outside(4, etalis_answers, encoded_answers).
outside(5, etalis_link, link_rules).

% ---- engines that are watched -------------------------------------------------------------------------------

%!  watch_engines is det.
%
%   Measure the calls into engines that have probes. To be undone by as many calls of unwatch_engines/0: the
%   predicates of the run-time library are the same for all engines.

watch_engines :-
    with_mutex(etalis_profile, watched(1)).

%!  unwatch_engines is det.

unwatch_engines :-
    with_mutex(etalis_profile, watched(-1)).

watched(More) :-
    flag(etalis_profiled_engines, Count, Count + More),
    (   Count + More =:= max(More, 0)
    ->  forall(watched_predicate(Head, Goal, Watched), watch(More, Head, Goal, Watched))
    ;   true
    ).

watch(1, Head, Goal, Watched) :-
    wrap_predicate(Head, etalis_profile, Goal, Watched).
watch(-1, M:Head, _, _) :-
    functor(Head, Name, Arity),
    unwrap_predicate(M:Name/Arity, etalis_profile).

%   watched_predicate(-Head, -Goal, -Watched): Watched is called in place of Goal, which is what Head was.

watched_predicate(etalis_feed:Head, Goal, etalis_profile:run_engine(M, Goal)) :-
    member(Head, [feed(M,_,_,_,_,_), advance(M,_,_,_), finish(M,_,_,_), close_instant(M,_,_,_,_,_)]).
watched_predicate(M:Head, Goal, etalis_profile:outside(Slot, Goal)) :-
    outside(Slot, M, Name),
    current_predicate(M:Name/Arity),
    functor(Head, Name, Arity),
    \+ predicate_property(M:Head, imported_from(_)).

run_engine(M, Goal) :-
    (   current_predicate(M:profile_state/1)
    ->  around(begin_profile(M, 1), Goal, end_profile(M, 1))
    ;   call(Goal)
    ).

outside(Slot, Goal) :-
    (   clock_runs
    ->  enter(Slot, Caller),
        call(Goal),
        charge(Caller)
    ;   call(Goal)
    ).

% ---- what is kept in the engine's module --------------------------------------------------------------------

%!  add_probes(+Engine, +SlotCount, +Stores) is det.
%
%   So many more slots, and more stores as known_store/3 takes them.

add_probes(M, SlotCount, Stores) :-
    dynamic(M:profile_state/1),
    (   retract(M:profile_state(Clock0))
    ->  true
    ;   outside_slots(Outside),
        new_clock(Outside, Clock0)
    ),
    findall(Known, ( member(Store, Stores), known_store(Store, M, Known) ), New),
    more_places(Clock0, SlotCount, New, Clock),
    assertz(M:profile_state(Clock)).

%!  begin_profile(+Engine, +Slot) is det.
%
%   Start the clock; Slot is charged first.

begin_profile(M, Slot) :-
    retract(M:profile_state(Clock)),
    !,
    start_clock(Clock, Slot).

%!  end_profile(+Engine, +Slot) is det.
%
%   Stop the clock, and keep what was measured. Slot is that of the beginning.

end_profile(M, Slot) :-
    stop_clock(Slot, Clock),
    assertz(M:profile_state(Clock)).

%!  profile_counts(+Engine, -Counts) is det.
%
%   What was counted, as clock_counts/2 gives it.

profile_counts(M, Counts) :-
    M:profile_state(Clock),
    !,
    clock_counts(Clock, Counts).
