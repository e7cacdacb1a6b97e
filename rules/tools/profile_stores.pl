:- module(etalis_profile_stores,
          [ known_store/3,              % +Description, +Engine, -Store
            store_size/2                % +Store, -Size
          ]).
:- use_module('../aggregates/aggregates', [groups_kept/3]).
:- use_module('../stores/goal_store', [goals_kept/3]).
:- use_module('../stores/path_tuples', []).

/** <module> How many goals there are: in the stores of rules, in groups and in paths

Looks at what goal_store.pl, aggregates.pl and path_tuples.pl keep, and changes nothing.
*/

:- det((known_store/3, store_size/2)).

%!  known_store(+Description, +Engine, -Store) is det.
%
%   Description is [goals,Name], [group,Name] or [path,Name].

known_store([goals,Name], M, goals(M, Name)).
known_store([group,Name], M, group(M:Name)).
known_store([path,Name], M, path(M:Name)).

%!  store_size(+Store, -Size) is det.
%
%   Of a group with a window, Size is the number of its solutions, and of those that wait to enter; else of its
%   groups. Of a path, of its tuples, but for the marks.

store_size(goals(M, Name), Size) :-
    goals_kept(M, Name, Size).
store_size(group(M:Name), Size) :-
    groups_kept(M, Name, Size).
store_size(path(M:Name), Size) :-
    M:path_tuples(Name, _, _, Stores),
    !,
    findall(M:Head, ( arg(_, Stores, Predicate), functor(Head, Predicate, 4) ), Heads),
    heads_size(Heads, 0, Facts),
    length(Heads, Predicates),
    Size is Facts - 24 * Predicates.

heads_size([], Size, Size).
heads_size([Head|Heads], Size0, Size) :-
    predicate_property(Head, number_of_clauses(Count)),
    !,
    Size1 is Size0 + Count,
    heads_size(Heads, Size1, Size).
