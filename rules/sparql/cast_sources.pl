:- module(etalis_cast_sources,
          [ source/4,                   % +Term, +Target, -Class, -Value
            known_value/3,              % +Literal, -Class, -Value
            exact_value/4,              % +Class, +Value, +Term, -Rational
            shortest_decimal/3,         % +Float, +Type, -Decimal
            trimmed/2                   % +Text, -Trimmed
          ]).
:- use_module(datatypes, [literal_class/2, native_value/2, op(_, _, ^^)]).
:- use_module(lexical_write, [float_digits/5]).
:- use_module('../engine/terms', [typed_literal/3]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> What a cast starts from

Text is read as a lexical form of the datatype that is wanted, white space around it apart; of any other literal
the value counts.
*/

%!  source(+Term, +Target, -Class, -Value) is semidet.
%
%   The value to convert: of text read as the datatype Target, or of the literal itself.

source(Text^^ #xsd(string), Target, Class, Value), string(Text) =>
    trimmed(Text, Trimmed),
    typed_literal(Trimmed, Target, Literal),
    known_value(Literal, Class, Value).
source(Literal, _, Class, Value) =>
    known_value(Literal, Class, Value).

%!  known_value(+Literal, -Class, -Value) is semidet.
%
%   Fails for ill-typed literals and unknown datatypes.

known_value(Raw^^Type, Class, Value) =>
    literal_class(Type, Class),
    native_value(Raw, Native),
    (   string(Native)
    ->  Class == string                 % else ill-typed
    ;   true
    ),
    Value = Native.
known_value(_, _, _) =>
    fail.

%!  exact_value(+Class, +Value, +Term, -Rational) is semidet.
%
%   The exact number that Value stands for; Value was made of Term. Of a double or float it is the shortest
%   decimal that reads back as it.

exact_value(boolean, true, _, Rational) => Rational = 1.
exact_value(boolean, false, _, Rational) => Rational = 0.
exact_value(number, Value, _^^Type, Rational), float(Value) =>
    float_class(Value, Class),
    Class \== nan,
    Class \== infinite,
    shortest_decimal(Value, Type, Rational).
exact_value(number, Value, _, Rational) => Rational = Value.
exact_value(_, _, _, _) => fail.

%!  shortest_decimal(+Float, +Type, -Decimal) is det.
%
%   The decimal with the fewest digits that reads back as Float, a finite number of the datatype Type.

:- det(shortest_decimal/3).

shortest_decimal(Float, Type, Decimal) :-
    float_digits(Float, Type, Sign, Digits, Power),
    (   Power >= 0
    ->  Magnitude is Digits*10**Power
    ;   Magnitude is Digits rdiv 10**(-Power)
    ),
    (   Sign == "-"
    ->  Decimal is -Magnitude
    ;   Decimal = Magnitude
    ).

%!  trimmed(+Text, -Trimmed) is det.

trimmed(Text, Trimmed) :-
    split_string(Text, "", " \t\n\r", [Trimmed]).
