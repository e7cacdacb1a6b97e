:- module(etalis_demand,
          [ demand_row/3,               % :Group, +Time, +Key
            settled_demand/3            % :Group, +Time, -Key
          ]).
:- use_module(library(lists), [member/2]).

/** <module> Rows of groups that are asked for by their key

Where the rows of a group are only wanted beside other solutions of the same instant, the others ask for the
rows of their keys. So an instant costs what its own solutions need, however many groups there are. A key may be
asked for before the group is settled or after it; its row is made once.

The engine's module holds demanded(Group, Key), demanded_at(Group, Time) and rows_made_at(Group, Time).
*/

:- meta_predicate
    demand_row(:, +, +),
    settled_demand(:, +, -).

%!  demand_row(:Group, +Time, +Key) is semidet.
%
%   Key is asked for at the instant Time. Succeeds if its row is to be made now: it was not asked for before, and
%   the group is settled already; before that, settled_demand/3 will give the key.

demand_row(M:Group, Time, Key) :-
    forget_earlier(M, Group, Time),
    \+ M:demanded(Group, Key),
    assertz(M:demanded(Group, Key)),
    M:rows_made_at(Group, Time).

%!  settled_demand(:Group, +Time, -Key) is nondet.
%
%   The group is settled at Time; Key is one that was asked for.

settled_demand(M:Group, Time, Key) :-
    forget_earlier(M, Group, Time),
    retractall(M:rows_made_at(Group, _)),
    assertz(M:rows_made_at(Group, Time)),
    findall(Key0, M:demanded(Group, Key0), Keys),
    member(Key, Keys).

forget_earlier(M, Group, Time) :-
    M:demanded_at(Group, Time),
    !.
forget_earlier(M, Group, Time) :-
    retractall(M:demanded_at(Group, _)),
    assertz(M:demanded_at(Group, Time)),
    retractall(M:demanded(Group, _)).
