:- module(etalis_functions_term,
          [ f_str/2,                    % +Term, -Text
            f_lang/2,                   % +Literal, -Tag
            f_datatype/2,               % +Literal, -Iri
            f_iri/3,                    % +Base, +Term, -Iri
            f_bnode/1,                  % -BlankNode
            f_bnode/2,                  % +Label, -BlankNode
            f_bnode/3,                  % +Solution, +Label, -BlankNode
            f_strlang/3,                % +Text, +Tag, -Literal
            f_strdt/3,                  % +Text, +Datatype, -Literal
            f_isiri/2,                  % +Term, -Boolean
            f_isblank/2,                % +Term, -Boolean
            f_isliteral/2,              % +Term, -Boolean
            f_isnumeric/2,              % +Term, -Boolean
            f_langmatches/3,            % +Tag, +Range, -Boolean
            f_uuid/1,                   % -Iri
            f_struuid/1                 % -Text
          ]).
:- use_module(arithmetic, [numeric_value/3]).
:- use_module(ascii, [codes//1, digit//1, letter//0]).
:- use_module(datatypes, [op(_, _, @), op(_, _, ^^)]).
:- use_module(iri_resolution, [resolve_reference/3]).
:- use_module(string_arguments, [simple_literal/2, truth_term/2]).
:- use_module('../engine/terms', [lexical_form/2, typed_literal/3]).
:- use_module(library(lists), [append/3, member/2, memberchk/2]).
:- use_module(library(macros)).
:- use_module(library(sha), [sha_hash/3, hash_atom/2]).

#import(datatypes).

/** <module> Functions on RDF terms

SPARQL 1.1 section 17.4.2.
*/

:- det((f_bnode/1, f_uuid/1, f_struuid/1)).

%!  f_str(+Term, -Text) is semidet.
%
%   The text of an IRI or a literal. A blank node has none.

f_str(Name, Text), atom(Name) =>
    iri(Name),
    atom_string(Name, String),
    Text = String^^ #xsd(string).
f_str(Literal, Text) =>
    lexical_form(Literal, String),
    Text = String^^ #xsd(string).

%!  f_lang(+Literal, -Tag) is semidet.

f_lang(_@Language, Tag) =>
    atom_string(Language, String),
    Tag = String^^ #xsd(string).
f_lang(_^^_, Tag) =>
    Tag = ""^^ #xsd(string).
f_lang(_, _) =>
    fail.

%!  f_datatype(+Literal, -Iri) is semidet.

f_datatype(_^^Type, Iri) => Iri = Type.
f_datatype(_@_, Iri) => Iri = #rdf(langString).
f_datatype(_, _) => fail.

%!  f_iri(+Base, +Term, -Iri) is semidet.
%
%   The IRI that the text Term names, if it is relative then resolved against the IRI Base ('' if the query has
%   none). Fails for a blank node, for a literal that is not an xsd:string, and where no absolute IRI comes out.

f_iri(_, Name, Iri), atom(Name) =>
    iri(Name),
    Iri = Name.
f_iri(Base, Literal, Iri) =>
    simple_literal(Literal, Text),
    has_iri_characters(Text),
    (   has_scheme(Text)
    ->  atom_string(Iri, Text)
    ;   Base \== '',
        resolve_reference(Text, Base, Resolved),
        has_scheme(Resolved),
        Iri = Resolved
    ).

iri(Name) :-
    Name \== '$unbound',
    \+ sub_atom(Name, 0, _, _, '_:').

%   No character that RFC 3987 has no place for (the IRIREF of SPARQL).

has_iri_characters(Text) :-
    string_codes(Text, Codes),
    \+ ( member(Code, Codes),
         ( Code =< 0'\s ; memberchk(Code, `<>"{}|^\`\\`) )
       ).

has_scheme(Text) :-
    string_codes(Text, Codes),
    phrase(scheme, Codes, _).

scheme -->
    letter,
    scheme_rest.

scheme_rest -->
    ":",
    !.
scheme_rest -->
    (   letter
    ;   digit(_)
    ;   [Code],
        { memberchk(Code, `+-.`) }
    ),
    !,
    scheme_rest.

%!  f_bnode(-BlankNode) is det.
%
%   A blank node no other call gives, in this process or another.

f_bnode(BlankNode) :-
    Number is random(340282366920938463463374607431768211456),
    format(atom(BlankNode), '_:b~`0t~16r~35|', [Number]).

%!  f_bnode(+Label, -BlankNode) is semidet.
%
%   As f_bnode/1, where Label is a simple literal: for expressions that are not part of a solution's.

f_bnode(Label, BlankNode) :-
    simple_literal(Label, _),
    f_bnode(BlankNode).

%!  f_bnode(+Solution, +Label, -BlankNode) is semidet.
%
%   The blank node of Label, a simple literal, in the solution that the ground term Solution stands for.

f_bnode(Solution, Label, BlankNode) :-
    simple_literal(Label, Text),
    format(string(Key), "~q", [Solution-Text]),
    sha_hash(Key, Hash, [algorithm(sha1), encoding(utf8)]),
    hash_atom(Hash, Hex),
    atom_concat('_:h', Hex, BlankNode).

%!  f_strlang(+Text, +Tag, -Literal) is semidet.

f_strlang(Text, Tag, Literal) :-
    simple_literal(Text, String),
    simple_literal(Tag, TagString),
    string_codes(TagString, Codes),
    phrase(language_tag, Codes),
    string_lower(TagString, Lower),
    atom_string(Language, Lower),
    Literal = String@Language.

language_tag -->
    letter,
    language_letters,
    subtags.

language_letters -->
    letter,
    !,
    language_letters.
language_letters -->
    [].

subtags -->
    "-",
    !,
    alphanumeric,
    alphanumerics,
    subtags.
subtags -->
    [].

alphanumerics -->
    alphanumeric,
    !,
    alphanumerics.
alphanumerics -->
    [].

alphanumeric -->
    letter,
    !.
alphanumeric -->
    digit(_).

%!  f_strdt(+Text, +Datatype, -Literal) is semidet.

f_strdt(Text, Type, Literal) :-
    simple_literal(Text, String),
    atom(Type),
    iri(Type),
    Type \== #rdf(langString),
    typed_literal(String, Type, Literal).

%!  f_isiri(+Term, -Boolean) is semidet.

f_isiri('$unbound', _) => fail.
f_isiri(Term, Boolean), atom(Term), \+ sub_atom(Term, 0, _, _, '_:') => truth_term(true, Boolean).
f_isiri(_, Boolean) => truth_term(false, Boolean).

%!  f_isblank(+Term, -Boolean) is semidet.

f_isblank('$unbound', _) => fail.
f_isblank(Term, Boolean), atom(Term), sub_atom(Term, 0, _, _, '_:') => truth_term(true, Boolean).
f_isblank(_, Boolean) => truth_term(false, Boolean).

%!  f_isliteral(+Term, -Boolean) is semidet.

f_isliteral('$unbound', _) => fail.
f_isliteral(Term, Boolean), atom(Term) => truth_term(false, Boolean).
f_isliteral(_, Boolean) => truth_term(true, Boolean).

%!  f_isnumeric(+Term, -Boolean) is semidet.
%
%   True of a numeric literal that is not ill-typed.

f_isnumeric('$unbound', _) => fail.
f_isnumeric(Term, Boolean), numeric_value(Term, _, _) => truth_term(true, Boolean).
f_isnumeric(_, Boolean) => truth_term(false, Boolean).

%!  f_langmatches(+Tag, +Range, -Boolean) is semidet.
%
%   Basic filtering of RFC 4647, section 3.3.1.

f_langmatches(Tag, Range, Boolean) :-
    simple_literal(Tag, TagString),
    simple_literal(Range, RangeString),
    (   RangeString == "*"
    ->  ( TagString == "" -> Truth = false ; Truth = true )
    ;   string_lower(TagString, LowerTag),
        string_lower(RangeString, LowerRange),
        in_range(LowerTag, LowerRange)
    ->  Truth = true
    ;   Truth = false
    ),
    truth_term(Truth, Boolean).

in_range(Tag, Range) :-
    string_length(Range, Length),
    sub_string(Tag, 0, Length, After, Range),
    (   After =:= 0
    ->  true
    ;   sub_string(Tag, Length, 1, _, "-")
    ).

%!  f_uuid(-Iri) is det.
%
%   A fresh IRI `urn:uuid:...` (RFC 4122, version 4).

f_uuid(Iri) :-
    uuid_codes(Codes),
    format(atom(Iri), 'urn:uuid:~s', [Codes]).

%!  f_struuid(-Text) is det.

f_struuid(String^^ #xsd(string)) :-
    uuid_codes(Codes),
    string_codes(String, Codes).

%   122 random bits, the version 4 and the variant 2.

uuid_codes(Codes) :-
    Random is random(340282366920938463463374607431768211456),
    Cleared is Random /\ \(0xf000c000000000000000),
    Number is Cleared \/ 0x40008000000000000000,
    format(codes(Digits), "~`0t~16r~32|", [Number]),
    phrase(grouped([8, 4, 4, 4, 12], Digits), Codes).

grouped([_], Digits) -->
    !,
    codes(Digits).
grouped([Length|Lengths], Digits) -->
    { length(Group, Length),
      append(Group, Rest, Digits)
    },
    codes(Group),
    "-",
    grouped(Lengths, Rest).
