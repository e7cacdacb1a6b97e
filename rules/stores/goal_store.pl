:- module(etalis_goal_store,
          [ declare_store/2,            % :Name, +Description
            turn_stores/1,              % :Time
            current_instant/2           % :Group, +Now
          ]).
:- use_module(library(aggregate), [aggregate_all/3]).
:- use_module('../background/state', [apply_changes/1]).

/** <module> Goals that forget by themselves

A binary operator keeps the solutions that wait for a partner as facts in its engine's module. Two kinds of
store forget:

  * a window store has two generations, `a` and `b`. A goal is written into the current one. When a window's
    length has gone by since it became that, the other one holds only goals that are out of the window: it is
    emptied at once and becomes the current one. So forgetting costs the same for each goal, however many are
    alive. All stores of one window turn together; no goal pays for a look at the clock. Where there are many
    stores they turn between two batches, and not before as many rows have come as there are stores: a row
    never pays for the stores that nothing happens to.
  * an instant store belongs to a group (an operator); it is emptied when the first solution of a new
    instant arrives.

The engine's module holds window_store(Window, Store, HeadA, HeadB), window_now(Window, Generation), turn(Window,
Until) and the least of them, next_turn(Until), or a later time with many stores: then crowded(Inferences, Time)
tells when enough was done the last time. It also holds instant_of(Group, Time) and instant_store(Group, Head), and
index_of(Store, Generation, IndexHead) for the indexes of goals that can be consumed.
*/

:- meta_predicate
    declare_store(:, +),
    turn_stores(:),
    current_instant(:, +).

:- det(declare_store/2).
:- det(turn_stores/1).
:- det(current_instant/2).

%!  declare_store(:Name, +Description) is det.
%
%   Make the predicates of a store. Description is one of lasting(Arity), window(Arity, Microseconds),
%   instant(Arity, Group), used_lasting(Arity) and used_window(Arity, Microseconds): goals of the last two are
%   found by the occurrences they are made of, too (policies.pl).

declare_store(M:Name, lasting(Arity)) =>
    dynamic(M:Name/Arity).
declare_store(M:Name, window(Arity, Window)) =>
    generation_head(Name, '_a', Arity, HeadA),
    generation_head(Name, '_b', Arity, HeadB),
    functor(HeadA, NameA, _), functor(HeadB, NameB, _),
    dynamic([M:NameA/Arity, M:NameB/Arity]),
    assertz(M:window_store(Window, Name, HeadA, HeadB)),
    (   M:window_now(Window, _)
    ->  true
    ;   First is -(1<<62),
        assertz(M:window_now(Window, a)),
        assertz(M:turn(Window, First)),
        set_next_turn(M, First)
    ),
    note_crowd(M).
declare_store(M:Name, used_lasting(Arity)) =>
    index_head(Name, Index),
    dynamic([M:Name/Arity, M:Index/2]).
declare_store(M:Name, used_window(Arity, Window)) =>
    declare_store(M:Name, window(Arity, Window)),
    forall(generation_suffix(Generation, Suffix),
           ( atom_concat(Name, Suffix, Predicate),
             index_head(Predicate, Index),
             dynamic(M:Index/2),
             functor(Head, Index, 2),
             assertz(M:index_of(Name, Generation, Head))
           )).
declare_store(M:Name, instant(Arity, Group)) =>
    dynamic(M:Name/Arity),
    functor(Head, Name, Arity),
    assertz(M:instant_store(Group, Head)).

index_head(Predicate, Index) :-
    atom_concat(Predicate, '_uses', Index).

generation_suffix(a, '_a').
generation_suffix(b, '_b').

generation_head(Name, Suffix, Arity, Head) :-
    atom_concat(Name, Suffix, Predicate),
    functor(Head, Predicate, Arity).

%!  turn_stores(:Time) is det.
%
%   What is to be done before the instant Time, one that is not before M:next_turn/1: state changes, and goals that
%   are out of their window are forgotten.

turn_stores(M:Time) :-
    apply_changes(M),
    (   M:crowded(_, _),
        is_too_soon(M, Time, Next)
    ->  set_next_turn(M, Next)
    ;   turn_windows(M, Time)
    ).

turn_windows(M, Time) :-
    forall(( M:turn(Window, Until), Until =< Time ),
           turn_window(M, Window, Time)),
    (   aggregate_all(min(Until), M:turn(_, Until), Next)
    ->  set_next_turn(M, Next)
    ;   retractall(M:next_turn(_))
    ).

set_next_turn(M, Next) :-
    retractall(M:next_turn(_)),
    assertz(M:next_turn(Next)).

turn_window(M, Window, Time) :-
    Until is Time + Window,
    retractall(M:turn(Window, _)),
    assertz(M:turn(Window, Until)),
    retract(M:window_now(Window, Generation)),
    !,
    other(Generation, Next),
    forall(M:window_store(Window, Store, HeadA, HeadB),
           ( Next == a -> empty(M, Store, a, HeadA) ; empty(M, Store, b, HeadB) )),
    assertz(M:window_now(Window, Next)).

empty(M, Store, Generation, Head) :-
    retractall(M:Head),
    forall(M:index_of(Store, Generation, IndexHead), retractall(M:IndexHead)).

% ---- many stores ------------------------------------------------------------------------------------------

crowd(16).

%   Inferences for each store between two turns: as many as some rows take.

least_work(30).

number_of_stores(M, Count) :-
    predicate_property(M:window_store(_, _, _, _), number_of_clauses(Count)).

note_crowd(M) :-
    number_of_stores(M, Count),
    crowd(Most),
    (   Count > Most,
        \+ M:crowded(_, _)
    ->  assertz(M:crowded(0, 0))
    ;   true
    ).

begin_work(M, Inferences, Time) :-
    retractall(M:crowded(_, _)),
    assertz(M:crowded(Inferences, Time)).

%   is_too_soon(+M, +Time, -Next): too little was done since the stores turned; Next is when it is enough, if things go
%   on as they did. Another thread has another count, so a count that went back says nothing.

is_too_soon(M, Time, Next) :-
    M:crowded(Before, Since),
    statistics(inferences, Now),
    Work is Now - Before,
    number_of_stores(M, Count),
    least_work(Least),
    Missing is Count * Least - Work,
    (   Work > 0,
        Missing > 0
    ->  Next is Time + max(1, (Time - Since) * Missing // Work)
    ;   begin_work(M, Now, Time),
        fail
    ).

other(a, b).
other(b, a).

%!  current_instant(:Group, +Now) is det.
%
%   Empty the group's stores if what they hold is of an earlier instant than Now.

current_instant(M:Group, Now) :-
    M:instant_of(Group, Time),
    Time == Now,
    !.
current_instant(M:Group, Now) :-
    forall(M:instant_store(Group, Head), retractall(M:Head)),
    retractall(M:instant_of(Group, _)),
    assertz(M:instant_of(Group, Now)).
