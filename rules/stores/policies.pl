:- module(etalis_policies,
          [ new_choice/1,               % -Choice
            decided_before/2,           % +Choice, +End
            keep_candidate/4,           % +Choice, +End, +Rank, +Partner
            note_met/1,                 % +Choice
            was_met/1,                  % +Choice
            chosen/2,                   % +Choice, ?Partner
            united/3,                   % +Used1, +Used2, -Used
            add_goal/4,                 % +Place, :Goal, +Index, +Used
            forget_goal/3,              % :Goal, +Index, +Used
            consume_occurrences/2       % :Query, +Indexes
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

An occurrence is o(End, Subject, Predicate, Object, Start), and Used an ordered set of them. For goals that can be
consumed there is an index: Index(Hash, Reference) for each occurrence of a goal, Hash its term_hash/2. So what
is consumed costs as much as the goals that go, however many are alive.
*/

:- meta_predicate
    add_goal(+, :, +, +),
    forget_goal(:, +, +),
    consume_occurrences(:, +).

%   #choice(Field): the number of an argument of a choice.

#define(choice(Field), Place) :-
    nth1(Place, [end, rank, partner, met], Field).

:- det((new_choice/1, keep_candidate/4, note_met/1, united/3, add_goal/4, forget_goal/3, consume_occurrences/2)).

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

%!  add_goal(+Place, :Goal, +Index, +Used) is det.
%
%   Keep Goal, made of the occurrences Used, as the `first` or the `last` of its predicate.

add_goal(Place, M:Goal, Index, Used) :-
    (   Place == first
    ->  asserta(M:Goal, Reference)
    ;   assertz(M:Goal, Reference)
    ),
    add_entries(Used, M, Index, Reference).

add_entries([], _, _, _).
add_entries([Occurrence|Used], M, Index, Reference) :-
    entry(Index, Occurrence, Reference, Entry),
    assertz(M:Entry),
    add_entries(Used, M, Index, Reference).

%!  forget_goal(:Goal, +Index, +Used) is det.
%
%   Remove a goal that can match no more.

forget_goal(M:Goal, Index, Used) :-
    clause(M:Goal, true, Reference),
    !,
    erase_goal(M, Index, Used, Reference).

erase_goal(M, Index, Used, Reference) :-
    erase(Reference),
    forget_entries(Used, M, Index, Reference).

forget_entries([], _, _, _).
forget_entries([Occurrence|Used], M, Index, Reference) :-
    entry(Index, Occurrence, Reference, Entry),
    retractall(M:Entry),
    forget_entries(Used, M, Index, Reference).

entry(Index, Occurrence, Reference, Entry) :-
    term_hash(Occurrence, Hash),
    Entry =.. [Index, Hash, Reference].

%!  consume_occurrences(:Query, +Indexes) is det.
%
%   Remove every goal that contains an occurrence that was used.

consume_occurrences(M:Query, Indexes) :-
    used_occurrences(Query, Set),
    (   member(Occurrence, Set),
        member(Index, Indexes),
        entry(Index, Occurrence, Reference, Entry),
        M:Entry,
        remove_goal(M, Index, Occurrence, Reference),
        fail
    ;   true
    ).

%   Two occurrences may have one hash.

remove_goal(M, Index, Occurrence, Reference) :-
    (   clause(M:Goal, true, Reference),
        functor(Goal, _, Arity),
        arg(Arity, Goal, Used),
        member(Other, Used),
        Other == Occurrence
    ->  erase_goal(M, Index, Used, Reference)
    ;   true
    ).
