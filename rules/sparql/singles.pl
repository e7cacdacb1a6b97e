:- module(etalis_singles,
          [ nearest_single/2,           % +Number, -Single
            decimal_single/3,           % +Digits, +Power, -Single
            single_digits/4             % +Single, -Sign, -Digits, -Power
          ]).
:- use_module(ascii, [digits//1]).
:- use_module(decimals, [round_half_even/2]).
:- use_module(library(lists), [append/3]).

/** <module> Single precision: the values of xsd:float

IEEE 754 binary32: 24 significant bits, exponents -149 to 127. A single is held as the double of the same value.
A sum, difference, product or quotient of two singles that is rounded to a double first and then to a single is
the single nearest to the exact result, as 53 >= 2*24 + 2.
*/

:- det((nearest_single/2, decimal_single/3, single_digits/4)).

%!  nearest_single(+Number, -Single) is det.
%
%   The single nearest to a number, of two the even one; infinite beyond the range of singles. NaN,
%   infinities and the sign of zero stay.

nearest_single(Number, Single), float(Number) =>
    (   is_single(Number)
    ->  Single = Number
    ;   Exact is abs(rational(Number)),
        rounded(Exact, Magnitude),
        Single is copysign(Magnitude, Number)
    ).
nearest_single(Number, Single) =>
    Exact is abs(Number),
    rounded(Exact, Magnitude),
    (   Number < 0
    ->  Single is -Magnitude
    ;   Single = Magnitude
    ).

%   Veltkamp's splitting: what is left of a double after rounding to 24 bits. Numbers near the ends of the
%   range of singles, which may be singles too, are left to the exact way.

is_single(Number) :-
    Magnitude is abs(Number),
    (   Magnitude =< 1.7014118346046923e38,
        Magnitude >= 1.1754943508222875e-38
    ->  Scaled is Number*536870913.0,
        Scaled - (Scaled - Number) =:= Number
    ;   float_class(Number, Class),
        special(Class)
    ).

special(zero).
special(nan).
special(infinite).

%   Exact is a rational >= 0.

rounded(Exact, Single) :-
    (   Exact =:= 0
    ->  Single = 0.0
    ;   binary_exponent(Exact, Exponent),
        rounded(Exponent, Exact, Single)
    ).

rounded(Exponent, _, Single), Exponent > 127 =>
    Single = 1.0Inf.
rounded(Exponent, _, Single), Exponent < -150 =>
    Single = 0.0.
rounded(Exponent, Exact, Single) =>
    Unit is max(Exponent, -126) - 23,
    Down is -Unit,
    scaled(Exact, 2, Down, Steps0),
    round_half_even(Steps0, Steps),
    scaled(Steps, 2, Unit, Value),
    (   Value >= 340282366920938463463374607431768211456     % 2**128
    ->  Single = 1.0Inf
    ;   Single is float(Value)
    ).

%   2**Exponent =< Exact < 2**(Exponent + 1).

binary_exponent(Exact, Exponent) :-
    Guess is msb(numerator(Exact)) - msb(denominator(Exact)),
    scaled(1, 2, Guess, Least),
    (   Exact < Least
    ->  Exponent is Guess - 1
    ;   Exponent = Guess
    ).

%!  decimal_single(+Digits, +Power, -Single) is det.
%
%   The single nearest to Digits*10**Power, Digits an integer >= 0.

decimal_single(0, _, Single) =>
    Single = 0.0.
decimal_single(Digits, Power, Single) =>
    number_codes(Digits, Codes),
    length(Codes, Length),
    Magnitude is Length + Power,        % 10**(Magnitude - 1) =< Digits*10**Power < 10**Magnitude
    (   Magnitude > 39
    ->  Single = 1.0Inf
    ;   Magnitude < -45
    ->  Single = 0.0
    ;   scaled(Digits, 10, Power, Exact),
        rounded(Exact, Single)
    ).

%   Number*Base**Power, exactly.

scaled(Number, Base, Power, Scaled) :-
    (   Power >= 0
    ->  Scaled is Number*Base**Power
    ;   Scaled is Number rdiv Base**(-Power)
    ).

%!  single_digits(+Single, -Sign, -Digits, -Power) is det.
%
%   A finite Single is Sign Digits*10**Power with the fewest digits whose nearest single it is. Sign is "-" or
%   "", Digits an integer. Nine digits tell all singles apart.

single_digits(Single, Sign, Digits, Power) :-
    (   copysign(1.0, Single) < 0.0
    ->  Sign = "-"
    ;   Sign = ""
    ),
    Magnitude is abs(Single),
    fewest_digits(0, Magnitude, Digits, Power).

fewest_digits(Places, Magnitude, Digits, Power) :-
    format(codes(Codes), "~*e", [Places, Magnitude]),
    phrase(scientific(AllDigits, Fraction, Exponent), Codes),
    number_codes(Digits0, AllDigits),
    length(Fraction, FractionLength),
    Power0 is Exponent - FractionLength,
    (   ( Places >= 8 ; decimal_single(Digits0, Power0, Again), Again =:= Magnitude )
    ->  Digits = Digits0,
        Power = Power0
    ;   More is Places + 1,
        fewest_digits(More, Magnitude, Digits, Power)
    ).

scientific(Digits, Fraction, Exponent) -->
    digits(Whole),
    (   "."
    ->  digits(Fraction)
    ;   { Fraction = [] }
    ),
    "e",
    remainder(Codes),
    { append(Whole, Fraction, Digits),
      number_codes(Exponent, Codes)
    }.

remainder(Codes, Codes, []).
