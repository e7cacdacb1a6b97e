:- module(test_newest_elements, []).
:- use_module('../../rules/operators/newest_elements').
:- use_module('../../rules/engine/places', [element_identity/4]).
:- use_module(library(plunit)).

:- begin_tests(newest_elements).

triple(Time, Triple, Value, row(triple(Element,Triple), Value)) :-
    element_identity(place('urn:s',''), Time, Time, Element).

row(Graph, Start, End, Value, row(Element, Value)) :-
    element_identity(place('urn:s',Graph), Start, End, Element).

test(fewer, r(Kept, Come) == r([Row], 1)) :-
    row('', 1, 1, a, Row),
    among_newest(2, [Row], Kept, Come).
test(an_element_stays_whole, r(Kept, Come) == r([New1, New2, Newest], 2)) :-
    row('', 1, 1, a, Old),
    row('', 9, 9, a, New1),
    row('', 9, 9, b, New2),
    row('', 10, 10, c, Newest),
    among_newest(2, [Old, New2, Newest, New1], Kept, Come).
test(triples_are_counted, r(Kept, Come) == r([New2, Newest, Entailed], 2)) :-
    triple(1, a, v, Old),
    triple(9, a, v, New1),
    triple(9, b, v, New2),
    triple(10, c, v, Newest),
    triple(10, c, w, Entailed),
    among_newest(2, [Old, New1, Entailed, Newest, New2], Kept, Come).
test(what_started_later_is_newer, Kept == [Short]) :-
    row('', 1, 9, a, Long),
    row('', 8, 9, b, Short),
    among_newest(1, [Short, Long], Kept, 1).
test(times_before_1970, Kept == [New]) :-
    row('', -12, -12, a, Old),
    row('', -9, -9, a, New),
    among_newest(1, [New, Old], Kept, 1).

:- end_tests(newest_elements).
