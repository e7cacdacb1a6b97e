:- module(etalis_goal_store,
          [ declare_store/2,            % :Name, +Description
            current_generation/3,       % :Store, +Now, -Generation
            current_instant/2           % :Group, +Now
          ]).

/** <module> Goals that forget by themselves

A binary operator keeps the solutions that wait for a partner as facts in its engine's module. Two kinds of
store forget:

  * a window store has two generations, `a` and `b`. A goal is written into the current one. When a window's
    length has gone by, the other one holds only goals that are out of the window: it is emptied at once and
    becomes the current one. So forgetting costs the same for each goal, however many are alive, and at most
    two windows of goals are kept.
  * an instant store belongs to a group (an operator); it is emptied when the first solution of a new
    instant arrives.

The engine's module holds generation(Store, Generation, Until), window(Store, Window, HeadA, HeadB),
instant_of(Group, Time) and instant_store(Group, Head); index_of(Store, Generation, IndexHead) for the
indexes of goals that can be consumed.
*/

:- meta_predicate
    declare_store(:, +),
    current_generation(:, +, -),
    current_instant(:, +).

:- det(declare_store/2).
:- det(current_generation/3).
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
    assertz(M:window(Name, Window, HeadA, HeadB)),
    First is -(1<<62),
    assertz(M:generation(Name, a, First)).
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

%!  current_generation(:Store, +Now, -Generation) is det.
%
%   Generation is the one that goals of time Now are written into.

current_generation(M:Store, Now, Generation) :-
    M:generation(Store, Current, Until),
    !,                                  % many erased clauses, not yet collected, would leave a choice point
    (   Now < Until
    ->  Generation = Current
    ;   turn(M, Store, Current, Now, Generation)
    ).

turn(M, Store, Current, Now, Next) :-
    M:window(Store, Window, HeadA, HeadB),
    other(Current, Next),
    (   Next == a
    ->  retractall(M:HeadA)
    ;   retractall(M:HeadB)
    ),
    forall(M:index_of(Store, Next, IndexHead), retractall(M:IndexHead)),
    retractall(M:generation(Store, _, _)),
    Until is Now + Window,
    assertz(M:generation(Store, Next, Until)).

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
