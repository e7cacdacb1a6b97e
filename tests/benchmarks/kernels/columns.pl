% Included by each kernel: how columns become events, and answers become rows. The kernel has
%
%   start(+Option)                                     forget everything
%   step(+Predicate, +Subject, +Object, +Time, +Option, -Row)   nondet: an answer that the event brings about
%
% and keeps its Option by remember_option/1. Predicate is a number, Row a list [Binding..., Start, End].

:- dynamic option/1.

remember_option(Option) :-
    retractall(option(_)),
    assertz(option(Option)).

%!  batch(+Terms, +Subjects, +Predicates, +Objects, +Times, -Rows) is det.
%
%   The answers of a batch. Subjects and Objects are positions in Terms.

batch(Terms, Ss, Ps, Os, Ts, Rows) :-
    option(Option),
    Table =.. [terms|Terms],
    findall(Row, answer(Ss, Ps, Os, Ts, Table, Option, Row), Rows).

%!  loop(+Terms, +Subjects, +Predicates, +Objects, +Times, -Result) is det.
%
%   The same, but the answers are only counted. Result is [Count,Seconds] of processor time.

loop(Terms, Ss, Ps, Os, Ts, [Count,Seconds]) :-
    option(Option),
    Table =.. [terms|Terms],
    statistics(process_cputime, Began),
    Counter = count(0),
    (   answer(Ss, Ps, Os, Ts, Table, Option, _),
        arg(1, Counter, N0),
        N is N0 + 1,
        nb_setarg(1, Counter, N),
        fail
    ;   true
    ),
    statistics(process_cputime, Ended),
    Seconds is Ended - Began,
    arg(1, Counter, Count).

%   Driven by failure, so that what an event needs is gone when the next one comes.

answer(Ss, Ps, Os, Ts, Table, Option, Row) :-
    event(Ss, Ps, Os, Ts, S, P, O, T),
    arg(S, Table, Subject),
    arg(O, Table, Object),
    step(P, Subject, Object, T, Option, Row).

event([S|_], [P|_], [O|_], [T|_], S, P, O, T).
event([_|Ss], [_|Ps], [_|Os], [_|Ts], S, P, O, T) :-
    event(Ss, Ps, Os, Ts, S, P, O, T).
