:- module(test_profile_clock, []).
:- use_module('../../rules/stores/goal_store').
:- use_module('../../rules/tools/profile_clock').
:- use_module('../../rules/tools/profile_stores').
:- use_module(library(plunit)).

% Slot 9 calls slot 10, which has the solutions 1 and 2, and takes its time for the first.

upper(X) :-
    enter(9, Caller),
    (   lower(X)
    ;   leave(Caller)
    ),
    return(9, Caller).

lower(X) :-
    enter(10, Caller),
    (   work, X = 1
    ;   X = 2
    ;   leave(Caller)
    ),
    found(10),
    return(10, Caller).

work :-
    forall(between(1, 100000, _), true).

measured(Stores, Goal, Counts) :-
    new_clock(10, Clock0),
    findall(Store, ( member(Description, Stores), known_store(Description, test_profile_clock, Store) ), Known),
    more_places(Clock0, 0, Known, Clock),
    start_clock(Clock, 1),
    call(Goal),
    stop_clock(1, Stopped),
    clock_counts(Stopped, Counts).

begin :-
    open_stores(test_profile_clock),
    declare_store(test_profile_clock, goal, lasting, 1, 0).

end :-
    close_stores(test_profile_clock),
    retractall(goal_store(_, _, _, _)),
    abolish(goal/1).

make(N) :-
    goal_store(goal, 1, Store, _),
    etalis_goals:insert_goal(Store, N),
    made(1).

forget :-
    goal_store(goal, 1, Store, _),
    etalis_goals:forget_goals(Store).

:- begin_tests(profile_clock).

test(calls_and_solutions) :-
    measured([], forall(upper(_), true), [_,_,Calls,Found|_]),
    nth1(9, Calls, 1), nth1(10, Calls, 1),
    nth1(9, Found, 0), nth1(10, Found, 2).

test(each_slot_is_left_as_often_as_it_is_entered_or_asked_again) :-
    measured([], forall(upper(_), true), [_,Moves|_]),
    nth1(10, Moves, 3),                 % two solutions, and no more
    nth1(9, Moves, 6).                  % each time into slot 10, and each time back to the caller

test(time_is_charged_where_it_is_spent) :-
    measured([], forall(upper(_), true), [Own,_,_,_,_,_,_,Ran,_]),
    sum_list(Own, Total),
    nth1(10, Own, Lower), nth1(9, Own, Upper),
    Lower > Upper,
    nth1(8, Own, Away),
    Lower > (Total - Away) / 2,
    Ran > Lower / 2.

test(a_rule_that_is_cut_has_given_the_hand_back) :-
    measured([], ( once(upper(_)), enter(8, Caller) ), [_,_,Calls|_]),
    nth1(8, Calls, 1),
    Caller == 1.

test(goals_made_live_and_at_most, [setup(begin), cleanup(end)]) :-
    Goals = ( forall(between(1, 5, N), make(N)), forget, make(6) ),
    measured([[goals,goal]], Goals, [_,_,_,_,Made,Most,Live|_]),
    Made == [6], Most == [5], Live == [1].

test(many_goals_are_looked_at_now_and_then, [setup(begin), cleanup(end)]) :-
    measured([[goals,goal]], forall(between(1, 2000, N), make(N)), [_,Moves,_,_,Made,Most|_]),
    assertion(Made == [2000]),
    assertion(Most == [2000]),
    nth1(6, Moves, Looks),
    assertion(Looks < 400).

test(nothing_runs_afterwards, [fail]) :-
    measured([], true, _),
    clock_runs.

:- end_tests(profile_clock).
