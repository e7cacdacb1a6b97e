:- module(etalis_demand,
          [ demand_row/3,               % :Group, +Time, +Key
            settled_demand/3            % :Group, +Time, -Key
          ]).
:- use_module('../engine/instant', [instant_trie/2]).
:- use_module(library(lists), [member/2]).

/** <module> Rows of groups that are asked for by their key

Where the rows of a group are only wanted beside other solutions of the same instant, the others ask for the
rows of their keys. So an instant costs what its own solutions need, however many groups there are. A key may be
asked for before the group is settled or after it; its row is made once.

In the trie of the instant (instant.pl) asked(Group, Key) says that a key was asked for, made(Group) that the group is
settled.
*/

:- meta_predicate
    demand_row(:, +, +),
    settled_demand(:, +, -).

%!  demand_row(:Group, +Time, +Key) is semidet.
%
%   Key is asked for at the instant Time. Succeeds if its row is to be made now: it was not asked for before, and
%   the group is settled already; before that, settled_demand/3 will give the key.

demand_row(M:Group, _, Key) :-
    instant_trie(M:Group, Trie),
    trie_insert(Trie, asked(Group,Key)),
    trie_lookup(Trie, made(Group), _).

%!  settled_demand(:Group, +Time, -Key) is nondet.
%
%   The group is settled at Time; Key is one that was asked for.

settled_demand(M:Group, _, Key) :-
    instant_trie(M:Group, Trie),
    ( trie_insert(Trie, made(Group)) -> true ; true ),
    findall(Key0, trie_gen(Trie, asked(Group,Key0), _), Keys),
    member(Key, Keys).
