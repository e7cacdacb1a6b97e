:- module(etalis_evaluations,
          [ evaluated_at/3,             % +Engine, +Time, -Settlements
            is_evaluated_at/2,          % +Engine, +Time
            next_evaluation/3           % +Engine, +Time, -Next
          ]).
:- use_module(library(lists), [min_list/2]).
:- use_module('../aggregates/aggregates', [group_is_empty/1]).
:- use_module('../stores/goal_store', [goals_kept/3]).

/** <module> The instants of the clock: steps of windows of aggregates, and evaluations of windows on streams

They are the clock's, whatever happens; but where nothing is kept nothing can be given, and they are passed over. An instant
is evaluated once, also where it is looked at again when the input ends: M:evaluated(Time) holds for the last one.

The engine's module holds due_on_grid(Settlement, Period, First, Held, Lasts), see settle_on_grid/5 (instant.pl), and when
the input has ended ended_at(Time).
*/

%!  evaluated_at(+Engine, +Time, -Settlements) is det.
%
%   Settlements are due at the instant Time, which is evaluated now.

evaluated_at(M, Time, Settlements) :-
    findall(Settlement, evaluation(M, Time, Settlement), Settlements),
    (   Settlements == []
    ->  true
    ;   retractall(M:evaluated(_)),
        assertz(M:evaluated(Time))
    ).

%!  is_evaluated_at(+Engine, +Time) is semidet.
%
%   Something is due at the instant Time, whatever happens.

is_evaluated_at(M, Time) :-
    evaluation(M, Time, _),
    !.

evaluation(M, Time, Settlement) :-
    M:due_on_grid(Settlement, Period, First, _, Lasts),
    is_on_grid(First, Period, Time),
    \+ is_over(Lasts, M, Settlement, Time),
    \+ ( M:evaluated(Last), Time =< Last ).

%   is_over(+Lasts, +M, +Settlement, +Time): the input has ended, and nothing is due any more, or there was an evaluation before
%   Time from which on nothing changes. Of what is always due a store holds one goal, with the instant from which on all windows are empty.

is_over(input, M, _, _) :-
    M:ended_at(_),
    !.
is_over(Lasts, M, Settlement, Time) :-
    M:ended_at(End),
    over_from(Lasts, M, End, Over),
    M:due_on_grid(Settlement, Period, First, _, _),
    last_on_grid(First, Period, Time, Last),
    Last >= Over,
    !.

over_from(lasting, _, End, End).
over_from(always(Store), M, _, Over) :-
    Goal =.. [Store,Over,_],
    once(M:Goal).

%   last_on_grid(+First, +Period, +Time, -Last): the last instant before Time.

last_on_grid(none, Period, Time, Last) =>
    Last is (Time - 1) div Period * Period.
last_on_grid(First, Period, Time, Last) =>
    Time > First,
    Last is First + (Time - 1 - First) div Period * Period.

is_on_grid(none, Period, Time) =>
    0 =:= Time mod Period.
is_on_grid(First, Period, Time) =>
    Time >= First,
    0 =:= (Time - First) mod Period.

%!  next_evaluation(+Engine, +Time, -Next) is semidet.
%
%   Next is the first instant after Time at which something is due and may have something to give.

next_evaluation(M, Time, Next) :-
    findall(At,
            ( M:due_on_grid(Settlement, Period, First, Held, Lasts), holds_something(Held, M),
              next_on_grid(First, Period, Time, At),
              \+ is_over(Lasts, M, Settlement, At)
            ),
            All),
    min_list(All, Next).

holds_something(none, _) :-
    !.
holds_something(Name, M) :-
    predicate_property(M:aggregate_declared(_, _, _), dynamic),
    M:aggregate_declared(Name, _, _),
    !,
    \+ group_is_empty(M:Name).
holds_something(Name, M) :-
    goals_kept(M, Name, Count),
    Count > 0.

next_on_grid(none, Period, Time, Next) =>
    Next is (Time div Period + 1) * Period.
next_on_grid(First, _, Time, Next), Time < First =>
    Next = First.
next_on_grid(First, Period, Time, Next) =>
    Next is First + ((Time - First) div Period + 1) * Period.
