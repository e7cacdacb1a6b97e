:- module(etalis_join_order,
          [ only_second_known/2         % +FirstColumns, +SecondColumns
          ]).
:- use_module(library(lists), [member/2]).

/** <module> Which side of a join of background comes first

A path of no steps leads from each term to itself, so the side that knows a term comes first.
*/

%!  only_second_known(+FirstColumns, +SecondColumns) is semidet.
%
%   Some column of the second side has a value, and none of the first.

only_second_known(First, Second) :-
    \+ ( member(Column, First), nonvar(Column) ),
    member(Column, Second),
    nonvar(Column),
    !.
