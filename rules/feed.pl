:- module(etalis_feed,
          [ feed/6,                     % +Engine, +Terms, +Columns, +OnLate, +Most, -Result
            advance/3,                  % +Engine, +Time, -Result
            finish/3,                   % +Engine, +Completeness, -Result
            set_instant/2               % +Engine, +Time
          ]).
:- use_module(answers, [encoded_answers/3]).
:- use_module(driver, [set_up_driver/2]).
:- use_module(goal_store, [turn_stores/1]).
:- use_module(instant, [certain_answer/4, instant_answer/4, is_due/2, next_step/3, plan_ahead/1]).
:- use_module(link, [link_rules/1]).
:- use_module(state, [apply_changes/1]).
:- use_module(library(apply), [exclude/3, maplist/3]).
:- use_module(library(lists), [append/3, member/2, nth0/3]).
:- use_module(terms, [decode_terms/2]).

/** <module> Elements in, answers out

Elements come in batches, column by column. All rows with one end time are one instant; it is closed, and
its answers given, when a later row comes, or by advance/3 and finish/3. The rows of the instant that is
still open wait in Engine:open_occurrence/4 between two batches. Engine:clock(Time) is that instant: what
ends before it is closed.

The rows of a batch come on backtracking, and one findall/3 collects what all of them bring about: no row leaves
anything on the stacks, or pays for a collection of its own. An instant that is one row goes from row_answer/9
(driver.pl) to the rules, others by way of gathered/8.
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
%   [Subjects, Predicates, Objects, Starts, Ends]: positions in Terms counted from 1, and microseconds; Starts
%   is [] where all rows start when they end.
%
%   Result is [Taken,Late,Answers,Problem]: how many rows were taken (all, unless more than Most
%   answers came, or a late row met OnLate `error`, or there is a problem), the numbers of the late rows
%   (from 0), the answers in encoded form, and '' or the text of a Prolog error.

feed(M, Encoded, [Ss,Ps,Os,Starts0,Ends], OnLate, Most, [Taken,Late,Answers,Problem]) :-
    ( Starts0 == [] -> Starts = Ends ; Starts = Starts0 ),
    decode_terms(Encoded, Decoded),
    compound_name_arguments(Terms, terms, Decoded),
    take_open_instant(M, Clock, Open),
    begin_walk(M, Clock, Most, OnLate, State),
    Rows = rows(Ends, Ss, Ps, Os, Starts, 1),
    found(M:instant_answers(Rows, Terms, State, Clock, Open), State, Found),
    State = state(NewClock, _, _, Stop, StillOpen, _, _),
    taken(Stop, NewClock, Ends, Taken),
    keep_open_instant(M, NewClock, StillOpen),
    partition(Found, All, Late),
    encoded_answers(All, Answers, Problem).

%   begin_walk(+M, +Clock, +Most, +OnLate, -State): state(Clock, Turn, Left, Stop, Open, M, OnLate) has the instant that
%   is worked on; when stores turn next (-1.0Inf: the walk is to stop); how many answers may still be given before it
%   stops (less than 0: too many came); the first row that is not taken (0: all are; `failed` after an error); and
%   the occurrences of the instant that is left open. It is changed in place, and the value of the global variable
%   etalis_walk.

begin_walk(M, Clock, Most, OnLate, State) :-
    State = state(Clock, Turn, Most, 0, [], M, OnLate),
    turn_of_stores(M, Turn),
    b_setval(etalis_walk, State).

turn_of_stores(M, Turn) :-
    (   M:next_turn(Turn)
    ->  true
    ;   Turn is 1<<62
    ).

%   The number of rows before Stop; after an error, before the row that closed the instant that failed.

taken(0, _, Ends, Taken) =>
    length(Ends, Taken).
taken(failed, Clock, Ends, Taken) =>
    (   nth0(Taken, Ends, End),
        End > Clock
    ->  true
    ;   length(Ends, Taken)
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

% ---- instant by instant -----------------------------------------------------------------------------------

:- public gathered/8, found_at_instant/5, turn_or_stop/4.

%   gathered(+Rows, +Terms, +State, +Clock, +Open, -Occurrences, -Late, -Rest): the first of Rows may belong to the
%   instant Clock, of which Open are known. Fails if the walk has stopped.

gathered(rows(Ends, Ss, Ps, Os, Starts, Row), Terms, State, Clock, Open, Occurrences, Late, Rest) :-
    arg(4, State, 0),
    arg(7, State, OnLate),
    gather(Ends, Ss, Ps, Os, Starts, Row, Terms, Clock, OnLate, New, Late, Rest),
    append(Open, New, Occurrences),
    nb_setarg(1, State, Clock).

%   found_at_instant(+Occurrences, +Late, +Rest, +State, -Found): the instant is closed if a row is behind it.

found_at_instant(_, Late, _, _, late(Number)) :-
    member(Number, Late).
found_at_instant(Occurrences, _, Rest, State, Found) :-
    \+ is_left_open(Rest, State, Occurrences),
    Rest = rows([Next|_], _, _, _, _, _),
    arg(6, State, M),
    closing_answer(M, State, Occurrences, Next, Found).

%   gather(+Ends, +Ss, +Ps, +Os, +Starts, +Row, +Terms, +Clock, +OnLate, -Occurrences, -Late, -Rest): the occurrences
%   at Clock, and the numbers of the rows among them that are late; Rest are the rows behind them, or stop(Row).

gather([End|Ends], [S0|Ss], [P0|Ps], [O0|Os], [Start|Starts], Row, Terms, Clock, OnLate, New, Late, Rest) :-
    End =< Clock,
    !,
    After is Row + 1,
    (   End =:= Clock
    ->  arg(S0, Terms, S), arg(P0, Terms, P), arg(O0, Terms, O),
        New = [occ(S,P,O,Start)|More],
        gather(Ends, Ss, Ps, Os, Starts, After, Terms, Clock, OnLate, More, Late, Rest)
    ;   Number is Row - 1,
        Late = [Number|MoreLate],
        (   OnLate == drop
        ->  gather(Ends, Ss, Ps, Os, Starts, After, Terms, Clock, OnLate, New, MoreLate, Rest)
        ;   New = [], MoreLate = [], Rest = stop(Row)
        )
    ).
gather(Ends, Ss, Ps, Os, Starts, Row, _, _, _, [], [], rows(Ends, Ss, Ps, Os, Starts, Row)).

%   is_left_open(+Rest, +State, +Occurrences): the instant is not closed, since no row is behind it or is to be taken.

is_left_open(stop(Row), State, Occurrences) =>
    leave_open(State, Occurrences, Row).
is_left_open(rows([], _, _, _, _, _), State, Occurrences) =>
    leave_open(State, Occurrences, 0).
is_left_open(rows(_, _, _, _, _, Row), State, Occurrences) =>
    arg(3, State, Left),
    Left < 0,
    leave_open(State, Occurrences, Row).

leave_open(State, Occurrences, Stop) :-
    nb_setarg(4, State, Stop),
    nb_setarg(5, State, Occurrences).

%   turn_or_stop(+State, +End, +Occurrence, +Row): before an instant of one Occurrence, that of Row. Fails if the walk is
%   to stop.

turn_or_stop(State, End, Occurrence, Row) :-
    arg(4, State, 0),
    arg(3, State, Left),
    (   Left < 0
    ->  nb_setarg(1, State, End),
        Stop is Row + 1,
        leave_open(State, [Occurrence], Stop),
        fail
    ;   arg(6, State, M),
        turn_stores(M:End),
        turn_of_stores(M, Turn),
        nb_setarg(2, State, Turn)
    ).

% ---- time passes ------------------------------------------------------------------------------------------

%!  advance(+Engine, +Time, -Result) is det.
%
%   No element that ends before Time will come: close what is open before it. Result is as for feed/6.

advance(M, Time, [0,[],Answers,Problem]) :-
    take_open_instant(M, Clock, Open),
    (   Time > Clock
    ->  begin_walk(M, Clock, 0, error, State),
        found(closing_answer(M, State, Open, Time), State, Found),
        keep_open_instant(M, Time, []),
        encoded_answers(Found, Answers, Problem)
    ;   keep_open_instant(M, Clock, Open),
        encoded_answers([], Answers, Problem)
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
        encoded_answers([], Answers, Problem)
    ;   begin_walk(M, Clock, 0, error, State),
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
    way(M, Way),
    set_up_driver(M, Way),
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

%   way(+M, -Way): how much an instant of one occurrence needs (driver.pl).

way(M, general) :-
    clause(M:plans_ahead(_), _),
    !.
way(M, heard(Background)) :-
    M:entailment(Background),
    !.
way(_, direct).
