:- module(test_inspect,
          [fill/3, answers/5, explicit/2, named/2, graphs/2, merged/3, consequences/5, triggers/4, succeeds/2]).

:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [member/2]).
:- use_module('../../rules/engine/terms', [decode_term/2, decode_terms/2, encode_terms/2]).
:- use_module('../../rules/background/background').
:- use_module('../../rules/background/rdfs').

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

explicit(Background, Answers) :-
    findall(Answer, ( explicit_triple(Background, S, P, O), encode_terms([S,P,O], Answer) ), Answers).

named(Background, Answers) :-
    findall(Answer, ( graph_triple(Background, G, S, P, O), encode_terms([S,P,O,G], Answer) ), Answers).

graphs(Background, Graphs) :-
    findall(Graph, graph_name(Background, Graph), Graphs).

merged(Background, Texts, Answers) :-
    decode_terms(Texts, Graphs),
    findall(Answer, ( dataset_triple(Background, Graphs, S, P, O), encode_terms([S,P,O], Answer) ), Answers).

consequences(Background, S0, P0, O0, Answers) :-
    maplist(decode_term, [S0,P0,O0], [S,P,O]),
    findall(Answer,
            ( entailed_by_triple(Background, S, P, O, S2, P2, O2), encode_terms([S2,P2,O2], Answer) ),
            Answers).

triggers(Background, P0, O0, Answers) :-
    maplist(pattern_term, [P0,O0], [P,O]),
    findall([Predicate,Name],
            ( triggering_predicate(Background, Predicate, P, O, Way), functor(Way, Name, _) ),
            All),
    sort(All, Answers).

%   A goal given as text, in the background's module.

succeeds(Background, Text) :-
    term_to_atom(Goal, Text),
    \+ \+ Background:Goal.
