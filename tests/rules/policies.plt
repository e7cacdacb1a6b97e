:- module(test_policies, []).
:- use_module('../../rules/stores/policies').
:- use_module(library(plunit)).

% candidates(Choice): those that come are kept, until one has another end.

candidates(Choice, Candidates) :-
    member(candidate(End, Rank), Candidates),
    (   decided_before(Choice, End)
    ->  !,
        fail
    ;   true
    ),
    keep_candidate(Choice, End, Rank, Rank),
    fail.

choose(Candidates, Chosen) :-
    new_choice(Choice),
    \+ candidates(Choice, Candidates),
    chosen(Choice, Chosen).

:- begin_tests(policies).

test(nothing_to_choose, fail) :-
    choose([], _).
test(the_first_end_decides, Chosen == rank(5)) :-
    choose([candidate(3, rank(5)), candidate(4, rank(1))], Chosen).
test(least_rank_of_one_end, Chosen == rank(1, a)) :-
    choose([candidate(3, rank(2, a)), candidate(3, rank(1, b)), candidate(3, rank(1, a))], Chosen).
test(met_without_a_candidate) :-
    new_choice(Choice),
    \+ was_met(Choice),
    note_met(Choice),
    was_met(Choice),
    \+ chosen(Choice, _).
test(choices_are_apart) :-
    new_choice(One),
    keep_candidate(One, 1, a, a),
    new_choice(Other),
    \+ chosen(Other, _).

:- end_tests(policies).
