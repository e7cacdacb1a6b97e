:- module(etalis_clause_memory,
          [ giving_memory_back/1        % :Goal
          ]).
:- use_module(library(modules), [in_temporary_module/3]).

/** <module> The memory of many clauses, given back at once

Prolog collects erased clauses in a thread of its own, some time after it was told that there are many. With a
million of them it is still at it while the next million is loaded: both then are in memory, from two heaps that get
ever more holes, and loading takes five times as long.
*/

:- meta_predicate giving_memory_back(0).

:- det(giving_memory_back/1).

%!  giving_memory_back(:Goal) is det.
%
%   Call Goal, which erases clauses, and free what they took. What it erases last Prolog takes for garbage only after
%   some other clause has come.

giving_memory_back(Goal) :-
    setup_call_cleanup(
        '$cgc_params'(Space, Stack, Clauses, 0, Stack, Clauses),
        ( once(Goal),
          in_temporary_module(Scratch, assertz(Scratch:last), true),
          garbage_collect_clauses
        ),
        '$cgc_params'(_, _, _, Space, Stack, Clauses)).
