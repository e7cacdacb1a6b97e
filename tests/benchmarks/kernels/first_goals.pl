% Included by kernels that keep a goal for each :p, and nothing else, for a window: the option, in microseconds.

:- include(columns).
:- include(generations).

:- dynamic goal_a/3, goal_b/3.

start(Window) :-
    remember_option(Window),
    forget_generations,
    turn(a),
    turn(b).

turn(a) :- retractall(goal_a(_,_,_)).
turn(b) :- retractall(goal_b(_,_,_)).
