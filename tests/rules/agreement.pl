:- module(test_agreement,
          [ read_literal/2,             % +TextAndType, -Encoded
            form/2,                     % +Encoded, -Text
            round_trip/2                % +Encoded, -Encoded
          ]).
:- use_module('../../rules/engine/terms').

/** <module> What test_term_agreement.py compares with Python */

read_literal(Name-Type, Encoded) :-
    atom_string(Name, Text),
    typed_literal(Text, Type, Literal),
    encode_term(Literal, Encoded).

form(Encoded, Text) :-
    decode_term(Encoded, Literal),
    lexical_form(Literal, Text).

round_trip(Encoded, Again) :-
    decode_term(Encoded, Term),
    encode_term(Term, Again).
