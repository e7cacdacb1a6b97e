:- module(test_order, []).
:- use_module(notation).
:- use_module('../../rules/sparql/order').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

% Each line comes after the ones before it; terms of one line are equal.
ordered([ [unbound], ['_:a'], ['_:b'], ['http://a'], ['urn:a'],
          ["NaN":double], ["-INF":double], ["-1":integer],
          ["0":integer, "0.0":decimal, "-0.0E0":double, "00":integer],
          ["0.1":decimal], ["0.1":double], ["0.1":float],       % by exact value
          ["1":decimal, "1.0":decimal, "1":byte, "1.0E0":float],
          ["9007199254740992":integer, "9007199254740992":double], ["9007199254740993":integer],
          ["9007199254740994":double], [HugeInteger:integer], ["INF":double, "INF":float],
          [""], ["Z"], ["a"], ["\uFFFD"], ["\U00010000"],
          ["a"@de], ["a"@en], ["b"@de],
          ["false":boolean, "0":boolean], ["true":boolean],
          ["1969-12-31T23:59:59Z":dateTime],
          ["1970-01-01T00:00:00Z":dateTime, "1970-01-01T00:00:00":dateTime],
          ["1970-01-02":date], ["1970-01-02Z":date, "1970-01-02+00:00":date],
          ["---30":gDay], ["---31":gDay], ["--02":gMonth], ["--02-29":gMonthDay], ["--03-01":gMonthDay],
          ["00:00:00":time, "24:00:00":time], ["24:00:00Z":time], ["01:00:00":time], ["00:00:00-01:00":time],
          ["-0001":gYear], ["0000":gYear], ["12000":gYear], ["0000-01":gYearMonth], ["0000-02":gYearMonth],
          ["-P1D":duration], ["PT0S":duration, "P0M":yearMonthDuration],
          ["PT60S":duration, "PT1M":dayTimeDuration],
          ["P1M":duration], ["P31D":duration], ["P1Y":duration],
          ["25:00:00":time], ["x"^^'urn:a'], ["y"^^'urn:a'], ["x"^^'urn:b']
        ]) :-
    length(Nines, 400),
    maplist(=(0'9), Nines),
    string_codes(HugeInteger, Nines).

place(Place, Term) :-
    ordered(Lines),
    nth1(Place, Lines, Line),
    member(Short, Line),
    term(Short, Term).

:- begin_tests(order).

test(total, [forall((place(I, A), place(J, B))), Order == Expected]) :-
    compare(Expected, I, J),
    compare_terms(A, B, Order).

test(rows_by_a_column, [forall((place(I, A), place(J, B), I =\= J)), Truth-Back == Expected-Opposite]) :-
    ( I < J -> Expected = true, Opposite = false ; Expected = false, Opposite = true ),
    row_before([2], row(x, A), row(x, B), Truth),
    row_before([-2], row(x, A), row(x, B), Back).

test(rows_alike_in_a_column, [forall((place(I, A), place(I, B), A \== B)), Truth == Expected]) :-
    ( A @< B -> Expected = true ; Expected = false ),
    row_before([1], row(A), row(B), Truth).

test(rows_by_two_columns, Truths == [true, false, false]) :-
    term("1":integer, One),
    findall(Truth,
            ( member(A-B, [b-a, a-b, a-a]), row_before([1, -2], row(One, A), row(One, B), Truth) ),
            Truths).

:- end_tests(order).
