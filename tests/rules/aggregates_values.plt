:- module(test_aggregates_values, []).
:- use_module(aggregate_streams).
:- use_module(notation).
:- use_module('../../rules/aggregates/aggregates').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

% What an aggregate gives for the values in the window, and again once others have come and gone.

value(count, [],                                        0).
value(count, ["a", unbound, "x":integer, "a"],          3).
value(count(distinct), ["a", unbound, "a", "a"@en, 'urn:a', "1":integer, "01":integer], 5).

% SPARQL 1.1 section 18.5.1.3: promotion, exact integers and decimals.
value(sum,   [],                                        0).
value(sum,   ["1":integer, "2":integer],                3).
value(sum,   ["1":byte, "02":int],                      3).
value(sum,   ["100000000000000000000":integer, "1":integer], 100000000000000000001).
value(sum,   ["1":integer, "2.0":decimal],              "3":decimal).
value(sum,   ["0.1":decimal, "0.2":decimal],            "0.3":decimal).
value(sum,   ["1":integer, "2":float],                  "3.0E0":float).
value(sum,   ["1":float, "2":double, "0.5":decimal],    "3.5E0":double).
value(sum(distinct), ["1":integer, "1":integer, "1.0":decimal, "01":integer], "3":decimal).
% The exact sum, rounded once: the order does not matter.
value(sum,   ["1e16":double, "1":double, "1":double, "-1e16":double], "2.0E0":double).
value(sum,   ["0.1":double, "0.2":double, "0.3":double], "6.0E-1":double).
value(sum,   ["-0.1":double, "-0.2":double],            "-3.0000000000000004E-1":double).
value(sum,   ["1e308":double, "1e308":double],          "INF":double).
value(sum,   ["-3e38":float, "-3e38":float],            "-INF":float).
value(sum,   ["16777216":float, "1":integer, "1":integer], "1.6777218E7":float).
value(sum,   ["0.1":float, "0.2":float],                "3.0E-1":float).
value(sum,   ["1e308":double, "1e308":double, "-1e308":double], "1.0E308":double).
value(sum,   ["4.9e-324":double, "4.9e-324":double],    "1.0E-323":double).
value(sum,   ["-0":double],                             "0.0E0":double).
value(sum,   ["INF":double, "1":integer],               "INF":double).
value(sum,   ["-INF":float, "-INF":double],             "-INF":double).
value(sum,   ["INF":double, "-INF":double],             "NaN":double).
value(sum,   ["NaN":float, "INF":float],                "NaN":float).
value(sum,   ["1":integer, unbound],                    unbound).
value(sum,   ["1":integer, "x":integer],                unbound).
value(sum,   ["1":integer, "a"],                        unbound).
value(sum,   ["PT1S":dayTimeDuration],                  unbound).

value(avg,   [],                                        0).
value(avg,   ["1":integer, "2":integer],                "1.5":decimal).
value(avg,   ["1":integer, "3":integer],                "2":decimal).
value(avg,   ["1":integer, "1":integer, "0":integer],   "0.666666666666666667":decimal).
value(avg,   ["1.0":decimal, "2.2":decimal],            "1.6":decimal).
value(avg,   ["1":float, "2":integer],                  "1.5E0":float).
value(avg,   ["1":double, "INF":float],                 "INF":double).
value(avg,   ["NaN":double],                            "NaN":double).
value(avg(distinct), ["1":integer, "2":integer, "2":integer], "1.5":decimal).
value(avg,   ["1":integer, 'urn:a'],                    unbound).
value(avg(distinct), ["1":integer, unbound],            unbound).

% By the order of ORDER BY. Of terms of equal value both give the first in the standard order of terms.
value(min,   [],                                        unbound).
value(max,   [],                                        unbound).
value(min,   ["2":integer, "10":integer, "1.5":decimal], "1.5":decimal).
value(max,   ["2":integer, "10":integer, "1.5":decimal], 10).
value(max,   ["2":integer, "INF":double, "NaN":double], "INF":double).
value(min,   ["2":integer, "INF":double, "NaN":double], "NaN":double).
value(min,   ["b", "a"@en, "a", 'urn:x', '_:b'],        '_:b').
value(max,   ["b", "a"@en, "1":integer, 'urn:x'],       "a"@en).
value(min,   ["PT1M":duration, "PT59S":dayTimeDuration], "PT59S":dayTimeDuration).
value(max,   ["1970-01-01T00:00:00Z":dateTime, "1970-01-02":date], "1970-01-02":date).
value(min,   ["1":integer, unbound],                    unbound).
value(max,   ["1":integer, unbound],                    unbound).
value(min,   ["01":integer, "1":integer, "1.0":decimal], 1).
value(max,   ["01":integer, "1":integer, "1.0":decimal], 1).
value(max,   ["0.0E0":double, "-0.0E0":double, "0":integer], "-0.0E0":double).
value(min,   ["9007199254740993":integer, "9007199254740992":double, "9007199254740992":integer],
             9007199254740992).
value(max(distinct), ["1":integer, "3":integer, "3":integer], 3).

value(sample, [],                                       unbound).
value(sample, [unbound],                                unbound).
value(sample, [unbound, "x":integer],                   "x":integer).
value(sample, ["a", "b"],                               "a").

value(group_concat(" "), [],                            "").
value(group_concat(", "), ["a", "b"@en, "01":integer, 'urn:x'], "urn:x, b, a, 01").
value(group_concat(""), ["a", "a"],                     "aa").
value(group_concat(" "), ["a", '_:b'],                  unbound).
value(group_concat(" "), ["a", unbound],                unbound).
value(group_concat(" ", distinct), ["b", "a", "b", "a"@en, "a"], "a a b").

aggregate(count(distinct),                  agg(count, true, 1)) :- !.
aggregate(sum(distinct),                    agg(sum, true, 1)) :- !.
aggregate(avg(distinct),                    agg(avg, true, 1)) :- !.
aggregate(max(distinct),                    agg(max, true, 1)) :- !.
aggregate(group_concat(Separator,distinct), agg(group_concat(Separator), true, 1)) :- !.
aggregate(Function,                         agg(Function, false, 1)).

others([unbound, "NaN":double, "INF":float, "-INF":double, "-7":integer, "1e300":double, "zz", "1":integer, "a",
        '_:z']).

:- begin_tests(aggregate_values).

test(alone, [forall(value(Function, Values, Expected)), Given == Expected]) :-
    aggregate(Function, Aggregate),
    rows(0, [Aggregate], range(10), [100+Values], [Given]).
test(after_others, [forall(value(Function, Values, Expected)), Given == Expected]) :-
    aggregate(Function, Aggregate),
    others(Others),
    append(Values, Others, Mixed),
    rows(0, [Aggregate], range(10), [1+Others, 90+Mixed, 100+Values, 109], Rows),
    last(Rows, Given).
test(landmark, [forall(value(Function, Values, Expected)), Given == Expected]) :-
    aggregate(Function, Aggregate),
    rows(0, [Aggregate], landmark, [100+Values], [Given]).
test(timeless, [forall(value(Function, Values, Expected)), Given == Expected]) :-
    aggregate(Function, Aggregate),
    rows(0, [Aggregate], range(1), [load(Values), 5], [Given]).
test(list, [forall(value(Function, Values, Expected)), Given == Expected]) :-
    aggregate(Function, Aggregate),
    list_rows(0, [Aggregate], Values, [Given]).

% Errors come and go with their solution.
test(errors_leave, Rows == [[3, 3, 3, unbound], [unbound, unbound, unbound, unbound],
                            [unbound, unbound, unbound, unbound], [5, 5, 5, "5"]]) :-
    rows(0, [agg(sum, false, 1), agg(min, false, 1), agg(max, false, 1), agg(group_concat(" "), false, 2)], range(10),
         [0+[["3":integer,'_:b']], 5+[[unbound,unbound]], 10+[["5":integer,"5"]], 15], Rows).

% The type of the sum is that of what is in the window.
test(type_after_eviction, Rows == ["1.0E0":double, "3.0E0":double, "2":decimal, "5":decimal, 3]) :-
    rows(0, [agg(sum, false, 1)], range(10),
         [0+["1":double], 5+["2.0":decimal], 10, 11+["3":integer], 15], Rows).

% DISTINCT: a value goes with the last of its solutions.
test(distinct_eviction, Rows == [[1, 2, "2"], [2, 5, "2 3"], [2, 5, "2 3"], [2, 5, "3 2"], [1, 2, "2"], [0, 0, ""]]) :-
    rows(0, [agg(count, true, 1), agg(sum, true, 1), agg(group_concat(" "), true, 1)], range(10),
         [0+["2":integer], 5+["3":integer], 7+["2":integer], 10, 15, 17], Rows).

test(count_rows_distinct, Rows == [2, 3, 1]) :-
    rows(0, [agg(count, true, all)], range(10),
         [0+[["a",unbound], ["a","b"], ["a","b"]], 5+[["b","a"]], 10], Rows).

% Several aggregates of the same and of other arguments.
test(several, Rows == [["1.5":decimal, 3, 2, "b", "1 2"]]) :-
    rows(0, [ agg(avg, false, 1), agg(sum, false, 1), agg(count, false, 2), agg(max, false, 2),
              agg(group_concat(" "), false, 1) ], landmark,
         [0+[["1":integer,"a"], ["2":integer,"b"]]], Rows).

%   time    1  2  3  4  5  6  7  8
%   value   5  3  4  4  1  2
%   range 3: maximum 5 5 5 4 4 4 2 2
test(sliding, Rows == [[5,5], [3,5], [3,5], [3,4], [1,4], [1,4], [1,2], [2,2], [unbound,unbound]]) :-
    rows(0, [agg(min, false, 1), agg(max, false, 1)], range(3),
         [1+["5":integer], 2+["3":integer], 3+["4":integer], 4+["4":integer], 5+["1":integer], 6+["2":integer],
          7, 8, 9], Rows).

% ---- lists of timeless solutions ------------------------------------------------------------------------------

list_rows(KeyCount, Aggregates, Values, Rows) :-
    findall(Key-Args,
            ( member(Short, Values),
              ( Short = K/V -> term(K, T), Key = key(T) ; V = Short, Key = key ),
              term(V, Value),
              Args = args(Value)
            ),
            Solutions),
    findall(Row,
            ( group_row_of_list(KeyCount, Aggregates, Solutions, Key, Values1),
              row(Key, Values1, Row)
            ),
            Rows).

test(list_groups, Rows == [a=[2, "1 2"], b=[1, "3"]]) :-
    list_rows(1, [agg(count, false, all), agg(group_concat(" "), false, 1)],
              [b/("3":integer), a/("2":integer), a/("1":integer)], Rows).
test(list_no_groups, Rows == []) :-
    list_rows(1, [agg(count, false, all)], [], Rows).

:- end_tests(aggregate_values).
