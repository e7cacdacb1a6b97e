:- module(etalis_kernel_seq, [run_kernel/6]).

/** <module> The yardstick of a two-step SEQ: what a careful hand would write for this one job

`{ ?x :p ?a } SEQ { ?x :q ?b }` within a window: assert a goal for each :p, look goals up by key for each :q, and
forget them in two generations. No terms beyond plain integers, no queries, no instants.
*/

:- dynamic goal_a/3, goal_b/3, generation/2.

%!  run_kernel(+Keys, +Kinds, +Values, +Times, +Window, -Matches) is det.
%
%   The columns of all events, Kinds 1 for the first step and 2 for the second; Matches counts the answers.

run_kernel(Keys, Kinds, Values, Times, Window, Matches) :-
    retractall(goal_a(_,_,_)), retractall(goal_b(_,_,_)), retractall(generation(_,_)),
    assertz(generation(a, 0)),
    Count = count(0),
    events(Keys, Kinds, Values, Times, Window, Count),
    arg(1, Count, Matches).

events([], [], [], [], _, _).
events([K|Ks], [Kind|Kinds], [V|Vs], [T|Ts], W, Count) :-
    event(Kind, K, V, T, W, Count),
    events(Ks, Kinds, Vs, Ts, W, Count).

event(1, K, V, T, W, _) :-
    current(T, W, G),
    (   G == a
    ->  assertz(goal_a(K, T, V))
    ;   assertz(goal_b(K, T, V))
    ).
event(2, K, V, T, W, Count) :-
    (   ( goal_a(K, T1, V1) ; goal_b(K, T1, V1) ),
        T1 < T, T - T1 < W,
        answer(K, V1, V, T1, T, Count),
        fail
    ;   true
    ).

answer(_, _, _, _, _, Count) :-
    arg(1, Count, N0),
    N is N0 + 1,
    nb_setarg(1, Count, N).

current(T, W, G) :-
    generation(G0, Until),
    (   T < Until
    ->  G = G0
    ;   retractall(generation(_, _)),
        Next is T + W,
        (   G0 == a
        ->  G = b, retractall(goal_b(_,_,_))
        ;   G = a, retractall(goal_a(_,_,_))
        ),
        assertz(generation(G, Next))
    ).
