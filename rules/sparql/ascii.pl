:- module(etalis_ascii,
          [ digit//1,                   % ?Digit
            digits//1,                  % ?Digits
            letter//0,
            codes//1                    % +Codes
          ]).

/** <module> Characters of formal syntax

Digits and letters of ASCII only. library(dcg/basics) asks Prolog for the type of a character, and that has the
digits of all scripts.
*/

%!  digit(-Digit)// is semidet.
%
%   The code of a digit.

digit(Digit) -->
    [Digit],
    { Digit >= 0'0, Digit =< 0'9 }.

%!  digits(-Digits)// is det.
%
%   As many digits as there are, none too.

digits([Digit|Digits]) -->
    digit(Digit),
    !,
    digits(Digits).
digits([]) -->
    [].

%!  letter// is semidet.

letter -->
    [Code],
    { Code >= 0'a, Code =< 0'z
    ; Code >= 0'A, Code =< 0'Z
    },
    !.

%!  codes(+Codes)// is det.
%
%   Writes a list of codes.

codes([]) -->
    [].
codes([Code|Codes]) -->
    [Code],
    codes(Codes).
