:- module(test_functions_string, []).
:- use_module(notation).
:- use_module('../../rules/sparql/functions_string').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

value(f_concat, [[]],                   "").
value(f_concat, [["a", "b"]],           "ab").
value(f_concat, [["a"@en, "b"@en]],     "ab"@en).
value(f_concat, [["a"@en, "b"@de]],     "ab").
value(f_concat, [["a"@en, "b"]],        "ab").
value(f_concat, [["a", "5":integer]],   error).
value(f_concat, [["a", unbound]],       error).
value(f_concat, [["a\x0\", "\U0001F600"]], "a\x0\\U0001F600").
value(f_strlen, ["\U0001F600a\x0\"],    "3":integer).
value(f_strlen, ["chat"@en],            "4":integer).
value(f_strlen, ["5":integer],          error).

% The examples of fn:substring.
value(f_substr, ["motor car", "6":integer],                   " car").
value(f_substr, ["metadata", "4":integer, "3":integer],       "ada").
value(f_substr, ["12345", "1.5":decimal, "2.6":decimal],      "234").
value(f_substr, ["12345", "0":integer, "3":integer],          "12").
value(f_substr, ["12345", "5":integer, "-3":integer],         "").
value(f_substr, ["12345", "-3":integer, "5":integer],         "1").
value(f_substr, ["12345", "NaN":double, "3":integer],         "").
value(f_substr, ["12345", "1":integer, "NaN":double],         "").
value(f_substr, ["12345", "-42":integer, "INF":double],       "12345").
value(f_substr, ["12345", "-INF":double, "INF":double],       "").
value(f_substr, ["12345", "-INF":double],                     "12345").
value(f_substr, ["12345", "INF":double],                      "").
value(f_substr, ["foobar"@en, "4":integer],                   "bar"@en).
value(f_substr, ["a\U0001F600b", "2":integer, "1":integer],   "\U0001F600").
value(f_substr, ["foo", "9":integer],                         "").
value(f_substr, ["foo", "1"],                                 error).
value(f_substr, ["foo", "1":integer, "x":integer],            error).
value(f_substr, [unbound, "1":integer],                       error).

value(f_ucase, ["bar"@en],              "BAR"@en).
value(f_lcase, ["BaR 1"],               "bar 1").
value(f_ucase, ["5":integer],           error).
value(f_encode_for_uri, ["Los Angeles~-._"@en], "Los%20Angeles~-._").
value(f_encode_for_uri, ["\u98df\U0001F600%/\x0\"], "%E9%A3%9F%F0%9F%98%80%25%2F%00").
value(f_encode_for_uri, ['urn:a'],      error).

value(f_contains,  ["foobar", "bar"],       "true":boolean).
value(f_contains,  ["foobar"@en, "foo"@en], "true":boolean).
value(f_contains,  ["foobar"@en, "foo"],    "true":boolean).
value(f_contains,  ["foobar", "foo"@en],    error).
value(f_contains,  ["foobar"@en, "foo"@de], error).
value(f_contains,  ["foobar", ""],          "true":boolean).
value(f_contains,  ["aXa", "x"],            "false":boolean).
value(f_contains,  ["a", "5":integer],      error).
value(f_strstarts, ["foobar", "foo"],       "true":boolean).
value(f_strstarts, ["foobar", "bar"],       "false":boolean).
value(f_strends,   ["foobar"@en, "bar"],    "true":boolean).
value(f_strends,   ["foobar", "foo"],       "false":boolean).
value(f_strends,   ["ar", "foobar"],        "false":boolean).

% The examples of SPARQL 1.1, sections 17.4.3.9 and 17.4.3.10.
value(f_strbefore, ["abc", "b"],            "a").
value(f_strbefore, ["abc"@en, "bc"],        "a"@en).
value(f_strbefore, ["abc"@en, "b"@cy],      error).
value(f_strbefore, ["abc", ""],             "").
value(f_strbefore, ["abc", "xyz"],          "").
value(f_strbefore, ["abc"@en, "z"@en],      "").
value(f_strbefore, ["abc"@en, ""@en],       ""@en).
value(f_strbefore, ["abcbc", "bc"],         "a").
value(f_strafter,  ["abc", "b"],            "c").
value(f_strafter,  ["abc"@en, "ab"],        "c"@en).
value(f_strafter,  ["abc"@en, "b"@cy],      error).
value(f_strafter,  ["abc", ""],             "abc").
value(f_strafter,  ["abc", "xyz"],          "").
value(f_strafter,  ["abc"@en, "z"],         "").
value(f_strafter,  ["abc"@en, ""],          "abc"@en).
value(f_strafter,  ["abcbcd", "bc"],        "bcd").
value(f_strafter,  [unbound, "a"],          error).

:- begin_tests(functions_string).

test(value, [forall(value(Function, Arguments, Expected)), Value == Expected]) :-
    gives(Function, Arguments, Value).

:- end_tests(functions_string).
