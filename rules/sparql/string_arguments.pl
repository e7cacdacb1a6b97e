:- module(etalis_string_arguments,
          [ string_literal/3,           % +Term, -Text, -Kind
            simple_literal/2,           % +Term, -Text
            string_term/3,              % +Text, +Kind, -Term
            compatible_arguments/4,     % +A, +B, -TextA-KindA, -TextB
            truth_term/2                % +Truth, -Term
          ]).
:- use_module(datatypes, [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Arguments and values of the string functions

A string literal is an xsd:string, of kind `simple`, or a text with a language, of kind `language(Tag)`
(SPARQL 1.1 section 17.4.3.1). A predicate fails for any other term.
*/

%!  string_literal(+Term, -Text, -Kind) is semidet.

string_literal(Text0^^ #xsd(string), Text, Kind) => Text = Text0, Kind = simple.
string_literal(Text0@Language, Text, Kind) => Text = Text0, Kind = language(Language).
string_literal(_, _, _) => fail.

%!  simple_literal(+Term, -Text) is semidet.

simple_literal(Text0^^ #xsd(string), Text) => Text = Text0.
simple_literal(_, _) => fail.

%!  string_term(+Text, +Kind, -Term) is det.

string_term(Text, simple, Term) => Term = Text^^ #xsd(string).
string_term(Text, language(Language), Term) => Term = Text@Language.

%!  compatible_arguments(+A, +B, -TextAndKindOfA, -TextOfB) is semidet.
%
%   Two string literals that may be compared: section 17.4.3.1.2. B is simple or has the language of A.

compatible_arguments(A, B, TextA-Kind, TextB) :-
    string_literal(A, TextA, Kind),
    string_literal(B, TextB, KindB),
    (   KindB == simple
    ->  true
    ;   KindB == Kind
    ).

%!  truth_term(+Truth, -Term) is det.
%
%   Truth as an xsd:boolean.

truth_term(Truth, Truth^^ #xsd(boolean)).
