:- module(test_inspect, [ fill/3, answers/5, consequences/5 ]).
:- use_module('../../rules/terms', [decode_term/2, decode_terms/2, encode_term/2, encode_terms/2]).
:- use_module('../../rules/background').
:- use_module('../../rules/rdfs').

%   What the tests in Python ask: a background from a list of encoded triples, and all answers to a pattern.
%   None in a pattern is a variable.

fill(Background, Entailment, Triples) :-
    open_background(Background),
    forall(( member(Encoded, Triples), decode_terms(Encoded, [S,P,O]) ),
           add_triple(Background, S, P, O)),
    prepare_background(Background, Entailment).

answers(Background, S0, P0, O0, Answers) :-
    maplist(pattern_term, [S0,P0,O0], [S,P,O]),
    findall(Answer, ( background_triple(Background, S, P, O), encode_terms([S,P,O], Answer) ), Answers).

pattern_term(@(none), _) :- !.
pattern_term(Encoded, Term) :- decode_term(Encoded, Term).

consequences(Background, S0, P0, O0, Answers) :-
    maplist(decode_term, [S0,P0,O0], [S,P,O]),
    findall(Answer,
            ( entailed_by_triple(Background, S, P, O, S2, P2, O2), encode_terms([S2,P2,O2], Answer) ),
            Answers).
