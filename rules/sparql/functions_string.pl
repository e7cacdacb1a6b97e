:- module(etalis_functions_string,
          [ f_concat/2,                 % +Terms, -Text
            f_strlen/2,                 % +Text, -Length
            f_substr/3,                 % +Text, +Start, -Part
            f_substr/4,                 % +Text, +Start, +Length, -Part
            f_ucase/2,                  % +Text, -Upper
            f_lcase/2,                  % +Text, -Lower
            f_encode_for_uri/2,         % +Text, -Encoded
            f_contains/3,               % +Text, +Part, -Boolean
            f_strstarts/3,              % +Text, +Part, -Boolean
            f_strends/3,                % +Text, +Part, -Boolean
            f_strbefore/3,              % +Text, +Part, -Before
            f_strafter/3                % +Text, +Part, -After
          ]).
:- use_module(arithmetic, [numeric_value/3]).
:- use_module(datatypes, [op(_, _, @), op(_, _, ^^)]).
:- use_module(letter_case, [lower_case/2, upper_case/2]).
:- use_module(string_arguments,
              [ compatible_arguments/4, simple_literal/2, string_literal/3, string_term/3, truth_term/2 ]).
:- use_module(library(lists), [memberchk/2]).
:- use_module(library(macros)).
:- use_module(library(utf8), [utf8_codes//1]).

#import(datatypes).

/** <module> Functions on strings

SPARQL 1.1 section 17.4.3. A character is a code point.
*/

%!  f_concat(+Terms, -Text) is semidet.
%
%   Has a language if all terms have that language.

f_concat([], Text) =>
    Text = ""^^ #xsd(string).
f_concat([Term|Terms], Text) =>
    string_literal(Term, First, Kind0),
    texts(Terms, Rest, Kind0, Kind),
    atomics_to_string([First|Rest], String),
    string_term(String, Kind, Text).

texts([], Texts, Kind0, Kind) =>
    Texts = [],
    Kind = Kind0.
texts([Term|Terms], Texts, Kind0, Kind) =>
    Texts = [Text|Rest],
    string_literal(Term, Text, KindOfTerm),
    (   KindOfTerm == Kind0
    ->  Kind1 = Kind0
    ;   Kind1 = simple
    ),
    texts(Terms, Rest, Kind1, Kind).

%!  f_strlen(+Text, -Length) is semidet.

f_strlen(Text, Length) :-
    string_literal(Text, String, _),
    string_length(String, Characters),
    Length = Characters^^ #xsd(integer).

%!  f_substr(+Text, +Start, -Part) is semidet.
%
%   From the character Start, counted from 1, to the end: fn:substring.

f_substr(Text, Start, Part) :-
    string_literal(Text, String, Kind),
    numeric_value(Start, _, From),
    string_length(String, Length),
    whole(From, First),
    part(String, Length, First, positive_infinity, Value),
    string_term(Value, Kind, Part).

%!  f_substr(+Text, +Start, +Length, -Part) is semidet.
%
%   The characters whose place is at least round(Start) and less than round(Start) + round(Length).

f_substr(Text, Start, Length, Part) :-
    string_literal(Text, String, Kind),
    numeric_value(Start, _, From),
    numeric_value(Length, _, Many),
    string_length(String, All),
    whole(From, First),
    whole(Many, Count),
    end(First, Count, End),
    part(String, All, First, End, Value),
    string_term(Value, Kind, Part).

%   A number rounded as fn:round does, or the name of what has no integer.

whole(Number, Whole), integer(Number) => Whole = Number.
whole(1.0Inf, Whole) => Whole = positive_infinity.
whole(-1.0Inf, Whole) => Whole = negative_infinity.
whole(Number, Whole), Number =\= Number => Whole = nan.
whole(Number, Whole) => Whole is floor(rational(Number) + 1r2).

end(First, Count, End), integer(First), integer(Count) => End is First + Count.
end(First, positive_infinity, End), integer(First) => End = positive_infinity.
end(_, _, End) => End = nan.

part(String, Length, First, End, Part) :-
    (   bounds(First, End, Length, Before, After),
        Many is After - Before,
        Many > 0
    ->  sub_string(String, Before, Many, _, Part)
    ;   Part = ""
    ).

bounds(First, End, Length, Before, After) :-
    (   integer(First)
    ->  Before is max(First - 1, 0)
    ;   First == negative_infinity,
        Before = 0
    ),
    (   integer(End)
    ->  After is min(End - 1, Length)
    ;   End == positive_infinity,
        After = Length
    ).

%!  f_ucase(+Text, -Upper) is semidet.

f_ucase(Text, Upper) :-
    string_literal(Text, String, Kind),
    upper_case(String, Value),
    string_term(Value, Kind, Upper).

%!  f_lcase(+Text, -Lower) is semidet.

f_lcase(Text, Lower) :-
    string_literal(Text, String, Kind),
    lower_case(String, Value),
    string_term(Value, Kind, Lower).

%!  f_encode_for_uri(+Text, -Encoded) is semidet.
%
%   Escapes all but the unreserved characters of RFC 3986.

f_encode_for_uri(Text, Encoded) :-
    string_literal(Text, String, _),
    string_codes(String, Codes),
    phrase(utf8_codes(Codes), Bytes),
    phrase(escaped(Bytes), Out),
    string_codes(Value, Out),
    Encoded = Value^^ #xsd(string).

escaped([]) -->
    [].
escaped([Byte|Bytes]) -->
    (   { unreserved(Byte) }
    ->  [Byte]
    ;   { High is Byte >> 4,
          Low is Byte /\ 15,
          upper_digit(High, HighDigit),
          upper_digit(Low, LowDigit)
        },
        [0'%, HighDigit, LowDigit]
    ),
    escaped(Bytes).

unreserved(Byte) :- Byte >= 0'a, Byte =< 0'z, !.
unreserved(Byte) :- Byte >= 0'A, Byte =< 0'Z, !.
unreserved(Byte) :- Byte >= 0'0, Byte =< 0'9, !.
unreserved(Byte) :- memberchk(Byte, `-._~`).

upper_digit(Value, Digit) :-
    (   Value < 10
    ->  Digit is 0'0 + Value
    ;   Digit is 0'A + Value - 10
    ).

%!  f_contains(+Text, +Part, -Boolean) is semidet.

f_contains(Text, Part, Boolean) :-
    compatible_arguments(Text, Part, String-_, Sub),
    (   sub_string(String, _, _, _, Sub)
    ->  Truth = true
    ;   Truth = false
    ),
    truth_term(Truth, Boolean).

%!  f_strstarts(+Text, +Part, -Boolean) is semidet.

f_strstarts(Text, Part, Boolean) :-
    compatible_arguments(Text, Part, String-_, Sub),
    (   string_concat(Sub, _, String)
    ->  Truth = true
    ;   Truth = false
    ),
    truth_term(Truth, Boolean).

%!  f_strends(+Text, +Part, -Boolean) is semidet.

f_strends(Text, Part, Boolean) :-
    compatible_arguments(Text, Part, String-_, Sub),
    (   string_concat(_, Sub, String)
    ->  Truth = true
    ;   Truth = false
    ),
    truth_term(Truth, Boolean).

%!  f_strbefore(+Text, +Part, -Before) is semidet.
%
%   What stands before the first Part, of the kind of Text; a simple "" if there is no Part.

f_strbefore(Text, Part, Before) :-
    compatible_arguments(Text, Part, String-Kind, Sub),
    (   sub_string(String, Start, _, _, Sub)
    ->  sub_string(String, 0, Start, _, Value),
        string_term(Value, Kind, Before)
    ;   Before = ""^^ #xsd(string)
    ).

%!  f_strafter(+Text, +Part, -After) is semidet.

f_strafter(Text, Part, After) :-
    compatible_arguments(Text, Part, String-Kind, Sub),
    (   sub_string(String, _, _, Length, Sub)
    ->  sub_string(String, _, Length, 0, Value),
        string_term(Value, Kind, After)
    ;   After = ""^^ #xsd(string)
    ).
