:- module(etalis_lives,
          [ whole_life/5                % +Lives, +From, +Until, -First, -Last
          ]).

/** <module> Lives of solutions in windows on streams

A life goes from the first instant at which a solution is in its windows until before another.
*/

:- det(whole_life/5).

%!  whole_life(+Lives, +From, +Until, -First, -Last) is det.
%
%   The life from First until Last is that from From until Until together with Lives, life(From,Until) each, which touch it.

whole_life([], First, Last, First, Last).
whole_life([life(From,Until)|Lives], First0, Last0, First, Last) :-
    First1 is min(First0, From),
    Last1 is max(Last0, Until),
    whole_life(Lives, First1, Last1, First, Last).
