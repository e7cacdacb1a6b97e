:- module(test_policies, []).
:- use_module('../../rules/stores/goal_store').
:- use_module('../../rules/engine/instant').
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

% ---- goals that are consumed ---------------------------------------------------------------------------

o(N, o(N, 'urn:s', 'urn:p', x, N)).

made_of(Numbers, Used) :-
    findall(O, ( member(N, Numbers), o(N, O) ), Used).

empty :-
    forall(member(Name/Arity, [window_store/4, window_now/2, turn/2, next_turn/1, crowded/2, index_of/3,
                               settlement_order/2, g/2, g_uses/2, w_a/2, w_b/2, w_a_uses/2, w_b_uses/2]),
           ( functor(Head, Name, Arity), dynamic(Name/Arity), retractall(Head) )).

add(Name, Numbers) :-
    made_of(Numbers, Used),
    add_goal(last, test_policies:g(Name, Used), g_uses, Used).

goals(Names) :-
    findall(Name, g(Name, _), Names).

entries(Count) :-
    findall(R, g_uses(_, R), Rs),
    length(Rs, Count).

consume(Numbers) :-
    made_of(Numbers, Used),
    new_instant(1, [], Instant),
    b_setval(etalis_instant, Instant),
    use_occurrences(test_policies:consume, Used),
    consume_occurrences(test_policies:consume, [g_uses]).

settlements :-
    assertz(settlement_order(consume, 1)).

:- begin_tests(policies, [setup(empty), cleanup(empty)]).

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

test(goals_go_with_what_they_contain, [setup((empty, settlements)), Names-Count == [c]-1]) :-
    add(a, [1, 2]), add(b, [2, 3]), add(c, [4]),
    consume([2]),
    goals(Names), entries(Count).
test(what_was_used_is_forgotten, [setup((empty, settlements))]) :-
    add(a, [1]),
    consume([1]),
    add(a, [1]),
    consume([2]),
    goals([a]).
test(equal_goals_go_together, [setup((empty, settlements)), Names-Count == []-0]) :-
    add(a, [1, 2]), add(a, [1, 2]),
    consume([1]),
    goals(Names), entries(Count).
test(a_hash_that_two_occurrences_share, [setup((empty, settlements)), Names == [b]]) :-
    add(a, [1]), add(b, [2]),
    o(1, O1), term_hash(O1, Hash),
    clause(test_policies:g(b, _), true, Reference),
    assertz(test_policies:g_uses(Hash, Reference)),
    consume([1]),
    goals(Names).
test(the_latest_come_first, [setup(empty), Names == [c, b, a]]) :-
    forall(member(N-I, [a-1, b-2, c-3]),
           ( made_of([I], Used), add_goal(first, test_policies:g(N, Used), g_uses, Used) )),
    goals(Names).
test(a_goal_that_is_too_old, [setup(empty), Names-Count == [b]-1]) :-
    add(a, [1, 2]), add(b, [3]),
    made_of([1, 2], Used),
    forget_goal(test_policies:g(a, Used), g_uses, Used),
    goals(Names), entries(Count).

test(a_generation_takes_its_index_along, [setup(empty), Left == []]) :-
    declare_store(test_policies:w, used_window(2, 10)),
    turn_stores(test_policies:1),
    test_policies:window_now(10, b),
    made_of([1], Used),
    add_goal(last, test_policies:w_b(0, Used), w_b_uses, Used),
    turn_stores(test_policies:10),
    test_policies:window_now(10, b),
    turn_stores(test_policies:11),
    test_policies:w_b(0, _),
    test_policies:window_now(10, a),
    turn_stores(test_policies:21),
    findall(R, ( test_policies:w_b_uses(_, R) ; test_policies:w_b(R, _) ), Left).

test(many_stores_turn_when_enough_was_done, [setup(empty), Now == [b, b, a]]) :-
    forall(between(1, 20, N),
           ( atom_concat(w, N, Name), declare_store(test_policies:Name, window(2, 10)) )),
    turn_stores(test_policies:5),
    test_policies:window_now(10, First),
    turn_stores(test_policies:15),
    test_policies:window_now(10, TooSoon),
    test_policies:next_turn(Next),
    Next > 15,
    numlist(1, 5000, _),
    turn_stores(test_policies:Next),
    test_policies:window_now(10, Then),
    Now = [First, TooSoon, Then].

:- end_tests(policies).
