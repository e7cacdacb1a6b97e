:- module(test_newest_elements, []).
:- use_module('../../rules/operators/newest_elements').
:- use_module('../../rules/engine/places', [element_identity/5]).
:- use_module(library(plunit)).

:- begin_tests(newest_elements).

row(Graph, Start, End, Value, row(Element, Value)) :-
    element_identity('urn:s', Graph, Start, End, Element).

test(nothing) :-
    surplus(elements(2), [], []).
test(fewer) :-
    row('', 1, 1, a, Row),
    surplus(elements(2), [Row], []).
test(an_element_stays_whole, Surplus == [Old]) :-
    row('', 1, 1, a, Old),
    row('', 9, 9, a, New1),
    row('', 9, 9, b, New2),
    row('', 10, 10, c, Newest),
    surplus(elements(2), [Old, New1, Newest, New2], Surplus).
test(triples_are_counted, Surplus == [New1, Old]) :-
    row('', 1, 1, a, Old),
    row('', 9, 9, a, New1),
    row('', 9, 9, b, New2),
    row('', 10, 10, c, Newest),
    surplus(triples(2), [Old, New1, Newest, New2], Surplus).
test(what_started_later_is_newer, Surplus == [Long]) :-
    row('', 1, 9, a, Long),
    row('', 8, 9, b, Short),
    surplus(elements(1), [Short, Long], Surplus).
test(times_before_1970, Surplus == [Old]) :-
    row('', -12, -12, a, Old),
    row('', -9, -9, a, New),
    surplus(elements(1), [Old, New], Surplus).

:- end_tests(newest_elements).
