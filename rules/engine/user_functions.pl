:- module(etalis_user_functions,
          [ use_functions/2,            % +Engine, +PythonModule
            call_function/3,            % :Iri, +Arguments, -Value
            count_overrun/2             % +Engine, +Pattern
          ]).
:- use_module(library(janus), [py_call/1, py_call/2]).
:- use_module(terms, [decode_term/2, encode_terms/2]).

/** <module> Functions of the user's in Python

A query calls a function by its IRI; the engine's module holds the name of the Python module that knows it. Nothing of this is
called for a query that calls none.
*/

:- meta_predicate call_function(:, +, -).

%!  use_functions(+Engine, +PythonModule) is det.
%
%   PythonModule is the name of the module in Python that knows the functions by the name of the engine: its
%   value(Engine, Iri, Arguments) calls a function, and it counts what the user is told of.

:- det(use_functions/2).

use_functions(M, Python) :-
    assertz(M:functions(Python)).

%!  call_function(:Iri, +Arguments, -Value) is semidet.
%
%   Value is the RDF term that the function gives. Fails where SPARQL has an error: there is no such function, it
%   raises, or gives no term.

call_function(M:Iri, Arguments, Value) :-
    M:functions(Python),
    !,
    encode_terms(Arguments, Encoded),
    py_call(Python:value(M, Iri, Encoded), Result),
    Result \== @(none),
    decode_term(Result, Value).

%!  count_overrun(+Engine, +Pattern) is det.
%
%   A match of the regular expression Pattern, a string, took more steps than it may.

count_overrun(M, Pattern) :-
    (   M:functions(Python)
    ->  py_call(Python:count_overrun(M, Pattern))
    ;   true
    ).
