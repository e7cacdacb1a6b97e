:- module(etalis_functions_cast,
          [ cast_string/2,              % +Term, -Literal
            cast_integer/2,             % +Term, -Literal
            cast_decimal/2,             % +Term, -Literal
            cast_double/2,              % +Term, -Literal
            cast_float/2,               % +Term, -Literal
            cast_boolean/2,             % +Term, -Literal
            cast_datetime/2,            % +Term, -Literal
            cast_duration/2             % +Term, -Literal
          ]).
:- use_module(dates, [first_moment/2]).
:- use_module(datatypes, [literal_class/2, native_value/2, op(_, _, @), op(_, _, ^^)]).
:- use_module(floats, [nearest_float/2]).
:- use_module(lexical_write, [double_digits/4]).
:- use_module(terms, [lexical_form/2, typed_literal/3]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Casts

SPARQL 1.1 section 17.5, XPath 2.0 functions section 17.1. A cast goes by value: its result is canonical, but
a time keeps its zone. Text is read as a lexical form of the type, white space around it apart. A decimal made
of a double is the shortest one that reads back as the double. Fails where there is no such value.
*/

%!  cast_string(+Term, -Literal) is semidet.
%
%   An IRI gives its text, and so does a literal without a value. A double from 1.0E-6 to 1.0E6 is written without exponent.

cast_string(Name, Literal), atom(Name) =>
    Name \== '$unbound',
    \+ sub_atom(Name, 0, _, _, '_:'),
    atom_string(Name, Text),
    Literal = Text^^ #xsd(string).
cast_string(Raw^^Type, Literal), known_value(Raw^^Type, Class, Native) =>
    value_string(Class, Native, Raw^^Type, Text),
    Literal = Text^^ #xsd(string).
cast_string(Text^^_, Literal), string(Text) =>
    Literal = Text^^ #xsd(string).
cast_string(Text@_, Literal) =>
    Literal = Text^^ #xsd(string).
cast_string(_, _) =>
    fail.

value_string(time, _, Literal, Text) =>
    lexical_form(Literal, Text).
value_string(number, Number, _, Text), float(Number), without_exponent(Number) =>
    (   Number == -0.0
    ->  Text = "-0"
    ;   shortest_decimal(Number, Decimal),
        lexical_form(Decimal^^ #xsd(decimal), Text)
    ).
value_string(_, Native, _^^Type, Text) =>
    lexical_form(Native^^Type, Text).

without_exponent(Double) :-
    (   Double =:= 0.0
    ->  true
    ;   abs(Double) >= 1.0e-6,
        abs(Double) < 1.0e6
    ).

%   The decimal with the fewest digits that reads back as the double.

shortest_decimal(Double, Decimal) :-
    double_digits(Double, Sign, Digits, Power),
    (   Power >= 0
    ->  Magnitude is Digits*10**Power
    ;   Magnitude is Digits rdiv 10**(-Power)
    ),
    (   Sign == "-"
    ->  Decimal is -Magnitude
    ;   Decimal = Magnitude
    ).

%!  cast_integer(+Term, -Literal) is semidet.
%
%   Cuts the fraction of a number.

cast_integer(Term, Literal) :-
    source(Term, #xsd(integer), Class, Value),
    rational_value(Class, Value, Rational),
    Integer is truncate(Rational),
    Literal = Integer^^ #xsd(integer).

%!  cast_decimal(+Term, -Literal) is semidet.

cast_decimal(Term, Literal) :-
    source(Term, #xsd(decimal), Class, Value),
    rational_value(Class, Value, Rational),
    Literal = Rational^^ #xsd(decimal).

rational_value(boolean, true, Rational) => Rational = 1.
rational_value(boolean, false, Rational) => Rational = 0.
rational_value(number, Value, Rational), float(Value) =>
    float_class(Value, Class),
    Class \== nan,
    Class \== infinite,
    shortest_decimal(Value, Rational).
rational_value(number, Value, Rational) => Rational = Value.
rational_value(_, _, _) => fail.

%!  cast_double(+Term, -Literal) is semidet.

cast_double(Term, Literal) :-
    source(Term, #xsd(double), Class, Value),
    float_value(Class, Value, Double),
    Literal = Double^^ #xsd(double).

%!  cast_float(+Term, -Literal) is semidet.

cast_float(Term, Literal) :-
    source(Term, #xsd(float), Class, Value),
    float_value(Class, Value, Float),
    Literal = Float^^ #xsd(float).

float_value(boolean, true, Float) => Float = 1.0.
float_value(boolean, false, Float) => Float = 0.0.
float_value(number, Value, Float) => nearest_float(Value, Float).
float_value(_, _, _) => fail.

%!  cast_boolean(+Term, -Literal) is semidet.
%
%   A number is false if it is zero or NaN.

cast_boolean(Term, Literal) :-
    source(Term, #xsd(boolean), Class, Value),
    truth_value(Class, Value, Truth),
    Literal = Truth^^ #xsd(boolean).

truth_value(boolean, Value, Truth) => Truth = Value.
truth_value(number, Value, Truth), Value =\= 0, Value =:= Value => Truth = true.
truth_value(number, _, Truth) => Truth = false.
truth_value(_, _, _) => fail.

%!  cast_datetime(+Term, -Literal) is semidet.
%
%   Of text, of a time, and of an xsd:date: its first moment.

cast_datetime(Text^^ #xsd(string), Literal), string(Text) =>
    trimmed(Text, Trimmed),
    typed_literal(Trimmed, #xsd(dateTime), Time),
    known_value(Time, _, _),
    Literal = Time.
cast_datetime(Date^^ #xsd(date), Literal), string(Date) =>
    first_moment(Date, Literal).
cast_datetime(Raw^^Type, Literal) =>
    known_value(Raw^^Type, Class, _),
    Class == time,
    Literal = Raw^^ #xsd(dateTime).
cast_datetime(_, _) =>
    fail.

%!  cast_duration(+Term, -Literal) is semidet.

cast_duration(Term, Literal) :-
    source(Term, #xsd(duration), Class, Value),
    Class == duration,
    Literal = Value^^ #xsd(duration).

%   source(+Term, +Target, -Class, -Value) is semidet.
%
%   The value to convert: of text read as the datatype Target, or of the literal itself.

source(Text^^ #xsd(string), Target, Class, Value), string(Text) =>
    trimmed(Text, Trimmed),
    typed_literal(Trimmed, Target, Literal),
    known_value(Literal, Class, Value).
source(Literal, _, Class, Value) =>
    known_value(Literal, Class, Value).

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

trimmed(Text, Trimmed) :-
    split_string(Text, "", " \t\n\r", [Trimmed]).
