:- module(etalis_background_facts,
          [ fact_triple/2,              % +Fact, -Triple
            namespace/2                 % ?Prefix, ?Namespace
          ]).
:- use_module('../sparql/datatypes', [op(_, _, ^^), op(_, _, @)]).
:- use_module('../sparql/lexical_read', [typed_literal/3]).
:- use_module('../sparql/lexical_write', [lexical_form/2]).
:- use_module(library(macros)).

#import('../sparql/datatypes').

/** <module> RDF terms as people write them in a Prolog file

| written                              | means                                        |
|--------------------------------------|----------------------------------------------|
| `'http://example.org/oak'`, `oak`    | the IRI                                      |
| `rdfs:subClassOf`                    | the IRI; for rdf, rdfs, xsd, owl, and what   |
|                                      | `:- prefix` declares (state_declarations.pl) |
| `"text"`, `"text"@en`                | xsd:string, language-tagged string           |
| `5`, `1r2`, `0.5`, `true`            | xsd:integer, xsd:decimal, double, boolean    |
| `"5"^^xsd:integer`, `5^^xsd:integer` | the literal, by lexical form or native value |

`true` and `false` are booleans where a literal can stand.
*/

%!  fact_triple(+Fact, -Triple) is det.
%
%   Triple is t(S,P,O), or t(S,P,O,Graph), for rdf(S,P,O) and rdf(S,P,O,Graph).
%
%   @throws error(etalis_fact(Text), _) saying what cannot be an RDF term.

:- det(fact_triple/2).

fact_triple(rdf(S0,P0,O0), Triple) =>
    Triple = t(S,P,O),
    triple(S0, P0, O0, S, P, O).
fact_triple(rdf(S0,P0,O0,Graph0), Triple) =>
    Triple = t(S,P,O,Graph),
    triple(S0, P0, O0, S, P, O),
    name(graph, Graph0, Graph).

triple(S0, P0, O0, S, P, O) :-
    name(subject, S0, S),
    name(predicate, P0, P),
    (   sub_atom(P, 0, _, _, '_:')
    ->  refuse("a blank node cannot be the predicate: ~q", [P0])
    ;   object(O0, O)
    ).

name(Position, Term, _), var(Term) =>
    refuse("the ~w is a variable", [Position]).
name(_, Term, Name), atom(Term) =>
    Name = Term.
name(_, Prefix:Local, Name), atom(Prefix), atom(Local) =>
    (   namespace(Prefix, Namespace)
    ->  atom_concat(Namespace, Local, Name)
    ;   refuse("the prefix ~q is not known: only rdf, rdfs, xsd and owl are, and what :- prefix(~q, 'IRI') declares",
               [Prefix,Prefix])
    ).
name(Position, Term, _) =>
    refuse("the ~w is not an IRI but ~q", [Position, Term]).

%!  namespace(?Prefix, ?Namespace) is nondet.
%
%   The prefixes that need no declaration.

namespace(rdf,  'http://www.w3.org/1999/02/22-rdf-syntax-ns#').
namespace(rdfs, 'http://www.w3.org/2000/01/rdf-schema#').
namespace(xsd,  'http://www.w3.org/2001/XMLSchema#').
namespace(owl,  'http://www.w3.org/2002/07/owl#').

object(Term, _), var(Term) =>
    refuse("the object is a variable", []).
object(true, Object) =>
    Object = true^^ #xsd(boolean).
object(false, Object) =>
    Object = false^^ #xsd(boolean).
object(Text, Object), string(Text) =>
    Object = Text^^ #xsd(string).
object(Number, Object), integer(Number) =>
    Object = Number^^ #xsd(integer).
object(Number, Object), float(Number) =>
    Object = Number^^ #xsd(double).
object(Number, Object), rational(Number) =>
    typed(Number, #xsd(decimal), Object).
object(Text@Tag, Object), string(Text), atom(Tag) =>
    Object = Text@Language,
    downcase_atom(Tag, Language).
object(Value^^Type0, Object) =>
    name(datatype, Type0, Type),
    typed(Value, Type, Object).
object(Term, Object) =>
    name(object, Term, Object).

%   A native value is read again from its lexical form, so that a wrong one is found out.

typed(Value, _, _), var(Value) =>
    refuse("the value of a literal is a variable", []).
typed(Text, Type, Object), string(Text) =>
    typed_literal(Text, Type, Object).
typed(lexical(_, Text), Type, Object), string(Text) =>
    typed_literal(Text, Type, Object).
typed(Value, Type, Object) =>
    (   native(Value),
        catch(lexical_form(Value^^Type, Text), _, fail),
        typed_literal(Text, Type, Object),
        Object = Native^^_,
        \+ string(Native)
    ->  true
    ;   refuse("~q is not a value of the datatype ~q", [Value, Type])
    ).

native(true).
native(false).
native(duration(Months, Microseconds)) :-
    integer(Months),
    integer(Microseconds).
native(Number) :-
    float(Number), !.
native(Number) :-
    rational(Number, _, Denominator),
    only_factor(2, Denominator, Rest),
    only_factor(5, Rest, 1).

only_factor(Factor, N, Rest) :-
    (   N mod Factor =:= 0
    ->  N1 is N // Factor,
        only_factor(Factor, N1, Rest)
    ;   Rest = N
    ).

refuse(Format, Arguments) :-
    format(string(Text), Format, Arguments),
    throw(error(etalis_fact(Text), _)).
