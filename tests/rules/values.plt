:- module(test_values, []).
:- use_module(notation).
:- use_module('../../rules/sparql/values').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

truth("true":boolean,  true).
truth("0":boolean,     false).
truth("maybe":boolean, false).
truth("7":integer,     true).
truth("00":integer,    false).
truth("x":integer,     false).
truth("0.0":decimal,   false).
truth("NaN":double,    false).
truth("INF":double,    true).
truth("-0.0E0":double, false).
truth("",              false).
truth("false",         true).
truth(""@en,           false).
truth("a"@en,          true).
truth("1970-01-01T00:00:00Z":dateTime, error).
truth("PT0S":duration, error).
truth("x"^^'urn:type', error).
truth('urn:a',         error).
truth('_:a',           error).
truth(unbound,         error).

equality("1":integer,   "1.0":decimal,    true).
equality("1":integer,   "01":integer,     true).
equality("1":byte,      "1":long,         true).
equality("1":integer,   "2":integer,      false).
equality("0.1":decimal, "0.1":double,     true).      % as doubles
equality("NaN":double,  "NaN":double,     false).
equality("NaN":double,  "NaN":float,      false).
equality("0.0E0":double, "-0.0E0":double, true).
equality("1":integer,   "1",              false).
equality("a",           "a",              true).
equality("a",           "A",              false).
equality("a",           "a"@en,           false).
equality("a"^^'urn:t',  "a"@en,           false).
equality("x":integer,   "x"@en,           false).
equality("a"@en,        'urn:a',          false).
equality("a"@en,        unbound,          error).
equality("a"@en,        "a"@en,           true).
equality("a"@en,        "a"@de,           false).
equality("1":boolean,   "true":boolean,   true).
equality("true":boolean, "1":integer,     false).
equality("1970-01-01T01:00:00+01:00":dateTime, "1970-01-01T00:00:00Z":dateTime, true).
equality("1970-01-01T00:00:00":dateTime,       "1970-01-01T00:00:00Z":dateTime, true).
equality("1970-01-01T00:00:00Z":dateTime,      "0":integer,      false).
equality("P1D":duration, "PT24H":dayTimeDuration,                true).
equality("P1M":duration, "P30D":duration,                        error).    % how long is a month?
equality("P1M":duration, "P31D":dayTimeDuration,                 error).
equality("P1M":yearMonthDuration, "PT0S":dayTimeDuration,        false).
equality("P1M":duration, "P1M1D":duration,                       false).
equality("P1M":duration, "P2M1D":duration,                       false).
equality("P1M1D":duration, "P2M":duration,                       error).
equality("-P1M":duration, "P1D":duration,                        false).
equality("P0M":yearMonthDuration, "PT0S":dayTimeDuration,        true).
equality("P1Y2M":duration, "P14M":yearMonthDuration,             true).
equality("P1Y":yearMonthDuration, "P12M":duration,               true).
equality("2005-01-01":date, "2005-01-01":date,        true).
equality("2005-01-01Z":date, "2005-01-01+00:00":date, true).
equality("2005-01-01":date, "2005-01-01+00:00":date,  error).     % within 14 hours, and one has no zone
equality("2005-01-01":date, "2005-01-02Z":date,       false).
equality("2005-01-01":date, "2005-01-01+14:00":date,  error).     % 14 hours before, exactly
equality("2005-01-01":date, "2004-12-31-09:59":date,  false).
equality("2005-01-01":date, "2005-01-01-14:00":date,  error).
equality("2005-01-01":date, "2005-01-02+09:59":date,  false).
equality("2005-01-01":date, "2005-01-02":date,        false).
equality("2005-01-01":date, "2005-01-01T00:00:00Z":dateTime, false).
equality("2005-01-01-14:00":date, "2005-01-02+10:00":date, true).
equality("2005-02-29":date, "2005-02-29":date,        true).      % the same ill-typed literal
equality("2005-02-29":date, "2005-03-01":date,        error).
equality("2005-01-01":date, "1":integer,              false).
equality("24:00:00":time, "00:00:00":time,            true).
equality("12:00:00+01:00":time, "11:00:00Z":time,     true).
equality("12:00:00":time, "12:00:00Z":time,           error).
equality("00:00:00":time, "14:00:00Z":time,           error).
equality("00:00:00":time, "14:00:01Z":time,           false).
equality("12:00:00":time, "12:00:00.0":time,          true).
equality("12:00:60":time, "12:01:00":time,            error).     % no leap seconds
equality("2005":gYear, "2005Z":gYear,                 error).
equality("2005":gYear, "2006Z":gYear,                 false).
equality("2005-01":gYearMonth, "2005-01Z":gYearMonth, error).
equality("2005-01":gYearMonth, "2005-02-14:00":gYearMonth, false).
equality("2005":gYear, "2006":gYear,                  false).
equality("2005":gYear, "2005-01":gYearMonth,          false).
equality("--02-29":gMonthDay, "--02-29Z":gMonthDay,   error).
equality("--02-29":gMonthDay, "--03-01Z":gMonthDay,   false).
equality("--02-30":gMonthDay, "--03-01":gMonthDay,    error).
equality("---31":gDay, "---31Z":gDay,                 error).
equality("---30Z":gDay, "---30+00:00":gDay,           true).
equality("--12":gMonth, "--12+00:00":gMonth,          error).
equality("--12":gMonth, "--11+00:00":gMonth,          false).
equality("0.1":float,   "0.1":decimal,    true).      % as floats
equality("0.1":float,   "0.1":double,     false).     % as doubles
equality("16777217":float, "16777216":integer,        true).
equality("16777217":integer, "16777216":float,        true).
equality("16777217":integer, "16777216.0":decimal,    false).
equality("9007199254740993":integer, "9007199254740992":double, true).
equality("0.1000000000000000000000000000000000000001":decimal, "0.1":decimal, false).
equality("INF":float,   "INF":double,     true).
equality("-0.0E0":float, "0":integer,     true).
equality("a"@'en-us',   "a"@'en-us',      true).
equality("x":integer,   "x":integer,      true).      % the same ill-typed literal
equality("x":integer,   "y":integer,      error).
equality("x":integer,   "1":integer,      error).
equality("a"^^'urn:t',  "a"^^'urn:t',     true).
equality("a"^^'urn:t',  "b"^^'urn:t',     error).
equality("a"^^'urn:t',  "a",              error).
equality("a"^^'urn:t',  'urn:t',          false).
equality('urn:a',       'urn:a',          true).
equality('urn:a',       'urn:b',          false).
equality('urn:a',       "urn:a",          false).
equality('_:a',         '_:a',            true).
equality('urn:a',       unbound,          error).
equality(unbound,       unbound,          error).
equality("1":integer,   unbound,          error).

% smaller(A, B, A < B, A =< B)
smaller("1":integer,    "2":integer,      true,  true).
smaller("2":integer,    "2":integer,      false, true).
smaller("3":integer,    "2":byte,         false, false).
smaller("1":integer,    "1.50":decimal,   true,  true).
smaller("5":integer,    "5.0":decimal,    false, true).
smaller("1":decimal,    "INF":double,     true,  true).
smaller("-INF":float,   "-1.0E308":double, true, true).
smaller("NaN":double,   "1":integer,      false, false).
smaller("1.0E0":double, "NaN":double,     false, false).
smaller("a",            "b",              true,  true).
smaller("\uFFFD",       "\U00010000",     true,  true).
smaller("Z",            "a",              true,  true).
smaller("",             "",               false, true).
smaller("a"@en,         "b"@en,           error, error).
smaller("a",            "b"@en,           error, error).
smaller("a",            "1":integer,      error, error).
smaller("false":boolean, "1":boolean,     true,  true).
smaller("1970-01-01T00:00:00Z":dateTime, "1970-01-01T00:00:00-00:01":dateTime, true, true).
smaller("1970-01-01T00:00:00Z":dateTime, "1":integer,           error, error).
smaller("PT1S":duration, "PT0.1M":dayTimeDuration,              error, error).     % ill-typed
smaller("PT59S":duration, "PT1M":dayTimeDuration,               true,  true).
smaller("PT60S":duration, "PT1M":duration,                      false, true).
smaller("P11M":duration, "P1Y":yearMonthDuration,               true,  true).
smaller("P1M":duration,  "P30D":duration,                       error, error).
smaller("P1Y":duration,  "P1D":duration,                        error, error).
smaller("PT30S":duration, "P1M":duration,                       error, error).
smaller("P1M":duration,  "P1MT1S":duration,                     true,  true).
smaller("P1M":duration,  "P2MT1S":duration,                     true,  true).
smaller("-P1M":duration, "PT1S":duration,                       true,  true).
smaller("P1M":duration,  "P1M":yearMonthDuration,               false, true).
smaller("PT0S":duration, "P1M":yearMonthDuration,               true,  true).
smaller("P1M1D":duration, "P2M":duration,                       error, error).
smaller("2005-01-01":date, "2005-01-02":date,                true,  true).
smaller("-0001-12-31":date, "0000-01-01":date,               true,  true).
smaller("2005-01-01":date, "2005-01-02T00:00:00Z":dateTime,  error, error).
smaller("23:59:59":time, "24:00:00":time,                    false, false).
smaller("08:00:00Z":time, "08:00:00-00:01":time,             true,  true).
smaller("08:00:00":time, "08:00:00-00:01":time,              error, error).
smaller("08:00:00":time, "22:00:01Z":time,                   true,  true).
smaller("22:00:01Z":time, "08:00:00":time,                   false, false).
smaller("2005":gYear, "12005":gYear,                         true,  true).
smaller("2005-02":gYearMonth, "2005-10":gYearMonth,          true,  true).
smaller("---01":gDay, "---02":gDay,                          true,  true).
smaller("2005":gYear, "2006-01":gYearMonth,                  error, error).
smaller("205":gYear, "2006":gYear,                           error, error).
smaller("0.1":float, "0.1":decimal,                          false, true).
smaller("0.1":double, "0.1":float,                           true,  true).
smaller("16777217":integer, "16777218":float,                true,  true).
smaller("2005-01-01Z":date, "2005-01-01-01:00":date,         true,  true).
smaller("2005-01-01":date, "2005-01-01-01:00":date,          error, error).
smaller("2005-01-01":date, "2005-01-01-14:00":date,          error, error).
smaller("2005-01-01":date, "2005-01-02Z":date,               true,  true).
smaller("2005-01-01Z":date, "2005-01-02":date,               true,  true).
smaller("2005-01-03":date, "2005-01-02Z":date,               false, false).
smaller("2005":gYear, "2005Z":gYear,                         error, error).
smaller("2005":gYear, "2006Z":gYear,                         true,  true).
smaller("2005-02-30":date, "2005-03-01":date,                error, error).
smaller("2005-01-01":date, "2005-01-01T00:00:00Z":dateTime,  error, error).
smaller("x":integer,    "1":integer,      error, error).
smaller("x"^^'urn:t',   "x"^^'urn:t',     error, error).
smaller('urn:a',        'urn:b',          error, error).
smaller(unbound,        "1":integer,      error, error).

:- begin_tests(values).

test(ebv, [forall(truth(Term, Expected)), Truth == Expected]) :-
    gives(ebv, [Term], Truth).
test(equal, [forall(equality(A, B, Expected)), Truth == Expected]) :-
    gives(equal, [A, B], Truth).
test(equal_is_symmetric, [forall(equality(A, B, Expected)), Truth == Expected]) :-
    gives(equal, [B, A], Truth).
test(less, [forall(smaller(A, B, Expected, _)), Truth == Expected]) :-
    gives(less, [A, B], Truth).
test(less_or_equal, [forall(smaller(A, B, _, Expected)), Truth == Expected]) :-
    gives(less_or_equal, [A, B], Truth).
test(greater, [forall(smaller(A, B, true, _)), Truth == false]) :-
    gives(less_or_equal, [B, A], Truth).
test(beyond_doubles, Truth == true) :-
    Huge is 10**400,
    number_string(Huge, Text),
    gives(less, ["1.0E300":double, Text:integer], Truth).
test(as_big_as_infinity, Truth == false) :-
    Huge is 10**400,
    number_string(Huge, Text),
    gives(less, [Text:integer, "INF":double], Truth).
test(same_term, Truth == false) :-
    gives(same_term, ["1":integer, "01":integer], Truth).
test(same_nan, Truth == true) :-
    gives(same_term, ["NaN":double, "NaN":double], Truth).

test(compatible, Term == a) :-
    gives(compatible, [a, unbound], Term).
test(compatible, Term == a) :-
    gives(compatible, [unbound, a], Term).
test(compatible, Term == '$unbound') :-
    gives(compatible, [unbound, unbound], Term).
test(compatible, Term == "1.0":decimal) :-
    gives(compatible, ["1.0":decimal, "1.0":decimal], Term).
test(compatible, Term == error) :-
    gives(compatible, ["1":decimal, "1.0":decimal], Term).

:- end_tests(values).
