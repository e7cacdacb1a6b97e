:- module(etalis_trace_text,
          [ json_text/2                 % +Value, -Text
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [numlist/3]).
:- use_module('../sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module('../engine/terms', [lexical_form/2]).

/** <module> What is told of answers, as JSON text

A value is null, number(Integer), text(String), list(Values), term(RDFTerm) or verbatim(JSON). An RDF term is a list:
`[IRI]` for an IRI or a blank node, `[LexicalForm, Type]` for a literal, the Type `@en` of one with a language.
*/

:- det(json_text/2).

%!  json_text(+Value, -Text) is det.

json_text(Value, Text) :-
    phrase(json(Value), Parts),
    atomics_to_string(Parts, Text).

json(null) --> ["null"].
json(number(Number)) --> [Number].
json(verbatim(Text)) --> [Text].
json(text(Text)) --> { quoted(Text, Quoted) }, [Quoted].
json(list(Values)) --> ["["], json_values(Values), ["]"].
json(term(Term)) --> { term_values(Term, Values) }, json(list(Values)).

json_values([]) --> [].
json_values([Value|Values]) --> json(Value), json_more(Values).

json_more([]) --> [].
json_more([Value|Values]) --> [","], json(Value), json_more(Values).

term_values(Text@Language, Values) =>
    atom_concat(@, Language, Tag),
    Values = [text(Text),text(Tag)].
term_values(Value^^Type, Values) =>
    lexical_form(Value^^Type, Text),
    Values = [text(Text),text(Type)].
term_values(Name, Values) =>
    Values = [text(Name)].

%   quoted(+Text, -Quoted): JSON's string (RFC 8259, section 7). Hardly a text has anything to escape, and to see that
%   takes one step, however long it is.

quoted(Text, Quoted) :-
    special(Special),
    (   split_string(Text, Special, "", [_]),
        \+ sub_atom(Text, _, 1, _, '\000\')
    ->  atomics_to_string(['"',Text,'"'], Quoted)
    ;   string_codes(Text, Codes),
        maplist(escaped, Codes, Parts),
        atomics_to_string(['"'|Parts], Open),
        string_concat(Open, "\"", Quoted)
    ).

%   special(-Characters): what a string must escape, found when this file is compiled; without the character 0, which
%   split_string/4 takes for the end of them.

term_expansion(special_characters, special(Characters)) :-
    numlist(1, 31, Low),
    string_codes(Characters, [0'", 0'\\|Low]).

special_characters.

escaped(Code, Part) :-
    (   Code >= 0' ,
        Code =\= 0'",
        Code =\= 0'\\
    ->  char_code(Part, Code)
    ;   format(string(Part), '\\u~|~`0t~16r~4+', [Code])
    ).
