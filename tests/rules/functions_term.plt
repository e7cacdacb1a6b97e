:- module(test_functions_term, []).
:- use_module(notation).
:- use_module('../../rules/sparql/functions_term').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

value(f_str, ['urn:a'],             "urn:a").
value(f_str, ["05":integer],        "05").
value(f_str, ["2.50":decimal],      "2.50").
value(f_str, ["1.0E2":double],      "1.0E2").
value(f_str, ["1970-01-01T00:00:00.5Z":dateTime], "1970-01-01T00:00:00.5Z").
value(f_str, ["hi"@en],             "hi").
value(f_str, ["x"^^'urn:t'],        "x").
value(f_str, ['_:b'],               error).
value(f_str, [unbound],             error).

value(f_lang, ["hi"@'en-us'],       "en-us").
value(f_lang, ["5":integer],        "").
value(f_lang, ['urn:a'],            error).

value(f_datatype, ["hi"@en],        'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString').
value(f_datatype, ["hi"],           'http://www.w3.org/2001/XMLSchema#string').
value(f_datatype, ["x"^^'urn:t'],   'urn:t').
value(f_datatype, ["05":integer],   'http://www.w3.org/2001/XMLSchema#integer').
value(f_datatype, ['urn:a'],        error).
value(f_datatype, [unbound],        error).

value(f_iri, ['', 'urn:a'],         'urn:a').
value(f_iri, ['', "urn:a"],         'urn:a').
value(f_iri, ['', "a"],             error).
value(f_iri, ['', "_:b"],           error).
value(f_iri, ['', '_:b'],           error).
value(f_iri, ['', "urn:a"@en],      error).
value(f_iri, ['', "5":integer],     error).
value(f_iri, ['', "urn:a b"],       error).
value(f_iri, ['', "urn:<a>"],       error).
value(f_iri, ['', unbound],         error).
value(f_iri, ['http://e/a/b?q', "c"],     'http://e/a/c').
value(f_iri, ['http://e/a/b?q', ""],      'http://e/a/b?q').
value(f_iri, ['http://e/a/b', "../\u00e9"], 'http://e/\u00e9').
value(f_iri, ['http://e/a/b', "#f"],      'http://e/a/b#f').
value(f_iri, ['http://e/a/b', "//f/g"],   'http://f/g').

value(f_iri, ['http://e', "g"],           'http://e/g').
value(f_iri, ['http://e', "../g?q/../r"], 'http://e/g?q/../r').
value(f_iri, ['http://e/a/b', "h:g/../i"], 'h:g/../i').          % absolute: as it is
value(f_iri, ['http://e/a/b', "a b"],     error).
value(f_iri, ['urn:a:b', "#f"],           'urn:a:b#f').
value(f_iri, ['relative', "g"],           error).

value(f_strlang, ["hi", "en-US"],   "hi"@'en-us').
value(f_strlang, ["hi", "en_US"],   error).
value(f_strlang, ["hi", ""],        error).
value(f_strlang, ["hi", "-"],       error).
value(f_strlang, ["hi"@de, "en"],   error).
value(f_strdt, ["5", 'http://www.w3.org/2001/XMLSchema#integer'],  "5":integer).
value(f_strdt, ["x", 'http://www.w3.org/2001/XMLSchema#integer'],  "x":integer).
value(f_strdt, ["x", 'urn:t'],      "x"^^'urn:t').
value(f_strdt, ["x"@en, 'urn:t'],   error).
value(f_strdt, ["x", "urn:t"],      error).
value(f_strdt, ["x", '_:b'],        error).
value(f_strdt, ["x", 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString'], error).

value(f_isiri, ['urn:a'],           "true":boolean).
value(f_isiri, ['_:a'],             "false":boolean).
value(f_isiri, ["urn:a"],           "false":boolean).
value(f_isiri, [unbound],           error).
value(f_isblank, ['_:a'],           "true":boolean).
value(f_isblank, ['urn:a'],         "false":boolean).
value(f_isblank, [unbound],         error).
value(f_isliteral, ["a"@en],        "true":boolean).
value(f_isliteral, ['urn:a'],       "false":boolean).
value(f_isliteral, [unbound],       error).
value(f_isnumeric, ["5":byte],      "true":boolean).
value(f_isnumeric, ["500":byte],    "false":boolean).
value(f_isnumeric, ["05.0":decimal], "true":boolean).
value(f_isnumeric, ["5"],           "false":boolean).
value(f_isnumeric, ["1970-01-01T00:00:00Z":dateTime], "false":boolean).
value(f_isnumeric, [unbound],       error).

value(f_langmatches, ["en", "*"],        "true":boolean).
value(f_langmatches, ["", "*"],          "false":boolean).
value(f_langmatches, ["en-US", "EN"],    "true":boolean).
value(f_langmatches, ["en", "en-us"],    "false":boolean).
value(f_langmatches, ["eng", "en"],      "false":boolean).
value(f_langmatches, ["", ""],           "true":boolean).
value(f_langmatches, ["en", 'urn:a'],    error).

:- begin_tests(functions_term).

test(value, [forall(value(Function, Arguments, Expected)), Value == Expected]) :-
    gives(Function, Arguments, Value).
test(fresh_blank_nodes, true(A \== B)) :-
    f_bnode(A),
    f_bnode(B),
    atom_concat('_:', _, A).
test(labelled_without_solution, true(A \== B)) :-
    term("x", Label),
    f_bnode(Label, A),
    f_bnode(Label, B).
test(label_is_a_simple_literal, [forall(member(Label, ["x"@en, "1":integer, 'urn:a', '_:b', unbound]))]) :-
    term(Label, Term),
    \+ f_bnode(Term, _),
    \+ f_bnode(s(1), Term, _).
test(labelled, true((A == B, A \== C, A \== D))) :-
    term("x", Label),
    term("y", Other),
    f_bnode(s(1), Label, A),
    f_bnode(s(1), Label, B),
    f_bnode(s(2), Label, C),
    f_bnode(s(1), Other, D).
test(uuid, [forall(between(1, 200, _)), true((Version == "4", memberchk(Variant, ["8", "9", "a", "b"])))]) :-
    f_uuid(Iri),
    split_string(Iri, "-:", "", ["urn", "uuid", A, B, C, D, E]),
    maplist(string_length, [A, B, C, D, E], [8, 4, 4, 4, 12]),
    sub_string(C, 0, 1, _, Version),
    sub_string(D, 0, 1, _, Variant).
test(struuid, Length == 36) :-
    f_struuid(Text^^_),
    string_length(Text, Length).

:- end_tests(functions_term).
