:- module(etalis_questions,
          [ answer_question/4           % +Module, +Text, +Limit, -Answers
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(terms, [encode_term/2]).
:- use_module(user_predicates, [rdf_value/2]).

/** <module> Prolog questions put to an engine from outside

A question is the text of a goal. It sees what the module of the engine's background sees: rdf/3 and rdfs/3,
rdfs_subclass/2, the user's predicates, and Prolog's own.
*/

%!  answer_question(+Module, +Text, +Limit, -Answers) is det.
%
%   Answers is a list of solutions, each a list of [Variable,Encoded] for the named variables that it binds to
%   an RDF term or a plain number, string or atom; any other value comes as ['$text',Written].
%
%   @throws syntax errors, what the goal raises, and error(etalis_limit(inferences, Limit), _)

answer_question(Module, Text, Limit, Answers) :-
    term_string(Goal, Text, [variable_names(Bindings), module(Module)]),
    call_with_inference_limit(findall(Bindings, Module:Goal, Solutions), Limit, Result),
    (   Result == inference_limit_exceeded
    ->  throw(error(etalis_limit(inferences, Limit), _))
    ;   maplist(shown, Solutions, Answers)
    ).

shown([], []).
shown([Name=Value|Bindings], Shown) :-
    (   ( var(Value) ; sub_atom(Name, 0, _, _, '_') )
    ->  Shown = More
    ;   rdf_value(Value, Term)
    ->  Shown = [[Name,Encoded]|More],
        encode_term(Term, Encoded)
    ;   Shown = [[Name,['$text',Written]]|More],
        format(string(Written), '~q', [Value])
    ),
    shown(Bindings, More).
