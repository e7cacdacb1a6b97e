:- module(etalis_policies,
          [ new_choice/1,               % -Choice
            decided_before/2,           % +Choice, +End
            keep_candidate/4,           % +Choice, +End, +Rank, +Partner
            note_met/1,                 % +Choice
            was_met/1,                  % +Choice
            chosen/2,                   % +Choice, ?Partner
            united/3,                   % +Used1, +Used2, -Used
            consume_occurrences/2       % +Query, +Stores
          ]).
:- use_module('../engine/instant', [used_occurrences/2]).
:- use_module(library(lists), [member/2, nth1/3]).
:- use_module(library(macros)).
:- use_module(library(ordsets), [ord_union/3]).

/** <module> Selection and consumption: the partner that is chosen, and the occurrences that answers use up

A choice is choice(End, Rank, Partner, Met): the best candidate so far, its end `none` where there is none. The
candidates come in the order of their ends, those that are wanted first, so that the first one decides, with the
others of its end; of these the one with the least Rank in the standard order of terms is taken. A choice is
changed in place, as the candidates come on backtracking.

An occurrence is o(End, Subject, Predicate, Object, Start), and Used an ordered set of them. Goals that can be consumed
are found by each occurrence they are made of (goal_store.pl): so what is consumed costs as much as the goals that go,
however many are alive.
*/

%   #choice(Field): the number of an argument of a choice.

#define(choice(Field), Place) :-
    nth1(Place, [end, rank, partner, met], Field).

:- det((new_choice/1, keep_candidate/4, note_met/1, united/3, consume_occurrences/2)).

% ---- selection --------------------------------------------------------------------------------------------

%!  new_choice(-Choice) is det.
%
%   Nothing is chosen yet.

new_choice(choice(none, none, none, false)).

%!  decided_before(+Choice, +End) is semidet.
%
%   There is a candidate with another end: one that ends at End comes too late.

decided_before(Choice, End) :-
    arg(#choice(end), Choice, Best),
    Best \== none,
    Best =\= End.

%!  keep_candidate(+Choice, +End, +Rank, +Partner) is det.
%
%   Keep Partner if it is better than what is there.

keep_candidate(Choice, End, Rank, Partner) :-
    (   arg(#choice(end), Choice, none)
    ->  true
    ;   arg(#choice(rank), Choice, Best),
        Rank @< Best
    ),
    !,
    nb_setarg(#choice(end), Choice, End),
    nb_setarg(#choice(rank), Choice, Rank),
    nb_setarg(#choice(partner), Choice, Partner).
keep_candidate(_, _, _, _).

%!  note_met(+Choice) is det.
%
%   There is a partner, whatever filters say of the pair.

note_met(Choice) :-
    nb_setarg(#choice(met), Choice, true).

%!  was_met(+Choice) is semidet.

was_met(choice(_, _, _, true)).

%!  chosen(+Choice, ?Partner) is semidet.
%
%   Partner is the best of all candidates.

chosen(choice(End, _, Partner, _), Partner) :-
    End \== none.

%!  united(+Used1, +Used2, -Used) is det.
%
%   What a pair is made of.

united(Used1, Used2, Used) :-
    ord_union(Used1, Used2, Used).

% ---- consumption ------------------------------------------------------------------------------------------

%!  consume_occurrences(+Query, +Stores) is det.
%
%   Forget every goal of the stores that is made of an occurrence that was used.

consume_occurrences(Query, Stores) :-
    used_occurrences(Query, Set),
    forall(( member(Occurrence, Set), member(Store, Stores) ),
           etalis_goals:consume(Store, Occurrence)).
