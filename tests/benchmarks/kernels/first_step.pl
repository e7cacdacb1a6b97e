% Included by kernels whose first step adds a goal behind those there are; step/6 for the second step follows.

:- include(first_goals).

step(1, X, A, T, Window, _) :-
    current(T, Window, Generation),
    (   Generation == a
    ->  assertz(goal_a(X, T, A))
    ;   assertz(goal_b(X, T, A))
    ),
    fail.
