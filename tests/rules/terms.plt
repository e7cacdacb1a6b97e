:- module(test_terms, []).
:- use_module('../../rules/engine/terms').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(plunit)).

% What Python sends and what it means. Hostile text must come through as it is.
same('http://example.org/a', 'http://example.org/a').
same('_:b0', '_:b0').
same('', '').
same('[]', '[]').
same('it\'s "\\ \u00e9\U0001F600\x0\', 'it\'s "\\ \u00e9\U0001F600\x0\').
same(@(none), '$unbound').
same(5-int, 5^^int).
same(5r3-decimal, 5r3^^decimal).
same(-0.0-double, -0.0^^double).
same(1.0Inf-double, 1.0Inf^^double).
same(1.5NaN-double, 1.5NaN^^double).
same(@(true)-boolean, true^^boolean).
same(@(false)-boolean, false^^boolean).
same((14- -5)-duration, duration(14,-5)^^duration).
same("true"-'http://www.w3.org/2001/XMLSchema#string', "true"^^'http://www.w3.org/2001/XMLSchema#string').
same("a\x0\b"-'urn:type', "a\x0\b"^^'urn:type').
same(""-'@en', ""@en).
same("\U0001F600"-'@de-at', "\U0001F600"@'de-at').
same(-(1,"01",int), lexical(1,"01")^^int).
same(-(@(true),"1",boolean), lexical(true,"1")^^boolean).
same(-((0-60),"PT60S",duration), lexical(duration(0,60),"PT60S")^^duration).

%   lists(+Tuples, -Lists): what goes out has lists where what comes in has tuples.
lists(Tuple, List) :-
    compound(Tuple), compound_name_arguments(Tuple, -, Items),
    !,
    maplist(lists, Items, List).
lists(Same, Same).

:- begin_tests(terms).

test(decode, [forall(same(Encoded, Term)), Decoded == Term]) :-
    decode_term(Encoded, Decoded).
test(encode, [forall(same(Encoded, Term)), Again == Lists]) :-
    lists(Encoded, Lists),
    encode_term(Term, Again).
test(text_as_atom, Term == "1"^^'urn:type') :-
    decode_term('1'-'urn:type', Term).
test(text_of_no_letters, Term == ""^^'http://www.w3.org/2001/XMLSchema#string') :-
    decode_term(''-'http://www.w3.org/2001/XMLSchema#string', Term).
test(kept_form_as_atom, Term == lexical(1, "01")^^int) :-
    decode_term(-(1,'01',int), Term).
test(iri_as_string, Term == 'urn:a') :-
    decode_term("urn:a", Term).
test(list, Terms == [a, 1^^int]) :-
    decode_terms([a, 1-int], Terms).
test(list_back, Encoded == [a, @(none), ["x",'@en']]) :-
    encode_terms([a, '$unbound', "x"@en], Encoded).
test(no_term, error(existence_error(matching_rule, _))) :-
    decode_term(foo(1), _).

:- end_tests(terms).
