:- module(test_literals, []).
:- use_module('../../rules/engine/terms').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

% literal(Text, Type, Raw): what stands before ^^. test_agreement.py compares with Python on far more.
literal("5",        integer, 5).
literal("05",       integer, lexical(5, "05")).
literal("-0",       integer, lexical(0, "-0")).
literal(" 5",       integer, " 5").
literal("5.0",      integer, "5.0").
literal("127",      byte,    127).
literal("128",      byte,    "128").
literal("-1",       nonNegativeInteger, "-1").
literal("1.5",      decimal, 3r2).
literal("2",        decimal, 2).
literal("2.0",      decimal, lexical(2, "2.0")).
literal(".5",       decimal, lexical(1r2, ".5")).
literal(".",        decimal, ".").
literal("1e0",      decimal, "1e0").
literal("1.0E2",    double,  100.0).
literal("100",      double,  lexical(100.0, "100")).
literal("1e400",    double,  lexical(1.0Inf, "1e400")).
literal("-1e-400",  double,  lexical(-0.0, "-1e-400")).
literal("INF",      double,  1.0Inf).
literal("NaN",      float,   1.5NaN).
literal("nan",      float,   "nan").
literal("true",     boolean, true).
literal("0",        boolean, lexical(false, "0")).
literal("TRUE",     boolean, "TRUE").
literal("1970-01-01T00:00:02Z",          dateTime, 2000000).
literal("1970-01-01T00:00:02.5Z",        dateTime, 2500000).
literal("1970-01-01T00:00:02",           dateTime, lexical(2000000, "1970-01-01T00:00:02")).
literal("1970-01-01T01:00:02.50+01:00",  dateTime, lexical(2500000, "1970-01-01T01:00:02.50+01:00")).
literal("1969-12-31T24:00:00Z",          dateTime, lexical(0, "1969-12-31T24:00:00Z")).
literal("2011-02-29T00:00:00Z",          dateTime, "2011-02-29T00:00:00Z").
literal("2016-12-31T23:59:60Z",          dateTime, "2016-12-31T23:59:60Z").
literal("1970-01-01T00:00:00.1234567Z",  dateTime, "1970-01-01T00:00:00.1234567Z").
literal("1970-01-01T00:00:02",           dateTimeStamp, "1970-01-01T00:00:02").
literal("P1Y2M3DT4H5M6.5S", duration,          duration(14, 273906500000)).
literal("PT60S",            duration,          lexical(duration(0, 60000000), "PT60S")).
literal("P",                duration,          "P").
literal("P1M",              dayTimeDuration,   "P1M").
literal("P1D",              yearMonthDuration, "P1D").
literal("P0M",              yearMonthDuration, duration(0, 0)).
literal("PT0S",             dayTimeDuration,   duration(0, 0)).
literal("a\x0\b",           string,            "a\x0\b").
literal("2011-03-11",       date,              "2011-03-11").

xsd(Name, Type) :-
    atom_concat('http://www.w3.org/2001/XMLSchema#', Name, Type).

:- begin_tests(literals).

test(read, [forall((literal(Text, Name, Raw), xsd(Name, Type))), Literal == Raw^^Type]) :-
    typed_literal(Text, Type, Literal).
test(form, [forall((literal(Text, Name, Raw), xsd(Name, Type))), Form == Text]) :-
    lexical_form(Raw^^Type, Form).
test(unknown_type, Literal == "5"^^'urn:type') :-
    typed_literal("5", 'urn:type', Literal).
test(language, Form == "hi") :-
    lexical_form("hi"@en, Form).
test(rounded, Form == "0.333333333333333333") :-
    xsd(decimal, Type),
    lexical_form(1r3^^Type, Form).
test(doubles, [forall(between(1, 200, _)), Again == Double]) :-
    Double is (random_float - 0.5)*10.0**(random(600) - 300),
    xsd(double, Type),
    lexical_form(Double^^Type, Form),
    typed_literal(Form, Type, Again^^Type).
test(times, [forall(between(1, 200, _)), Again == Time]) :-
    Time is random(400000000000000000000) - 200000000000000000000,
    xsd(dateTime, Type),
    lexical_form(Time^^Type, Form),
    typed_literal(Form, Type, Again^^Type).

:- end_tests(literals).
