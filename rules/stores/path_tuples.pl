:- module(etalis_path_tuples,
          [ declare_tuples/2,           % :Name, +Window
            forget_tuples/1,            % :Name
            begin_instant/2,            % :Name, +Now
            known_solution/4,           % :Name, +X, +Y, +Start
            add_solution/5,             % :Name, +X, +Y, +Start, +Now
            tuple_to/4,                 % :Name, +Y, -X, -Start
            tuple_from/4                % :Name, +X, -Y, -Start
          ]).
:- use_module('../engine/changes', [watch_predicate_no_more/1]).

/** <module> The tuples of a path: found by either end, each once, forgotten when they are out of the window

Two kinds of facts (Key, X, Y, Start) are kept for each path: those of the instant that is open, and those of all
instants. Key is a hash of the three, so that to find out whether there is a tuple costs the same whatever
its X and its Y have in common with other tuples.

With a window, the tuples of all instants are in two predicates, of which one is written to. When a window's length
has gone by, the other one holds only what is out of the window, since no tuple starts after it was written: it is
emptied at once and becomes the current one (as goals are forgotten in goal_store.pl).

The engine's module holds path_tuples(Name, Now, Window, Stores), where Now and Stores name the predicates,
path_instant(Name, Time), and path_store(Name, Current, Until): the number of the store that is written to,
and until when.
*/

:- meta_predicate
    declare_tuples(:, +),
    forget_tuples(:),
    begin_instant(:, +),
    known_solution(:, +, +, +),
    add_solution(:, +, +, +, +),
    tuple_to(:, +, -, -),
    tuple_from(:, +, -, -).

:- det((declare_tuples/2, forget_tuples/1, begin_instant/2)).

%!  declare_tuples(:Name, +Window) is det.
%
%   Make the predicates of a path. A tuple may be forgotten when it started Window microseconds ago, never
%   where Window is `none`.

declare_tuples(M:Name, Window) :-
    dynamic(M:[path_tuples/4, path_instant/2, path_store/3]),
    atom_concat(Name, '_now', Now),
    atom_concat(Name, '_a', StoreA),
    (   Window == none
    ->  Stores = stores(StoreA)
    ;   atom_concat(Name, '_b', StoreB),
        Stores = stores(StoreA, StoreB)
    ),
    dynamic(M:Now/4),
    forall(arg(_, Stores, Store), ( dynamic(M:Store/4), mark(M, Store) )),
    assertz(M:path_tuples(Name, Now, Window, Stores)),
    Never is -(1<<62),
    assertz(M:path_store(Name, 1, Never)).

%!  forget_tuples(:Name) is det.
%
%   The path goes, and its predicates.

forget_tuples(M:Name) :-
    retract(M:path_tuples(Name, Now, _, Stores)),
    !,
    retractall(M:path_instant(Name, _)),
    retractall(M:path_store(Name, _, _)),
    forall(( Store = Now ; arg(_, Stores, Store) ),
           ( functor(Head, Store, 4),
             watch_predicate_no_more(M:Head),
             abolish(M:Store/4)
           )).

%   Prolog makes no index of an argument that has hardly two values, though a look-up of a third would be spared
%   all tuples of these. So that there always are indexes, some values are there from the beginning.

mark(M, Store) :-
    forall(between(1, 24, N),
           ( atom_concat('$no node ', N, Mark),
             add(M, Store, Mark, Mark, Mark, 0)
           )).

%!  begin_instant(:Name, +Now) is det.
%
%   Now is the instant that is open: solutions of an earlier one are known no more.

begin_instant(M:Name, Now) :-
    M:path_instant(Name, Time),
    Time == Now,
    !.
begin_instant(M:Name, Now) :-
    M:path_tuples(Name, Store, _, _),
    functor(Head, Store, 4),
    retractall(M:Head),
    retractall(M:path_instant(Name, _)),
    assertz(M:path_instant(Name, Now)).

%!  known_solution(:Name, +X, +Y, +Start) is semidet.
%
%   The open instant has this solution.

known_solution(M:Name, X, Y, Start) :-
    M:path_tuples(Name, Now, _, _),
    key(X, Y, Start, Key),
    holds(M, Now, Key, X, Y, Start).

%!  add_solution(:Name, +X, +Y, +Start, +Now) is semidet.
%
%   Add a solution of the open instant, which is Now, to the tuples of this and of all instants. False if it was
%   there.

add_solution(M:Name, X, Y, Start, Now) :-
    M:path_tuples(Name, NowStore, Window, Stores),
    key(X, Y, Start, Key),
    \+ holds(M, NowStore, Key, X, Y, Start),
    add(M, NowStore, Key, X, Y, Start),
    (   arg(_, Stores, Store),
        holds(M, Store, Key, X, Y, Start)
    ->  true
    ;   current_store(Window, M, Name, Stores, Now, Current),
        add(M, Current, Key, X, Y, Start)
    ).

key(X, Y, Start, Key) :-
    term_hash(p(X,Y,Start), Key).

%   Only the key is bound in the call, so that it is the key's index that is used.

holds(M, Store, Key, X, Y, Start) :-
    call(M:Store, Key, X1, Y1, Start1),
    X1 == X, Y1 == Y, Start1 == Start,
    !.

add(M, Store, Key, X, Y, Start) :-
    Tuple =.. [Store,Key,X,Y,Start],
    assertz(M:Tuple).

current_store(none, _, _, Stores, _, Current) =>
    Stores = stores(Current).
current_store(Window, M, Name, Stores, Now, Current) =>
    M:path_store(Name, Number0, Until),
    (   Now < Until
    ->  arg(Number0, Stores, Current)
    ;   Number is 3 - Number0,
        arg(Number, Stores, Current),
        functor(Head, Current, 4),
        retractall(M:Head),
        mark(M, Current),
        retractall(M:path_store(Name, _, _)),
        Until1 is Now + Window,
        assertz(M:path_store(Name, Number, Until1))
    ).

%!  tuple_to(:Name, +Y, -X, -Start) is nondet.
%!  tuple_from(:Name, +X, -Y, -Start) is nondet.
%
%   The tuples of all instants, by their end or by their beginning.

tuple_to(M:Name, Y, X, Start) :-
    M:path_tuples(Name, _, _, Stores),
    arg(_, Stores, Store),
    call(M:Store, _, X, Y, Start).

tuple_from(M:Name, X, Y, Start) :-
    M:path_tuples(Name, _, _, Stores),
    arg(_, Stores, Store),
    call(M:Store, _, X, Y, Start).
