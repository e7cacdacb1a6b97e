:- module(etalis_functions_cast,
          [ cast_string/2,              % +Term, -Literal
            cast_integer/2,             % +Term, -Literal
            cast_decimal/2,             % +Term, -Literal
            cast_double/2,              % +Term, -Literal
            cast_float/2,               % +Term, -Literal
            cast_boolean/2              % +Term, -Literal
          ]).
:- use_module(cast_sources, [exact_value/4, known_value/3, shortest_decimal/3, source/4]).
:- use_module(datatypes, [op(_, _, @), op(_, _, ^^)]).
:- use_module(floats, [nearest_float/2]).
:- use_module(singles, [nearest_single/2]).
:- use_module('../engine/terms', [lexical_form/2]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Casts

SPARQL 1.1 section 17.5, XPath 2.0 functions section 17.1; to times and durations in functions_cast_time.pl, to
the types derived from xsd:integer in functions_cast_integer.pl. A cast goes by value: its result is canonical.
Fails where there is no such value.
*/

%!  cast_string(+Term, -Literal) is semidet.
%
%   An IRI gives its text, and so does a literal without a value. A time keeps its zone; a double from 1.0E-6
%   to 1.0E6 is written without exponent.

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
value_string(number, Number, _^^Type, Text), float(Number), without_exponent(Number) =>
    (   Number == -0.0
    ->  Text = "-0"
    ;   shortest_decimal(Number, Type, Decimal),
        lexical_form(Decimal^^ #xsd(decimal), Text)
    ).
value_string(_, Native, _^^Type, Text) =>
    lexical_form(Native^^Type, Text).

without_exponent(Float) :-
    (   Float =:= 0.0
    ->  true
    ;   abs(Float) >= 1.0e-6,
        abs(Float) < 1.0e6
    ).

%!  cast_integer(+Term, -Literal) is semidet.
%
%   Cuts the fraction of a number.

cast_integer(Term, Literal) :-
    source(Term, #xsd(integer), Class, Value),
    exact_value(Class, Value, Term, Rational),
    Integer is truncate(Rational),
    Literal = Integer^^ #xsd(integer).

%!  cast_decimal(+Term, -Literal) is semidet.

cast_decimal(Term, Literal) :-
    source(Term, #xsd(decimal), Class, Value),
    exact_value(Class, Value, Term, Rational),
    Literal = Rational^^ #xsd(decimal).

%!  cast_double(+Term, -Literal) is semidet.

cast_double(Term, Literal) :-
    source(Term, #xsd(double), Class, Value),
    float_value(Class, Value, nearest_float, Double),
    Literal = Double^^ #xsd(double).

%!  cast_float(+Term, -Literal) is semidet.

cast_float(Term, Literal) :-
    source(Term, #xsd(float), Class, Value),
    float_value(Class, Value, nearest_single, Float),
    Literal = Float^^ #xsd(float).

float_value(boolean, true, _, Float) => Float = 1.0.
float_value(boolean, false, _, Float) => Float = 0.0.
float_value(number, Value, Nearest, Float) => call(Nearest, Value, Float).
float_value(_, _, _, _) => fail.

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
