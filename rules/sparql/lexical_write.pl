:- module(etalis_lexical_write,
          [ lexical_form/2,             % +Literal, -Text
            value_text/3,               % +Native, +Type, -Text
            float_digits/5              % +Float, +Type, -Sign, -Digits, -Power
          ]).
:- use_module(ascii, [digits//1]).
:- use_module(datatypes, [op(_, _, @), op(_, _, ^^)]).
:- use_module(decimals, [decimal_places/2, round_half_even/2]).
:- use_module(singles, [single_digits/4]).
:- use_module(times, [duration_text/4, time_text/2]).
:- use_module(library(lists), [append/3, reverse/2]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> The text of a literal

The canonical lexical forms are those of etalis_py/core/literals.py; both must stay the same.
*/

:- det((lexical_form/2, value_text/3, float_digits/5)).

%!  lexical_form(+Literal, -Text) is det.
%
%   The lexical form of a literal, a string: the form it keeps, or the canonical form of its value.

lexical_form(Text@_, Form) => Form = Text.
lexical_form(lexical(_, Text)^^_, Form) => Form = Text.
lexical_form(Native^^Type, Form) => value_text(Native, Type, Form).

%!  value_text(+Native, +Type, -Text) is det.
%
%   The canonical lexical form of a native value.

value_text(Text, _, Form), string(Text) => Form = Text.
value_text(Number, #xsd(dateTime), Form), integer(Number) => time_text(Number, Form).
value_text(Number, #xsd(dateTimeStamp), Form), integer(Number) => time_text(Number, Form).
value_text(Number, _, Form), integer(Number) => number_string(Number, Form).
value_text(Number, Type, Form), float(Number) => float_text(Number, Type, Form).
value_text(Number, _, Form), rational(Number) => decimal_text(Number, Form).
value_text(duration(Months, Microseconds), Type, Form) =>
    duration_text(Months, Microseconds, Type, Form).
value_text(true, _, Form) => Form = "true".
value_text(false, _, Form) => Form = "false".

%   Canonical form of XML Schema: one digit before the point, the shortest digits that read back.

float_text(Number, _, Text), float_class(Number, nan) => Text = "NaN".
float_text(1.0Inf, _, Text) => Text = "INF".
float_text(-1.0Inf, _, Text) => Text = "-INF".
float_text(Number, _, Text), Number =:= 0.0 =>
    (   Number == 0.0
    ->  Text = "0.0E0"
    ;   Text = "-0.0E0"
    ).
float_text(Number, Type, Text) =>
    float_digits(Number, Type, Sign, Digits, Power),
    number_codes(Digits, [First|Rest]),
    length(Rest, Places),
    Exponent is Power + Places,
    without_trailing_zeros(Rest, Short),
    (   Short == []
    ->  Shown = `0`
    ;   Shown = Short
    ),
    format(string(Text), "~s~c.~sE~d", [Sign, First, Shown, Exponent]).

%!  float_digits(+Float, +Type, -Sign, -Digits, -Power) is det.
%
%   A finite Float of the datatype Type is Sign Digits*10**Power with the fewest digits that read back as
%   Float, trailing zeros apart. Sign is "-" or "", Digits an integer.

float_digits(Single, #xsd(float), Sign, Digits, Power) =>
    single_digits(Single, Sign, Digits, Power).
float_digits(Double, _, Sign, Digits, Power) =>
    number_codes(Double, Codes),        % "1.0e+22", "0.001", "-123.5"
    phrase(float_parts(Sign, Whole, Fraction, Exponent), Codes),
    append(Whole, Fraction, All),
    number_codes(Digits, All),
    length(Fraction, Places),
    Power is Exponent - Places.

float_parts(Sign, Whole, Fraction, Power) -->
    (   "-"
    ->  { Sign = "-" }
    ;   { Sign = "" }
    ),
    digits(Whole),
    ".",
    digits(Fraction),
    (   "e"
    ->  rest(Codes),
        { number_codes(Power, Codes) }
    ;   { Power = 0 }
    ).

rest(Codes, Codes, []).

without_trailing_zeros(Codes, Short) :-
    reverse(Codes, Reversed),
    without_leading_zeros(Reversed, Kept),
    reverse(Kept, Short).

without_leading_zeros([0'0|Codes], Rest) => without_leading_zeros(Codes, Rest).
without_leading_zeros(Codes, Rest) => Rest = Codes.

%   An exact decimal. A rational without a finite decimal form is rounded to 18 places, half to even.

decimal_text(Number, Text) :-
    decimal_places(Number, Places),
    Scaled is Number*10**Places,
    round_half_even(Scaled, Whole),
    (   Whole < 0
    ->  Sign = "-"
    ;   Sign = ""
    ),
    Digits is abs(Whole),
    Integer is Digits//10**Places,
    Fraction is Digits mod 10**Places,
    (   Fraction =:= 0
    ->  format(string(Text), "~s~d", [Sign, Integer])
    ;   format(codes(Padded), "~`0t~d~*|", [Fraction, Places]),
        without_trailing_zeros(Padded, Shown),
        format(string(Text), "~s~d.~s", [Sign, Integer, Shown])
    ).
