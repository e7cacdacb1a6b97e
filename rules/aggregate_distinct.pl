:- module(etalis_aggregate_distinct,
          [ value_comes/4,              % +Engine, +Table, +Place, +Value
            value_goes/3                % +Engine, +Table, +Value
          ]).

/** <module> Which values are in the window, and how often

For DISTINCT: terms are different if sameTerm says so. M:aggregate_value(Hash, Table, Value, Count) is found by the
hash of table and value; Count is `lasting` for a value that never leaves.
*/

%!  value_comes(+Engine, +Table, +Place, +Value) is semidet.
%
%   Succeeds if Value was not there. Place is `lasting` for a value that never leaves.

value_comes(M, Table, Place, Value) :-
    term_hash(Table-Value, Hash),
    (   M:aggregate_value(Hash, Table, Value, Count0)
    ->  more(Count0, Place, Count),
        replace(M, Hash, Table, Value, Count0, Count),
        fail
    ;   more(0, Place, Count),
        assertz(M:aggregate_value(Hash, Table, Value, Count))
    ).

more(lasting, _, Count) => Count = lasting.
more(_, lasting, Count) => Count = lasting.
more(Count0, _, Count) => Count is Count0 + 1.

replace(_, _, _, _, Count, Count) :-
    !.
replace(M, Hash, Table, Value, Count0, Count) :-
    once(retract(M:aggregate_value(Hash, Table, Value, Count0))),
    assertz(M:aggregate_value(Hash, Table, Value, Count)).

%!  value_goes(+Engine, +Table, +Value) is semidet.
%
%   Succeeds if that was the last of it.

value_goes(M, Table, Value) :-
    term_hash(Table-Value, Hash),
    once(M:aggregate_value(Hash, Table, Value, Count0)),
    (   Count0 == 1
    ->  once(retract(M:aggregate_value(Hash, Table, Value, 1)))
    ;   integer(Count0)
    ->  Count is Count0 - 1,
        replace(M, Hash, Table, Value, Count0, Count),
        fail
    ).
