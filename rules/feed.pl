:- module(etalis_feed,
          [ feed/6,                     % +Engine, +Terms, +Columns, +OnLate, +Most, -Result
            advance/3,                  % +Engine, +Time, -Result
            finish/3,                   % +Engine, +Completeness, -Result
            set_instant/2               % +Engine, +Time
          ]).
:- use_module(answers, [encoded_answers/3]).
:- use_module(goal_store, [turn_crowded_stores/3]).
:- use_module(instant, [certain_answer/4, instant_answer/4, is_due/2, next_step/3, plan_ahead/1]).
:- use_module(link, [link_rules/1]).
:- use_module(state, [apply_changes/1]).
:- use_module(library(apply), [exclude/3, maplist/3]).
:- use_module(library(lists), [append/3, member/2]).
:- use_module(terms, [decode_terms/2]).

/** <module> Elements in, answers out

Elements come in batches, column by column. All rows with one end time are one instant; it is closed, and
its answers given, when a later row comes, or by advance/3 and finish/3. The rows of the instant that is
still open wait in Engine:open_occurrence/4 between two batches. Engine:clock(Time) is that instant: what
ends before it is closed.

The rows of a batch come on backtracking (row_answer/4 of driver.pl), and one findall/3 collects what all of
them bring about: no row leaves anything on the stacks, or pays for a collection of its own.
*/

%!  set_instant(+Engine, +Time) is det.
%
%   The run has one instant, Time: it is answered though nothing happens.

set_instant(M, Time) :-
    assertz(M:at(Time)),
    plan_ahead(M),
    keep_open_instant(M, Time, []).

%!  feed(+Engine, +Terms, +Columns, +OnLate, +Most, -Result) is det.
%
%   Take a batch of rows. Terms are the different RDF terms of the batch in their encoded form, Columns is
%   [Subjects, Predicates, Objects, Starts, Ends]: positions in Terms counted from 1, and microseconds.
%
%   Result is [Taken,Late,Answers,Problem]: how many rows were taken (all, unless more than Most
%   answers came, or a late row met OnLate `error`, or there is a problem), the numbers of the late rows
%   (from 0), the answers in encoded form, and '' or the text of a Prolog error.

feed(M, Encoded, Columns, OnLate, Most, [Taken,Late,Answers,Problem]) :-
    decode_terms(Encoded, Decoded),
    compound_name_arguments(Terms, terms, Decoded),
    maplist(column, Columns, [Ss,Ps,Os,Starts,Ends]),
    functor(Ends, _, Count),
    take_open_instant(M, Clock, Open),
    way(M, Way),
    Rows = rows(M, Way, Count, Terms, Ss, Ps, Os, Starts, Ends, Open),
    State = state(Clock, 0, Most, 0),
    found(M:row_answer(Rows, State, OnLate), State, Found),
    State = state(NewClock, First, _, Stop),
    taken(Stop, Rows, NewClock, Taken),
    (   Stop == failed
    ->  StillOpen = []
    ;   occurrences(Rows, First, Taken, NewClock, StillOpen)
    ),
    keep_open_instant(M, NewClock, StillOpen),
    turn_crowded_stores(M, NewClock, Taken),
    partition(Found, All, Late),
    encoded_answers(All, Answers, Problem).

column(List, Column) :-
    compound_name_arguments(Column, column, List).

%   way(+M, -Way): how much an instant of one occurrence needs (driver.pl).

way(M, general) :-
    ( M:plans_ahead ; M:settlement_order(_, _) ),
    !.
way(M, heard(M, Background)) :-
    M:entailment(Background),
    !.
way(_, direct).

%   The number of rows before Stop; after an error, before the row that closed the instant that failed.

taken(0, Rows, _, Taken) =>
    arg(3, Rows, Taken).
taken(failed, Rows, Clock, Taken) =>
    Rows = rows(_, _, Count, _, _, _, _, _, Ends, _),
    (   between(1, Count, Row),
        arg(Row, Ends, End),
        End > Clock
    ->  Taken is Row - 1
    ;   Taken = Count
    ).
taken(Stop, _, _, Taken) =>
    Taken is Stop - 1.

%   What rows and instants bring about; after an error nothing of the instant that failed, and problem(Error).

:- meta_predicate found(1, +, -).

found(Goal, State, Found) :-
    findall(Each, catch(call(Goal, Each), Error, failed(State, Error, Each)), All),
    (   arg(4, State, failed)
    ->  arg(1, State, Clock),
        exclude(given_at(Clock), All, Found)
    ;   Found = All
    ).

failed(State, Error, problem(Error)) :-
    nb_setarg(4, State, failed).

given_at(Clock, answer(Clock, _)).

partition([], [], []).
partition([late(Row)|Found], Others, [Row|Rows]) :-
    !,
    partition(Found, Others, Rows).
partition([Other|Found], [Other|Others], Rows) :-
    partition(Found, Others, Rows).

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

% ---- called by row_answer/4 -------------------------------------------------------------------------------

:- public rows_answer/5, open_instant/3, count_answer/1, late_row/4, stop_at/2.

%   rows_answer(+Rows, +State, +Row, +End, -Found): the open instant is closed, since Row ends at End.

rows_answer(Rows, State, Row, End, Found) :-
    State = state(Clock, First, _, _),
    Before is Row - 1,
    occurrences(Rows, First, Before, Clock, Open),
    arg(1, Rows, M),
    closing_answer(M, State, Open, End, Found),
    count_answer(State).

%   open_instant(+State, +Row, +End): fails, so that the next row comes.

open_instant(State, Row, End) :-
    nb_setarg(1, State, End),
    nb_setarg(2, State, Row),
    fail.

count_answer(State) :-
    arg(3, State, Left0),
    Left is Left0 - 1,
    nb_setarg(3, State, Left).

%   late_row(+OnLate, +State, +Row, -Found)

late_row(OnLate, State, Row, late(Number)) :-
    Number is Row - 1,
    (   OnLate == drop
    ->  true
    ;   nb_setarg(3, State, -1),
        nb_setarg(4, State, Row)
    ).

%   stop_at(+State, +Row): fails; Row and those behind it are not taken.

stop_at(State, Row) :-
    arg(4, State, 0),
    nb_setarg(4, State, Row),
    fail.

%   occurrences(+Rows, +First, +Last, +Clock, -Occurrences): those of the open instant; a row that is late is none.

occurrences(Rows, 0, Last, Clock, Occurrences) :-
    !,
    arg(10, Rows, Open),
    occurrences(Rows, 1, Last, Clock, New),
    append(Open, New, Occurrences).
occurrences(_, Row, Last, _, []) :-
    Row > Last,
    !.
occurrences(Rows, Row, Last, Clock, Occurrences) :-
    Rows = rows(_, _, _, Terms, Ss, Ps, Os, Starts, Ends, _),
    Next is Row + 1,
    (   arg(Row, Ends, Clock)
    ->  arg(Row, Ss, S0), arg(S0, Terms, S),
        arg(Row, Ps, P0), arg(P0, Terms, P),
        arg(Row, Os, O0), arg(O0, Terms, O),
        arg(Row, Starts, Start),
        Occurrences = [occ(S,P,O,Start)|More]
    ;   Occurrences = More
    ),
    occurrences(Rows, Next, Last, Clock, More).

% ---- time passes ------------------------------------------------------------------------------------------

%!  advance(+Engine, +Time, -Result) is det.
%
%   No element that ends before Time will come: close what is open before it. Result is as for feed/6.

advance(M, Time, [0,[],Answers,Problem]) :-
    take_open_instant(M, Clock, Open),
    (   Time > Clock
    ->  State = state(Clock, 0, 0, 0),
        found(closing_answer(M, State, Open, Time), State, Found),
        keep_open_instant(M, Time, []),
        encoded_answers(Found, Answers, Problem)
    ;   keep_open_instant(M, Clock, Open),
        Answers = [], Problem = ''
    ).

%!  finish(+Engine, +Completeness, -Result) is det.
%
%   The input has ended. Completeness is `complete`, or `broken` where rows of the open instant may be
%   missing: then only answers that they could not take back are given.

finish(M, Completeness, [0,[],Answers,Problem]) :-
    take_open_instant(M, Clock, Open),
    (   Open == [],
        \+ is_due(M, Clock)
    ->  keep_open_instant(M, Clock, []),
        Answers = [], Problem = ''
    ;   State = state(Clock, 0, 0, 0),
        found(last_answer(Completeness, M, Clock, Open), State, Found),
        Next is Clock + 1,
        keep_open_instant(M, Next, []),
        encoded_answers(Found, Answers, Problem)
    ).

last_answer(complete, M, Clock, Open, answer(Clock, Answer)) :-
    (   instant_answer(M, Clock, Open, Answer)
    ;   retractall(M:at(_)),
        fail
    ).
last_answer(broken, M, Clock, Open, answer(Clock, Answer)) :-
    certain_answer(M, Clock, Open, Answer).

%   closing_answer(+M, +State, +Open, +New, -Found): close the open instant, and those between it and New at
%   which something is due though nothing happens.

closing_answer(M, State, Open, New, Found) :-
    (   due_answer(M, State, Open, Found)
    ;   open_step(M, State, New),
        closing_answer(M, State, [], New, Found)
    ).

due_answer(M, State, Open, answer(Clock, Answer)) :-
    arg(1, State, Clock),
    (   Open == [],
        \+ is_due(M, Clock)
    ->  fail
    ;   instant_answer(M, Clock, Open, Answer)
    ).

open_step(M, State, New) :-
    M:due_at_steps(_, _, _),
    !,
    arg(1, State, Clock),
    integer(Clock),
    next_step(M, Clock, Step),
    Step < New,
    retractall(M:at(_)),
    nb_setarg(1, State, Step).

% ---- the open instant -------------------------------------------------------------------------------------

take_open_instant(M, Clock, Open) :-
    link_rules(M),
    (   M:clock(Clock)
    ->  findall(occ(S,P,O,Start), M:open_occurrence(S,P,O,Start), Open),
        retractall(M:open_occurrence(_,_,_,_))
    ;   Clock = -1.0Inf, Open = []
    ).

keep_open_instant(M, Clock, Open) :-
    apply_changes(M),
    retractall(M:clock(_)),
    assertz(M:clock(Clock)),
    forall(member(occ(S,P,O,Start), Open), assertz(M:open_occurrence(S,P,O,Start))).
