:- module(test_user_values, []).
:- use_module(notation).
:- use_module('../../rules/engine/user_predicates').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

% value(Value, Short): what a user's predicate gives, and the RDF term it stands for.
value(5,                 "5":integer).
value(1r4,               "0.25":decimal).
value(1r3,               "0.333333333333333333":decimal).
value(0.5,               "5.0E-1":double).
value("a",               "a").
value(true,              "true":boolean).
value('urn:a',           'urn:a').
value("a"@'EN-us',       "a"@'en-us').
value(5^^Type,           "5":integer)  :- xsd(integer, Type).
value("05"^^Type,        "05":integer) :- xsd(integer, Type).
value(lexical(7, "05")^^Type, "05":integer) :- xsd(integer, Type).
value(0.1^^Type,         "1.0E-1":float) :- xsd(float, Type).
value(500^^Type,         "500":byte)   :- xsd(byte, Type).
value(0^^Type,           "1970-01-01T00:00:00Z":dateTime) :- xsd(dateTime, Type).
value(duration(0, 60000000)^^Type, "PT1M":duration) :- xsd(duration, Type).
value(5^^'urn:t',        "5"^^'urn:t').
value(abc^^'urn:t',      error).
value(f(x),              error).
value(_,                 error).
value(5^^_,              error).

xsd(Name, Type) :-
    atom_concat('http://www.w3.org/2001/XMLSchema#', Name, Type).

:- begin_tests(user_values).

test(value, [forall(value(Value, Expected)), Term == ExpectedTerm]) :-
    ( Expected == error -> ExpectedTerm = error ; term(Expected, ExpectedTerm) ),
    (   rdf_value(Value, Term0)
    ->  Term = Term0
    ;   Term = error
    ).

:- end_tests(user_values).
