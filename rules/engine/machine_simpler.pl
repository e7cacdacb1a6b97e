:- module(etalis_machine_simpler,
          [ simpler/3                   % +Goals, +Outs, -Others
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [append/3, member/2]).
:- use_module(library(terms), [mapargs/3]).

/** <module> Rules for the machine with less to do

Goals are those that machine.pl makes of a rule. What is tested twice is tested once, what is made is made as late as it may
be, and what nobody reads is not made.
*/

%!  simpler(+Goals, +Outs, -Others) is det.
%
%   Others bring about what Goals do; Outs are what the rule gives.

simpler(Goals, Outs, Others) :-
    used_apart(Goals, Outs, Goals1),
    made_late(Goals1, Goals2),
    used_unmade(Goals2, Outs, Goals3),
    without_repetitions(Goals3, [], Goals4),
    only_shown(Goals4, Goals4-Outs, Others).

%   used_apart(+Goals, +Outs, -Others): to consume what an answer is made of needs no union of it.

used_apart(Goals, Outs, Others) :-
    append(Before, [unite(I,A,B)|Rest], Goals),
    append(Between, [use(Place,r(I))|After], Rest),
    \+ speaks_of(I, [Between,After,Outs]),
    !,
    append(Between, [use(Place,A),use(Place,B)|After], Fewer),
    append(Before, Fewer, Goals1),
    used_apart(Goals1, Outs, Others).
used_apart(Goals, _, Goals).

%   made_late(+Goals, -Others): what is made stands behind what may fail before it is needed, and has one solution at most.

made_late([], []).
made_late([make(I,Template)|Goals], Others) :-
    made_late(Goals, Later),
    append(Before, [Goal|After], Later),
    \+ ( is_semidet(Goal), \+ speaks_of(I, Goal) ),
    !,
    append(Before, [make(I,Template),Goal|After], Others).
made_late([Goal|Goals], [Goal|Others]) :-
    made_late(Goals, Others).

%   used_unmade(+Goals, +Outs, -Others): a set of one occurrence is not made where it is only used up.

used_unmade([], _, []).
used_unmade([make(I,Set),use(Place,r(I))|Goals], Outs, [use(Place,Set)|Others]) :-
    Set = n('[|]', [n(o,[A,B,C,D,E]),k([])]),
    \+ member(n(_, _), [A,B,C,D,E]),
    \+ speaks_of(I, Goals-Outs),
    !,
    used_unmade(Goals, Outs, Others).
used_unmade([Goal|Goals], Outs, [Goal|Others]) :-
    used_unmade(Goals, Outs, Others).

is_semidet(test(_,_,_)).
is_semidet(set(_,_)).
is_semidet(bind(_,_)).
is_semidet(not(_)).
is_semidet(choice(_)).
is_semidet(chosen(_,_)).
is_semidet(use(_,_)).
is_semidet(answer(_,_,_)).

speaks_of(I, Term) :-
    compound(Term),
    (   ( Term = r(I) ; Term = check(I) )
    ->  true
    ;   arg(_, Term, Part),
        speaks_of(I, Part)
    ->  true
    ).

%   without_repetitions(+Goals, +True, -Others): without tests that are known to be true. A register never changes.

without_repetitions([], _, []).
without_repetitions([same(X,X)|Goals], True, Others) :-
    !,
    without_repetitions(Goals, True, Others).
without_repetitions([Test|Goals], True, Others) :-
    Test = test(_,_,_),
    !,
    (   memberchk(Test, True)
    ->  without_repetitions(Goals, True, Others)
    ;   Others = [Test|More],
        without_repetitions(Goals, [Test|True], More)
    ).
without_repetitions([Goal|Goals], True, [Other|Others]) :-
    (   has_goals(Goal)
    ->  mapargs(without_repetitions_in(True), Goal, Other)
    ;   Other = Goal
    ),
    without_repetitions(Goals, True, Others).

%   only_shown(+Goals, +Clause, -Others): values of groups that only answers read are shown(Register).

only_shown(Goals, Clause, Others) :-
    maplist(shown_goal(Clause), Goals, Others).

shown_goal(Clause, rows(Groups,Columns,A,B), Other) =>
    maplist(shown_column(Clause), Columns, Others),
    Other = rows(Groups, Others, A, B).
shown_goal(Clause, Goal, Other), has_goals(Goal) =>
    mapargs(only_shown_in(Clause), Goal, Other).
shown_goal(_, Goal, Other) =>
    Other = Goal.

only_shown_in(Clause, Part, Other) :-
    ( is_list(Part) -> only_shown(Part, Clause, Other) ; Other = Part ).

shown_column(Clause, out(I), Column), \+ is_read(I, Clause) =>
    Column = shown(I).
shown_column(_, Column0, Column) =>
    Column = Column0.

%   is_read(+Register, +Term) is semidet: by something other than the columns of an answer.

is_read(I, answer(_,Start,_)) =>
    speaks_of(I, Start).
is_read(I, Term) =>
    compound(Term),
    (   ( Term = r(I) ; Term = check(I) )
    ->  true
    ;   arg(_, Term, Part),
        is_read(I, Part)
    ->  true
    ).

has_goals(if(_,_,_)).
has_goals(soft(_,_,_,_)).
has_goals(either(_,_)).
has_goals(not(_)).

without_repetitions_in(True, Part, Other) :-
    (   is_list(Part)
    ->  without_repetitions(Part, True, Other)
    ;   Other = Part
    ).
