:- module(test_lives,
          [ life/4                      % +Goal, +Start, +End, -Life
          ]).

/** <module> What test_lives.py compares with the definition of windows */

%   Goal is a text about Start, End, From and Until; Life is [From,Until], [] where it fails.

life(Text, Start, End, Life) :-
    term_string(Goal, Text, [variable_names(Names)]),
    maplist(given(Start, End), Names),
    (   call(Goal)
    ->  memberchk('From'=From, Names),
        memberchk('Until'=Until, Names),
        Life = [From,Until]
    ;   Life = []
    ).

given(Start, _, 'Start'=Start) :-
    !.
given(_, End, 'End'=End) :-
    !.
given(_, _, _).
