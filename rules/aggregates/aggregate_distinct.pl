:- module(etalis_aggregate_distinct,
          [ value_comes/4,              % +Store, +Table, +Place, +Value
            value_goes/3                % +Store, +Table, +Value
          ]).

:- use_module(aggregate_terms, [forget_term/3, set_term_value/4, term_value/4]).

/** <module> Which values are in the window, and how often

For DISTINCT: terms are different if sameTerm says so. In the trie Store, the value of a term in the space
Table is how often it is in the window, or `lasting` if it never leaves.
*/

%!  value_comes(+Store, +Table, +Place, +Value) is semidet.
%
%   Succeeds if Value was not there. Place is `lasting` for a value that never leaves.

value_comes(Store, Table, Place, Value) :-
    (   term_value(Store, Table, Value, Count0)
    ->  Count0 \== lasting,
        more(Count0, Place, Count),
        set_term_value(Store, Table, Value, Count),
        fail
    ;   more(0, Place, Count),
        set_term_value(Store, Table, Value, Count)
    ).

more(_, lasting, Count) => Count = lasting.
more(Count0, _, Count) => Count is Count0 + 1.

%!  value_goes(+Store, +Table, +Value) is semidet.
%
%   Succeeds if that was the last of it.

value_goes(Store, Table, Value) :-
    term_value(Store, Table, Value, Count0),
    (   Count0 == 1
    ->  forget_term(Store, Table, Value)
    ;   integer(Count0)
    ->  Count is Count0 - 1,
        set_term_value(Store, Table, Value, Count),
        fail
    ).
