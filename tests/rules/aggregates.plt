:- module(test_aggregates, []).
:- use_module(aggregate_streams).
:- use_module(notation).
:- use_module('../../rules/aggregates/aggregates').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

% Which solutions are in a window. Times are microseconds; a number n stands for "n":integer below.

count(agg(count, false, all)).
sum(agg(sum, false, 1)).
texts(agg(group_concat(" "), false, 1)).

%   The texts in the window after each step.

seen(Window, Steps, Texts) :-
    texts(Aggregate),
    rows(0, [Aggregate], Window, Steps, Texts).

:- begin_tests(aggregate_windows).

%   time    0    5    10   11   15
%           a    b         c
%   at 10: (0,10]           b            half open: a, ten old, is out
%   at 11: (1,11]           b   c
%   at 15: (5,15]               c
test(range, Seen == ["a", "a b", "b", "b c", "c", ""]) :-
    seen(range(10), [0+["a"], 5+["b"], 10, 11+["c"], 15, 30], Seen).

%   All that ends at one time enters and leaves together; order of start, then of the value.
test(ties, Seen == ["a c b", "a c b d", "d"]) :-
    seen(range(10), [10+[9:"b", 3:"c", 3:"a"], 12+["d"], 20], Seen).
test(same_twice, Seen == ["a a", "a a a", "a", ""]) :-
    seen(range(10), [10+["a", "a"], 12+["a"], 20, 22], Seen).
test(start_does_not_matter, Seen == ["a", "a"]) :-
    seen(range(10), [10+[0:"a"], 19], Seen).

%   Evaluated at 10, 20, 30; between, solutions only come.
%   time        3    10   12   20   25   30
%               a    b    c    d    e
test(step, Seen == ["a b", "b c d", "d e", ""]) :-
    seen(step(12, 10),
         [add(3, ["a"]), 10+["b"], add(12, ["c"]), 20+["d"], add(25, ["e"]), 30, 50], Seen).
%   A step longer than its window passes over solutions; what ends after the step waits.
test(step_longer, Seen == ["b", ""]) :-
    seen(step(5, 20), [add(3, ["a"]), add(18, ["b"]), 20, add(21, ["c"]), 40], Seen).
test(later_waits, Seen == ["a", "a b"]) :-
    seen(step(20, 10), [add(8, ["a"]), add(13, ["b"]), 10, 20], Seen).

%   NOW-10 TO NOW-4: the ends in (t-10, t-4]
%   time    0    3    4    7    10   13   17
%           a    b         c
test(past, Seen == ["", "", "a", "a b", "b", "c", ""]) :-
    seen(past(10, 4), [0+["a"], 3+["b"], 4, 7+["c"], 10, 13, 17], Seen).
%   What was passed over while no instant came is never in it.
test(past_gap, Seen == ["", ""]) :-
    seen(past(10, 4), [0+["a"], 100], Seen).

test(rows, Seen == ["a", "a b", "b c", "e f"]) :-
    seen(rows(2), [0+["a"], 5+["b"], 6+["c"], 7+["f", "d", "e"]], Seen).
test(rows_order, Seen == ["c d", "d z", "y b"]) :-       % the newest by end, then start
    seen(rows(2), [5+[3:"c", 4:"d", 2:"e"], 6+["z"], 7+[6:"y", 7:"b", 5:"x"]], Seen).

%   The two newest over all groups, and among those of one instant by key.
test(rows_over_groups, Rows == [[x=1], [x=1, y=1], [y=1, z=1], [y=1, z=1]]) :-
    count(Count),
    rows(1, [Count], rows(2), [0+[x/[]], 1+[y/[]], 2+[z/[]], 3+[z/[], y/[], x/[]]], Rows).

test(landmark, Seen == ["", "b", "b", "b a c"]) :-
    seen(landmark, [5+[], 6+["b"], 1000000, 1000001+["c", "a"]], Seen).

% ---- groups ---------------------------------------------------------------------------------------------

%   A group without members has no row.
test(groups, Rows == [[x=1, y=1], [x=2, y=1], [x=1], []]) :-
    count(Count),
    rows(1, [Count], range(10), [0+[x/[], y/[]], 5+[x/[]], 10, 15], Rows).
test(groups_come_back, Rows == [[x="5":decimal], [], [x=3]]) :-
    sum(Sum),
    rows(1, [Sum], range(10), [0+[x/("5":decimal)], 20, 25+[x/("3":integer)]], Rows).
test(keys, Rows == [[ [unbound,"1":decimal]=1, ["a"@en,1]=2, ["a"@en,unbound]=1 ]]) :-
    count(Count),
    rows(2, [Count], landmark,
         [ 0+[["a"@en,"1":integer]/[], [unbound,"1":decimal]/[], ["a"@en,unbound]/[],
              ["a"@en,"1":integer]/[]] ],
         Rows).
test(one_group_when_empty, Rows == [[0, 0, 0, unbound, unbound, unbound, ""]]) :-
    every_function(Aggregates),
    rows(0, Aggregates, range(10), [5], Rows).
test(one_group_empty_again, Rows == [[1, 2, "2":decimal, 2, 2, 2, "2"], [0, 0, 0, unbound, unbound, unbound, ""]]) :-
    every_function(Aggregates),
    rows(0, Aggregates, range(10), [5+["2":integer], 15], Rows).

every_function(Aggregates) :-
    findall(agg(Function, false, 1),
            member(Function, [count, sum, avg, min, max, sample, group_concat(" ")]), Aggregates).

test(row_of_key, [setup(new_engine(M)), cleanup(drop_engine(M)), Found == ["urn:1"^^'urn:t'=2]]) :-
    count(Count),
    declare_group(M:means, 1, [Count], range(10)),
    do_step(M, 5+[("urn:1"^^'urn:t')/[], b/[], ("urn:1"^^'urn:t')/[]], _),
    rows_now(M, key(c), []),
    rows_now(M, key(_^^_), Found),
    rows_now(M, key("urn:1"^^'urn:t'), Found).

%   No choice point is left: plunit would say so.
test(row_of_key_is_det, [setup(new_engine(M)), cleanup(drop_engine(M)), Count == 1]) :-
    count(Aggregate),
    declare_group(M:means, 1, [Aggregate], landmark),
    forall(between(1, 20, I), group_add(M:means, 1, 1, key(I), args)),
    group_settle(M:means, 1),
    group_row(M:means, key(7), values(Count^^_)).

%   Between two rows, solutions come to other groups of the engine.
test(reentrant, [setup(new_engine(M)), cleanup(drop_engine(M)), Seen == [a, b, c]]) :-
    count(Aggregate),
    declare_group(M:means, 1, [Aggregate], range(10)),
    declare_group(M:others, 1, [Aggregate], range(10)),
    do_step(M, 5+[a/[], b/[], c/[]], _),
    findall(Key,
            ( group_row(M:means, key(Key), values(Count)),
              group_add(M:others, 5, 5, key(Key), args),
              group_settle(M:others, 5),
              group_row(M:others, key(Key), values(Count))
            ),
            Keys),
    msort(Keys, Seen).

test(side_by_side, [setup(new_engine(M)), cleanup(drop_engine(M)), Sums == [[5,1], [6,2], [7,2], [2,2]]]) :-
    sum(Sum),
    count(Count),
    declare_group(M:means, 0, [Sum], range(10)),
    declare_group(M:others, 0, [Count], rows(2)),
    findall([A,B],
            ( member(T-V, [1-"5", 2-"1", 3-"1", 12-"1"]),
              term(V:integer, Value),
              group_add(M:means, T, T, key, args(Value)),
              group_add(M:others, T, T, key, args),
              group_settle(M:means, T),
              group_settle(M:others, T),
              group_row(M:means, key, values(A^^_)),
              group_row(M:others, key, values(B^^_))
            ),
            Sums).

% ---- timeless solutions -------------------------------------------------------------------------------------

test(timeless, Rows == [[x=5], [x=7], [x=5], [x=6]]) :-
    sum(Sum),
    rows(1, [Sum], range(10),
         [load([x/("2":integer), x/("3":integer)]), 0, 5+[x/("2":integer)], 15, 16+[x/("1":integer)]], Rows).
test(timeless_first, Rows == [["a", "a b c"], ["a", "a b"]]) :-
    rows(0, [agg(sample, false, 1), agg(group_concat(" "), false, 1)], range(10),
         [load(["b", "a"]), 0+["c"], 15], Rows).
test(timeless_extremes, Rows == [[2, 9], [2, 9], [1, 11], [2, 9]]) :-
    rows(0, [agg(min, false, 1), agg(max, false, 1)], range(10),
         [load(["9":integer, "2":integer]), 0, 1+["5":integer], 2+["1":integer, "11":integer], 12], Rows).
test(timeless_distinct, Rows == [[1, 2], [2, 5], [1, 2]]) :-
    rows(0, [agg(count, true, 1), agg(sum, true, 1)], range(10),
         [load(["2":integer, "2":integer]), 1+["2":integer], 2+["3":integer], 30], Rows).
test(timeless_do_not_fill_rows, Rows == [3, 4, 4]) :-
    count(Count),
    rows(0, [Count], rows(2), [load([[], []]), 0+[[]], 1+[[]], 2+[[]]], Rows).

test(is_empty, Answers == [yes, no, yes, no]) :-
    emptiness(range(10), [0+[], 5+["b"], 20, 21+["c"]], Answers).
test(is_empty_while_waiting, Answers == [yes, no, yes]) :-
    emptiness(past(10, 5), [5+["b"], 10, 15], Answers).
test(is_empty_landmark, Answers == [yes, no, no]) :-
    emptiness(landmark, [0, 5+["b"], 100], Answers).

emptiness(Window, Steps, Answers) :-
    texts(Texts),
    setup_call_cleanup(
        new_engine(M),
        ( declare_group(M:means, 0, [Texts], Window),
          \+ do_step(M, load(["a"]), _),
          findall(Answer,
                  ( member(Step, Steps),
                    do_step(M, Step, _),
                    ( group_is_empty(M:means) -> Answer = yes ; Answer = no )
                  ),
                  Answers)
        ),
        drop_engine(M)).

% ---- memory -------------------------------------------------------------------------------------------------

%   Everything goes with what leaves the window, but for the declaration.
test(nothing_is_left, [setup(new_engine(M)), cleanup(drop_engine(M)), After == Before]) :-
    every_function(Functions),
    Aggregates = [agg(count, true, all), agg(sum, true, 1), agg(group_concat(""), true, 1)|Functions],
    declare_group(M:means, 1, Aggregates, past(10, 3)),
    kept(M, Before),
    forall(between(1, 50, T),
           ( G is T mod 7,
             V is T mod 4,
             format(string(Key), "~d", [G]),
             format(string(Text), "~d", [V]),
             do_step(M, T+[(Key:integer)/(Text:integer), (Key:integer)/unbound], _)
           )),
    do_step(M, 100, []),
    kept(M, After).

test(landmark_keeps_no_solutions, [setup(new_engine(M)), cleanup(drop_engine(M)), After == Before]) :-
    every_function(Functions),
    exclude(==(agg(group_concat(" "), false, 1)), Functions, Small),
    declare_group(M:means, 0, [agg(count, false, all), agg(avg, true, 1)|Small], landmark),
    forall(between(1, 20, T), do_step(M, T+["1":integer, "2":integer], _)),
    kept(M, Before),
    forall(between(21, 80, T), do_step(M, T+["2":integer, "1":integer], _)),
    kept(M, After).

%   Groups, solutions in the window, and terms that are held by them.

kept(M, [Groups,Solutions,Terms]) :-
    M:aggregate_declared(means, _, Of),
    !,
    etalis_goals:groups_size(Of, Groups, Solutions),
    M:goal_stores(Stores),
    etalis_goals:terms_held(Stores, Terms).

:- end_tests(aggregate_windows).
