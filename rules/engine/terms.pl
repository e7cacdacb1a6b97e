:- module(etalis_terms,
          [ decode_term/2,              % +Encoded, -Term
            decode_terms/2,             % +EncodedList, -Terms
            encode_term/2,              % +Term, -Encoded
            encode_terms/2              % +Terms, -EncodedList
          ]).
:- use_module('../sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- reexport('../sparql/lexical_read', [typed_literal/3]).
:- reexport('../sparql/lexical_write', [lexical_form/2]).
:- use_module(library(macros)).

#import('../sparql/datatypes').

/** <module> RDF terms as they cross between Python and Prolog

Python's encoded terms (etalis_py/core/literals.py) arrive through janus as follows; the same forms go back.

| Python                      | arrives as          | term here                       |
|-----------------------------|---------------------|---------------------------------|
| `"http://..."`, `"_:b0"`    | atom                | the atom                        |
| `(value, datatype)`         | `Value-Type`        | `Value^^Type`                   |
| `(text, datatype)`          | `Atom-Type`         | `"text"^^Type`                  |
| `(text, "@en")`             | `Atom-'@en'`        | `"text"@en`                     |
| `(True, datatype)`          | `@(true)-Type`      | `true^^Type`                    |
| `((1, 2), datatype)`        | `(1-2)-Type`        | `duration(1,2)^^Type`           |
| `(value, lexical, datatype)`| `-(Value,Atom,Type)`| `lexical(Value,"text")^^Type`   |
| `None`                      | `@(none)`           | `'$unbound'`                    |
| `("tuple", number, [term...], None)`, in the place of an object | `-(Atom,N,List,@(none))` | `tuple(N,Term...)` |

Text is accepted as a string too. Does not check: what Python encoded is well formed.
*/

:- det((decode_term/2, decode_terms/2, encode_term/2, encode_terms/2)).

%!  decode_term(+Encoded, -Term) is det.
%
%   Raises existence_error(matching_rule, _) for anything but an encoded term.

decode_term(Value-Type, Term), number(Value) =>
    Term = Value^^Type.
decode_term(Value-Type, Term) =>
    decode_literal(Value, Type, Term).
decode_term(-(Value, Lexical, Type), Term) =>
    Term = lexical(Native, Text)^^Type,
    text_string(Lexical, Text),
    decode_value(Value, Native).
decode_term(-(_, Number, Values, _), Term) =>
    decode_each(Values, Terms),
    compound_name_arguments(Term, tuple, [Number|Terms]).
decode_term(@(none), Term) =>
    Term = '$unbound'.
decode_term(Name, Term), atom(Name) =>
    Term = Name.
decode_term(Text, Term), string(Text) =>
    atom_string(Term, Text).

decode_literal(Name, Type, Term), atom(Name) =>
    atom_string(Name, Text),
    text_literal(Type, Text, Term).
decode_literal(Text, Type, Term), string(Text) =>
    text_literal(Type, Text, Term).
decode_literal(Value, Type, Term) =>
    Term = Native^^Type,
    decode_value(Value, Native).

text_literal(#xsd(string), Text, Term) =>
    Term = Text^^ #xsd(string).
text_literal(Type, Text, Term), sub_atom(Type, 0, 1, _, @) =>
    Term = Text@Language,
    sub_atom(Type, 1, _, 0, Language).
text_literal(Type, Text, Term) =>
    Term = Text^^Type.

decode_value(@(Truth), Native) => Native = Truth.
decode_value(Months-Microseconds, Native) => Native = duration(Months, Microseconds).
decode_value(Number, Native), number(Number) => Native = Number.

text_string(Text, String), string(Text) => String = Text.
text_string(Name, String) => atom_string(Name, String).

%!  decode_terms(+EncodedList, -Terms) is det.
%
%   Does not call itself: a profile wraps it.

decode_terms(EncodedList, Terms) :-
    decode_each(EncodedList, Terms).

decode_each([], Terms) =>
    Terms = [].
decode_each([Encoded|Rest], Terms) =>
    Terms = [Term|More],
    decode_term(Encoded, Term),
    decode_each(Rest, More).

%!  encode_term(+Term, -Encoded) is det.
%
%   The inverse of decode_term/2, with a list where Python's encoded term is a tuple: of a tuple that
%   janus-swi 1.5.3 makes from a Prolog term, Python never gives back the items.

encode_term(Value^^Type, Encoded) =>
    encode_literal(Value, Type, Encoded).
encode_term(Text@Language, Encoded) =>
    Encoded = [Text,Tag],
    atom_concat(@, Language, Tag).
encode_term('$unbound', Encoded) =>
    Encoded = @(none).
encode_term(Name, Encoded), atom(Name) =>
    Encoded = Name.

encode_literal(lexical(Value, Text), Type, Encoded) =>
    Encoded = [Native,Text,Type],
    encode_value(Value, Native).
encode_literal(Value, Type, Encoded) =>
    Encoded = [Native,Type],
    encode_value(Value, Native).

encode_value(true, Encoded) => Encoded = @(true).
encode_value(false, Encoded) => Encoded = @(false).
encode_value(duration(Months, Microseconds), Encoded) => Encoded = [Months,Microseconds].
encode_value(Value, Encoded) => Encoded = Value.

%!  encode_terms(+Terms, -EncodedList) is det.

encode_terms([], Encoded) =>
    Encoded = [].
encode_terms([Term|Terms], Encoded) =>
    Encoded = [First|More],
    encode_term(Term, First),
    encode_terms(Terms, More).
