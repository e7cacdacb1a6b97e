:- module(test_notation,
          [ term/2,                     % +Short, -Term
            short/2,                    % +Term, -Short
            gives/3                     % :Predicate, +ShortArguments, -Short
          ]).
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module('../../rules/engine/terms', [lexical_form/2, typed_literal/3]).

:- meta_predicate gives(:, +, -).

/** <module> Short notation of RDF terms in tests

`"05":integer` is a typed literal given by its lexical form and the local name of its XSD datatype, `"a"` is
an xsd:string, `unbound` is no term. What else there is stands for itself.
*/

%!  term(+Short, -Term) is det.

term(Text:Name, Term) =>
    atom_concat('http://www.w3.org/2001/XMLSchema#', Name, Type),
    typed_literal(Text, Type, Term).
term(Text, Term), string(Text) =>
    term(Text:string, Term).
term(unbound, Term) =>
    Term = '$unbound'.
term(List, Term), is_list(List) =>
    maplist(term, List, Term).
term(Short, Term) =>
    Term = Short.

%!  short(+Term, -Short) is det.

short(Literal, Short), Literal = _^^Type, atom_concat('http://www.w3.org/2001/XMLSchema#', Name, Type) =>
    lexical_form(Literal, Text),
    (   Name == string
    ->  Short = Text
    ;   Short = Text:Name
    ).
short(Term, Short) =>
    Short = Term.

%!  gives(:Predicate, +ShortArguments, -Short) is det.
%
%   The value of a predicate whose last argument is its value, or `error`. Raises if it leaves a choice
%   point.

gives(M:Predicate, ShortArguments, Short) :-
    maplist(term, ShortArguments, Arguments),
    append(Arguments, [Value], All),
    Goal =.. [Predicate|All],
    (   call_cleanup(M:Goal, Det = true)
    ->  (   Det == true
        ->  short(Value, Short)
        ;   throw(error(left_choice_point(Predicate, ShortArguments), _))
        )
    ;   Short = error
    ).
