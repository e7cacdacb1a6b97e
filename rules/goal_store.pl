:- module(etalis_goal_store,
          [ declare_store/2,            % :Name, +Description
            turn_stores/1,              % :Time
            current_instant/2           % :Group, +Now
          ]).
:- use_module(library(aggregate), [aggregate_all/3]).

/** <module> Goals that forget by themselves

A binary operator keeps the solutions that wait for a partner as facts in its engine's module. Two kinds of
store forget:

  * a window store has two generations, `a` and `b`. A goal is written into the current one. At each multiple of
    the window's length the other one holds only goals that are out of the window: it is emptied at once and
    becomes the current one. So forgetting costs the same for each goal, however many are alive, and at most
    two windows of goals are kept. All stores of one window turn together, at the first instant that has
    something behind the multiple; no goal pays for a look at the clock. A store without goals sleeps: it is
    not turned, so that of many stores those cost nothing that nothing happens to.
  * an instant store belongs to a group (an operator); it is emptied when the first solution of a new
    instant arrives.

The engine's module holds <Store>_now(Generation) for each window store, window_store(Window, Store, Now, Generation,
HeadA, HeadB), where Now is <Store>_now(Generation), turn(Window, Until) and the least of them, next_turn(Until);
the same as awake/6 for the stores that turn; of one that sleeps, <Store>_now/1 is a rule that wakes it up;
instant_of(Group, Time) and instant_store(Group, Head); index_of(Store, Generation, IndexHead) for the
indexes of goals that can be consumed.
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
    atom_concat(Name, '_now', NowName),
    Now =.. [NowName,Generation],
    dynamic([M:NameA/Arity, M:NameB/Arity, M:NowName/1]),
    assertz(M:window_store(Window, Name, Now, Generation, HeadA, HeadB)),
    forall(Generation = a, put_to_sleep(M, Window, Name, Now)),
    (   M:turn(Window, _)
    ->  true
    ;   First is -(1<<62),
        assertz(M:turn(Window, First)),
        note_next_turn(M)
    ).
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
%   Forget the goals that are out of their window at Time, an instant that is not before M:next_turn/1.

turn_stores(M:Time) :-
    forall(( M:turn(Window, Until), Until =< Time ),
           turn_window(M, Window, Time)),
    note_next_turn(M).

turn_window(M, Window, Time) :-
    retractall(M:turn(Window, _)),
    Length is max(Window, 1),
    Until is (Time div Length + 1) * Length,
    assertz(M:turn(Window, Until)),
    forall(clause(M:awake(Window, Store, Now, Generation, HeadA, HeadB), true, Awake),
           turn_store(M, Awake, Window, Store, Now, Generation, HeadA, HeadB)).

turn_store(M, Awake, Window, Store, Now, Generation, HeadA, HeadB) :-
    M:Now,
    other(Generation, Next),
    (   Next == a
    ->  Old = HeadA, Young = HeadB
    ;   Old = HeadB, Young = HeadA
    ),
    retractall(M:Old),
    forall(M:index_of(Store, Next, IndexHead), retractall(M:IndexHead)),
    retractall(M:Now),
    setarg(1, Now, Next),
    (   predicate_property(M:Young, number_of_clauses(0))
    ->  erase(Awake),
        put_to_sleep(M, Window, Store, Now)
    ;   assertz(M:Now)
    ).

put_to_sleep(M, Window, Store, Now) :-
    assertz((M:Now :- etalis_goal_store:wake_up(M, Window, Store, Now))).

:- public wake_up/4.

wake_up(M, Window, Store, Now) :-
    functor(Now, Name, 1),
    functor(Rule, Name, 1),
    retractall(M:Rule),
    assertz(M:Now),
    M:window_store(Window, Store, NowOf, Generation, HeadA, HeadB),
    assertz(M:awake(Window, Store, NowOf, Generation, HeadA, HeadB)).

note_next_turn(M) :-
    aggregate_all(min(Until), M:turn(_, Until), Next),
    retractall(M:next_turn(_)),
    assertz(M:next_turn(Next)).

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
