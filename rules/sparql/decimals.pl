:- module(etalis_decimals,
          [ decimal_places/2,           % +Rational, -Places
            round_half_even/2,          % +Rational, -Integer
            decimal_quotient/3          % +Dividend, +Divisor, -Quotient
          ]).

/** <module> Decimals as exact rationals

A decimal is a rational that has a finite decimal form. Only a division can leave that set; its result is
rounded to 18 fraction digits, half to even (XPath 2.0 functions, section 6.2: at least 18 digits).
*/

:- det((decimal_places/2, round_half_even/2)).

%!  decimal_places(+Rational, -Places) is det.
%
%   The number of fraction digits that hold Rational exactly, or 18 if no number of digits does.

decimal_places(Rational, Places) :-
    Denominator is denominator(Rational),
    Twos is lsb(Denominator),
    Odd is Denominator >> Twos,
    count_fives(Odd, 0, Fives, Rest),
    (   Rest =:= 1
    ->  Places is max(Twos, Fives)
    ;   Places = 18
    ).

count_fives(Number, Count0, Count, Rest) :-
    (   Number mod 5 =:= 0
    ->  Next is Number//5,
        Count1 is Count0 + 1,
        count_fives(Next, Count1, Count, Rest)
    ;   Count = Count0,
        Rest = Number
    ).

%!  round_half_even(+Rational, -Integer) is det.

round_half_even(Rational, Integer) :-
    Floor is floor(Rational),
    Twice is 2*(Rational - Floor),
    (   ( Twice > 1 ; Twice =:= 1, Floor mod 2 =:= 1 )
    ->  Integer is Floor + 1
    ;   Integer = Floor
    ).

%!  decimal_quotient(+Dividend, +Divisor, -Quotient) is semidet.
%
%   The quotient of two rationals as a decimal. Fails when Divisor is zero.

decimal_quotient(Dividend, Divisor, Quotient) :-
    Divisor =\= 0,
    Exact is Dividend rdiv Divisor,
    (   integer(Exact)
    ->  Quotient = Exact
    ;   has_decimal_form(Exact)
    ->  Quotient = Exact
    ;   Scaled is Exact*1000000000000000000,
        round_half_even(Scaled, Integer),
        Quotient is Integer rdiv 1000000000000000000
    ).

has_decimal_form(Rational) :-
    Denominator is denominator(Rational),
    Odd is Denominator >> lsb(Denominator),
    5**(msb(Odd)//2 + 1) mod Odd =:= 0.
