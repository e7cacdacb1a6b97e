:- module(test_functions,
          [ value_of/2,                 % +NameAndArguments, -Encoded
            is_there/2                  % +Name, +Arity
          ]).
:- use_module('../../rules/engine/runtime').
:- use_module('../../rules/engine/terms').

/** <module> Calls a SPARQL function on encoded terms, for tests in Python */

%!  value_of(+NameAndArguments, -Encoded) is det.
%
%   NameAndArguments is a list of a predicate's name and encoded terms; Encoded is `@(none)` for an error.

value_of([Name|EncodedArguments], Encoded) :-
    decode_terms(EncodedArguments, Arguments),
    append(Arguments, [Value], All),
    Goal =.. [Name|All],
    (   call_cleanup(etalis_runtime:Goal, Det = true)
    ->  ( Det == true -> true ; throw(error(left_choice_point(Goal), _)) )
    ;   Value = '$unbound'
    ),
    encode_term(Value, Encoded).

%!  is_there(+Name, +Arity) is semidet.

is_there(Name, Arity) :-
    functor(Head, Name, Arity),
    predicate_property(etalis_runtime:Head, defined),
    !.
