:- module(etalis_feed,
          [ feed/6,                     % +Engine, +Terms, +Columns, +OnLate, +Most, -Portion
            feed_block/8,               % +Engine, +Terms, +Places, +Block, +OnLate, +Many, +Most, -Portion
            takes_blocks/2,             % +Engine, -Takes
            advance/4,                  % +Engine, +Time, +Most, -Portion
            open_deadline/2,            % +Engine, -Deadline
            finish/4,                   % +Engine, +Completeness, +Most, -Portion
            take_instant/2,             % +Engine, -State
            close_instant/6,            % +Engine, +Time, +Where, +Rows, +Most, -Portion
            kept_portion/2,             % +Engine, -Portion
            number_term/3,              % +Engine, +Term, -Number
            number_place/4,             % +Engine, +Stream, +Graph, -Number
            others_of_instant/2,        % +Engine, -Encoded
            problem_of_instant/2,       % +Engine, -Problem
            hand_back_instant/3,        % +Engine, +Clock, +Rows
            place_open_instant/3,       % +Engine, +Clock, +Runs
            set_instant/2               % +Engine, +Time
          ]).
:- use_module(answers, [encoded_answers/3, encoded_columns/2, encoded_rows/5, error_text/2]).
:- use_module(driver, [set_up_driver/2, way/2]).
:- use_module('../stores/goal_store', [turn_stores/1]).
:- use_module(instant, [certain_answer/4, instant_answer/4, is_due/2, next_at_end/3, next_step/3, plan_ahead/1, plans_time/1]).
:- use_module(limits, [limited/2]).
:- use_module(link, [link_rules/1]).
:- use_module(machine, [machine/2]).
:- use_module(places, [place/3]).
:- use_module(portions, [portion/6]).
:- use_module('../background/state', [apply_changes/1]).
:- use_module(library(apply), [maplist/4]).
:- use_module(library(lists), [append/3, member/2, nth0/3]).
:- use_module(terms, [decode_term/2, decode_terms/2]).
:- use_module(library(macros)).

#import(fields).

/** <module> Elements in, answers out

Occurrences come in batches, column by column. All rows with one end time are one instant; it is closed, and
its answers given, when a later row comes, or by advance/3 and finish/3. The rows of the instant that is
still open wait in Engine:open_occurrence/5 between two batches. Engine:clock(Time) is that instant: what
ends before it is closed.

The rows of a batch come on backtracking, and what they bring about is collected (portions.pl): no row leaves
anything on the stacks, or pays for a collection of its own. An instant that is one row goes from row_answer/10
(driver.pl) to the rules, others by way of gathered/8.

Answers leave in portions, on backtracking. Each is [Answers,Late,Taken,Problem]: answers in their encoded form
(answers.pl); the numbers of late rows (from 0); and of the last portion how many rows were taken, -1 of the others;
Problem is '' or the text of a Prolog error, with which the walk ends. Between two portions the engine is in the middle
of its work: who does not want the last one can do nothing with the engine but close it.

Where events come one by one, Python keeps the rows of the open instant, and the clock, until it is closed
(etalis_py/engine/open_instant.py): take_instant/2, then close_instant/6 for each instant, then hand_back_instant/3. Where
rules run without Prolog, native code closes instants meanwhile (rules/native/direct.c), and keeps M:next_turn/1.
*/

:- det((take_instant/2, close_instant/6, kept_portion/2, hand_back_instant/3, place_open_instant/3)).
:- det((number_term/3, number_place/4, others_of_instant/2, problem_of_instant/2)).

%!  set_instant(+Engine, +Time) is det.
%
%   The run has one instant, Time: it is answered though nothing happens.

set_instant(M, Time) :-
    assertz(M:at(Time)),
    plan_ahead(M),
    keep_open_instant(M, Time, []).

%!  feed(+Engine, +Terms, +Columns, +OnLate, +Most, -Portion) is multi.
%
%   Take a batch of rows. Terms are the different RDF terms of the batch in their encoded form, Columns is
%   [Subjects, Predicates, Objects, Starts, Ends, Places]: positions in Terms counted from 1, and microseconds; Starts
%   is [] where all rows start when they end. Places is [] where no query asks for streams or elements, else
%   [Positions, Streams, Graphs]: of each row a position in the places, which are numbered behind Terms, and of each
%   place the stream and the graph ('' for none). All rows are taken, unless a late row meets OnLate `error`, or there is
%   a problem. A portion has at most Most answers and late rows, unless these are of one instant.

feed(M, Encoded, [Ss,Ps,Os,Starts0,Ends,Places0], OnLate, Most, Portion) :-
    ( Starts0 == [] -> Starts = Ends ; Starts = Starts0 ),
    decode_terms(Encoded, Decoded),
    place_column(Places0, Decoded, Places, All),
    compound_name_arguments(Terms, terms, All),
    take_open_instant(M, Clock, Open),
    begin_walk(M, Clock, OnLate, Walk),
    Rows = rows(Ends, Ss, Ps, Os, Starts, Places, 1),
    portion(M:instant_answers(Rows, Terms, Walk, Clock, Open), Walk, Most, Found, Late, Is),
    (   Is == last
    ->  arg(#walk(clock), Walk, NewClock),
        arg(#walk(stop), Walk, Stop),
        arg(#walk(open), Walk, StillOpen),
        taken(Stop, NewClock, Ends, Taken),
        keep_open_instant(M, NewClock, StillOpen)
    ;   Taken = -1
    ),
    encoded_portion(Found, Late, Taken, Portion).

%!  takes_blocks(+Engine, -Takes) is det.
%
%   If the engine's rules run without Prolog (machine.pl), rows may come by feed_block/8: Takes is [S,Ss,P,Ps,O,Os], of
%   subjects, predicates and objects the table whose words are known and how many are (rules/native/words.c). Else it is [].

takes_blocks(M, Takes) :-
    link_rules(M),
    ( machine(M, Machine) -> etalis_machine:words_known(Machine, Takes) ; Takes = [] ).

%!  feed_block(+Engine, +Terms, +Places, +Block, +OnLate, +Many, +Most, -Portion) is multi.
%
%   As feed/6, for an engine that takes blocks and times that are less than 1<<60. Terms are those that are no names.
%   Places are [Streams,Graphs] of the places that rows have numbers of, or []. Block is [Length,Columns,Starts,Ends,Places],
%   see begin_rows/7 (rules/native/instants.c).
%   A portion that is of several instants has at least Many answers and late rows, if it is not the last.

feed_block(M, Encoded, Places, Block, OnLate, Many, Most, Portion) :-
    decode_terms(Encoded, Decoded),
    with_places(Places, Decoded, Terms),
    machine(M, Machine),
    take_open_instant(M, Clock0, Open),
    ( integer(Clock0) -> Clock = Clock0 ; before_all(Clock) ),
    ( OnLate == drop -> DropsLate = true ; DropsLate = false ),
    turn_of_stores(M, Turn),
    compound_name_arguments(Columns, block, Block),
    etalis_machine:begin_rows(Machine, Terms, Columns, Clock, Open, DropsLate, Turn),
    begin_machine_walk(M, Clock, OnLate, Machine),
    machine_portion(M, Machine, Turn, Many, Most, Portion).

%   machine_portion(+M, +Machine, +Turn, +Many, +Most, -Portion): what was begun goes on.

machine_portion(M, Machine, Turn, Many, Most, [Answers,Late,Taken,Problem]) :-
    repeat,
    catch(once(limited(M, etalis_machine:run_rows(Machine, Many, Most, Others, Late, IsLast))), Error, IsLast = failed),
    (   IsLast == false
    ->  Taken = -1, Problem = ''
    ;   !,
        (   IsLast == failed
        ->  error_text(Error, Problem),
            etalis_machine:answers_before(Machine, Others, Late)
        ;   Problem = ''
        ),
        etalis_machine:end_rows(Machine, NewClock, StillOpen, Taken, NewTurn),
        keep_turn(M, Turn, NewTurn),
        ( before_all(NewClock) -> true ; keep_open_instant(M, NewClock, StillOpen) )
    ),
    encoded_columns(Others, Answers).

%   pause_portion(+M, +Machine, +Clock, +Open, +Until, +Most, -Portion): time passes, see begin_pause/5 (rules/native/instants.c).

pause_portion(M, Machine, Clock, Open, Until, Most, Portion) :-
    turn_of_stores(M, Turn),
    etalis_machine:begin_pause(Machine, Clock, Open, Turn, Until),
    begin_machine_walk(M, Clock, error, Machine),
    machine_portion(M, Machine, Turn, Most, Most, Portion).

%   waits_by_machine(+M, +Clock, +Time, -Machine) is semidet: what is due from Clock to Time may be done without Prolog; an instant
%   in which nothing is due is no work for it.

waits_by_machine(M, Clock, Time, Machine) :-
    integer(Clock),
    abs(Clock) < 1<<60,
    abs(Time) < 1<<60,
    plans_time(M),
    machine(M, Machine).

%   ends_by_machine(+M, +Clock, -Machine) is semidet: the same when the input ends. What waits for that, or for deadlines, which may
%   bring about others without an end, does so in Prolog.

ends_by_machine(M, Clock, Machine) :-
    waits_by_machine(M, Clock, Clock, Machine),
    \+ M:due_at_end(_),
    \+ M:due_at(_, _, _),
    \+ M:change_store(_, _, _, lasting).

begin_machine_walk(M, Clock, OnLate, Machine) :-
    begin_walk(M, Clock, OnLate, Walk),
    setarg(#walk(machine), Walk, Machine).

before_all(Time) :-
    Time is -(1<<62).

%   place_column(+Places, +Terms, -Column, -All): All are the Terms and behind them the places of a batch.

place_column([], Terms, [], Terms).
place_column([Column|Places], Terms, Column, All) :-
    with_places(Places, Terms, All).

with_places([], Terms, Terms).
with_places([Streams,Graphs], Terms, All) :-
    maplist(place, Streams, Graphs, Places),
    append(Terms, Places, All).

encoded_portion(Found, Late, Taken, [Answers,Late,Taken,Problem]) :-
    encoded_answers(Found, Answers, Problem).

%   begin_walk(+M, +Clock, +OnLate, -Walk): Walk is changed in place; its arguments are those of fields.pl.

begin_walk(M, Clock, OnLate, Walk) :-
    turn_of_stores(M, Turn),
    Walk = #new_walk(Clock, Turn, M, OnLate),
    b_setval(etalis_walk, Walk).

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

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

% ---- instant by instant -----------------------------------------------------------------------------------

:- public gathered/8, found_at_instant/5, turn/2.

%   gathered(+Rows, +Terms, +Walk, +Clock, +Open, -Occurrences, -Late, -Rest): the first of Rows may belong to the
%   instant Clock, of which Open are known. Fails if the walk has stopped.

gathered(rows(Ends, Ss, Ps, Os, Starts, Places, Row), Terms, Walk, Clock, Open, Occurrences, Late, Rest) :-
    arg(#walk(stop), Walk, 0),
    arg(#walk(on_late), Walk, OnLate),
    gather(Ends, Ss, Ps, Os, Starts, Places, Row, Terms, Clock, OnLate, New, Late, Rest),
    append(Open, New, Occurrences),
    nb_setarg(#walk(clock), Walk, Clock).

%   found_at_instant(+Occurrences, +Late, +Rest, +Walk, -Found): the instant is closed if a row is behind it.

found_at_instant(_, Late, _, _, late(Number)) :-
    member(Number, Late).
found_at_instant(Occurrences, _, Rest, Walk, Found) :-
    \+ is_left_open(Rest, Walk, Occurrences),
    Rest = rows([Next|_], _, _, _, _, _, _),
    arg(#walk(engine), Walk, M),
    closing_answer(M, Walk, Occurrences, Next, Found).

%   gather(+Ends, +Ss, +Ps, +Os, +Starts, +Places, +Row, +Terms, +Clock, +OnLate, -Occurrences, -Late, -Rest): the occurrences
%   at Clock, and the numbers of the rows among them that are late; Rest are the rows behind them, or stop(Row).

gather([End|Ends], [S0|Ss], [P0|Ps], [O0|Os], [Start|Starts], Places0, Row, Terms, Clock, OnLate, New, Late, Rest) :-
    End =< Clock,
    !,
    After is Row + 1,
    place_of(Places0, Terms, Place, Places),
    (   End =:= Clock
    ->  arg(S0, Terms, S), arg(P0, Terms, P), arg(O0, Terms, O),
        New = [occ(S,P,O,Start,Place)|More],
        gather(Ends, Ss, Ps, Os, Starts, Places, After, Terms, Clock, OnLate, More, Late, Rest)
    ;   Number is Row - 1,
        Late = [Number|MoreLate],
        (   OnLate == drop
        ->  gather(Ends, Ss, Ps, Os, Starts, Places, After, Terms, Clock, OnLate, New, MoreLate, Rest)
        ;   New = [], MoreLate = [], Rest = stop(Row)
        )
    ).
gather(Ends, Ss, Ps, Os, Starts, Places, Row, _, _, _, [], [], rows(Ends, Ss, Ps, Os, Starts, Places, Row)).

place_of([], _, [], []).
place_of([Position|Places], Terms, Place, Places) :-
    arg(Position, Terms, Place).

%   is_left_open(+Rest, +Walk, +Occurrences): the instant is not closed, since no row is behind it, or none is to be taken.

is_left_open(stop(Row), Walk, Occurrences) =>
    leave_open(Walk, Occurrences, Row).
is_left_open(rows([], _, _, _, _, _, _), Walk, Occurrences) =>
    leave_open(Walk, Occurrences, 0).
is_left_open(_, _, _) =>
    fail.

leave_open(Walk, Occurrences, Stop) :-
    nb_setarg(#walk(stop), Walk, Stop),
    nb_setarg(#walk(open), Walk, Occurrences).

%   turn(+Walk, +End): the stores turn before the instant End.

turn(Walk, End) :-
    arg(#walk(engine), Walk, M),
    turn_stores(M:End),
    turn_of_stores(M, Turn),
    nb_setarg(#walk(turn), Walk, Turn).

% ---- time passes ------------------------------------------------------------------------------------------

%!  advance(+Engine, +Time, +Most, -Portion) is multi.
%
%   No element that ends before Time will come: close what is open before it. Portions are as of feed/6.

advance(M, Time, Most, Portion) :-
    take_open_instant(M, Clock, Open),
    (   Time > Clock,
        waits_by_machine(M, Clock, Time, Machine)
    ->  pause_portion(M, Machine, Clock, Open, Time, Most, Portion)
    ;   Time > Clock
    ->  begin_walk(M, Clock, error, Walk),
        portion(closing_answer(M, Walk, Open, Time), Walk, Most, Found, Late, Is),
        kept_at_end(Is, M, Time, Taken),
        encoded_portion(Found, Late, Taken, Portion)
    ;   keep_open_instant(M, Clock, Open),
        encoded_portion([], [], 0, Portion)
    ).

%!  open_deadline(+Engine, -Deadline) is det.
%
%   The first instant at which something is due though no element comes any more, @(none) where there is none.

open_deadline(M, Deadline) :-
    (   M:clock(Clock),
        next_at_end(M, Clock, Next)
    ->  Deadline = Next
    ;   Deadline = @(none)
    ).

%!  finish(+Engine, +Completeness, +Most, -Portion) is multi.
%
%   The input has ended. Completeness is `complete`, or `broken` where rows of the open instant may be
%   missing: then only answers that they could not take back are given.

finish(M, Completeness, Most, Portion) :-
    take_open_instant(M, Clock, Open),
    (   Open == [],
        \+ is_due(M, Clock),
        \+ ( Completeness == complete, ( next_at_end(M, Clock, _) ; integer(Clock), M:due_at_end(_) ) )
    ->  keep_open_instant(M, Clock, []),
        encoded_portion([], [], 0, Portion)
    ;   Completeness == complete,
        ends_by_machine(M, Clock, Machine)
    ->  pause_portion(M, Machine, Clock, Open, end, Most, Portion)
    ;   begin_walk(M, Clock, error, Walk),
        portion(last_answer(Completeness, M, Walk, Open), Walk, Most, Found, Late, Is),
        arg(#walk(clock), Walk, Last),
        Next is Last + 1,
        kept_at_end(Is, M, Next, Taken),
        encoded_portion(Found, Late, Taken, Portion)
    ).

kept_at_end(last, M, Clock, 0) :-
    keep_open_instant(M, Clock, []).
kept_at_end(more, _, _, -1).

last_answer(complete, M, Walk, Open, Found) :-
    setup_call_cleanup(assertz(M:is_ending),
                       ending_answer(M, Walk, Open, Found),
                       ( retractall(M:is_ending), retractall(M:ended_at(_)) )).
last_answer(broken, M, Walk, Open, answer(Clock, Answer)) :-
    arg(#walk(clock), Walk, Clock),
    certain_answer(M, Clock, Open, Answer).

%   ending_answer(+M, +Walk, +Open, -Found): what the last instant brings about, and its being the last; then what is still due,
%   one instant after the other.
%
%   @throws error(etalis_limit(derivations, Limit), _) where each deadline brings about the next one without an end

ending_answer(M, Walk, Open, answer(Clock, Answer)) :-
    arg(#walk(clock), Walk, Clock),
    once(( Open \== [] ; is_due(M, Clock) ; integer(Clock), M:due_at_end(_) )),
    instant_answer(M, Clock, Open, Answer).
ending_answer(M, Walk, _, Found) :-
    arg(#walk(clock), Walk, Clock),
    retractall(M:at(_)),
    assertz(M:ended_at(Clock)),
    M:derivation_limit(Limit),
    late_answer(M, Walk, Limit, 0, Found).

late_answer(M, Walk, Limit, Count, Found) :-
    arg(#walk(clock), Walk, Clock),
    next_at_end(M, Clock, Next),
    nb_setarg(#walk(clock), Walk, Next),
    (   Count < Limit
    ->  true
    ;   throw(error(etalis_limit(derivations, Limit), _))
    ),
    (   instant_answer(M, Next, [], Answer),
        Found = answer(Next, Answer)
    ;   ( is_evaluated(M) -> More = Count ; More is Count + 1 ),
        late_answer(M, Walk, Limit, More, Found)
    ).

%   is_evaluated(+M): there are queries with windows on streams, which are over by themselves.

is_evaluated(M) :-
    M:due_on_grid(_, _, _, _, Lasts),
    Lasts \== input,
    !.
is_evaluated(M) :-
    M:change_store(_, _, _, _),
    !.

%   closing_answer(+M, +Walk, +Open, +New, -Found): close the open instant, and those between it and New at
%   which something is due though nothing happens. That is a window's steps, and an event with a wrong clock may have
%   thousands of millions of them before it: so there is a limit to their number, and where they are due whatever is
%   in the window, it is known before the first of them.
%
%   @throws error(etalis_pause(Clock, New, Most), _): there would be more than Most

closing_answer(M, Walk, Open, New, Found) :-
    most_steps(Most),
    closing_answer(Open, M, Walk, New, Most, Found).

closing_answer(Open, M, Walk, New, Left, Found) :-
    (   due_answer(M, Walk, Open, Found)
    ;   open_step(M, Walk, New, Left),
        Fewer is Left - 1,
        closing_answer([], M, Walk, New, Fewer, Found)
    ).

most_steps(1_000_000).

due_answer(M, Walk, Open, answer(Clock, Answer)) :-
    arg(#walk(clock), Walk, Clock),
    (   Open == [],
        \+ is_due(M, Clock)
    ->  fail
    ;   instant_answer(M, Clock, Open, Answer)
    ).

open_step(M, Walk, New, Left) :-
    plans_time(M),
    arg(#walk(clock), Walk, Clock),
    integer(Clock),
    next_step(M, Clock, Step),
    Step < New,
    retractall(M:at(_)),
    nb_setarg(#walk(clock), Walk, Step),
    (   Left > 0,
        \+ ( M:due_on_grid(_, Length, _, none, input), (New - Step) div Length > Left )
    ->  true
    ;   most_steps(Most),
        throw(error(etalis_pause(Clock, New, Most), _))
    ).

% ---- events one by one --------------------------------------------------------------------------------------

%!  take_instant(+Engine, -State) is det.
%
%   From now on Python has the clock and what is new of the open instant. State is [Clock,HasOpen,Machine,Known]: Clock is
%   @(none) before the first element, HasOpen is 1 if M:open_occurrence/5 has some of the instant, else 0. Machine is the
%   address of the machine (machine.pl) if instants may be closed without a call of a predicate, else 0, and Known how many
%   terms it has numbered. State is [] where something may be due though nothing happens: then this does nothing.

take_instant(M, State) :-
    link_rules(M),
    way(M, Way),
    (   Way == general
    ->  State = []
    ;   set_up_driver(M, Way),
        ( M:clock(Clock), integer(Clock) -> true ; Clock = @(none) ),
        ( M:open_occurrence(_, _, _, _, _) -> HasOpen = 1 ; HasOpen = 0 ),
        direct_machine(M, Address, Known),
        State = [Clock,HasOpen,Address,Known]
    ).

%   A watcher of limits wants a walk to look at.

direct_machine(M, Address, Known) :-
    (   machine(M, Machine),
        \+ M:work_limit(_, _)
    ->  turn_of_stores(M, Turn),
        etalis_machine:begin_direct(Machine, Turn, Address, Known)
    ;   Address = 0, Known = 0
    ).

%!  number_term(+Engine, +Term, -Number) is det.
%!  number_place(+Engine, +Stream, +Graph, -Number) is det.
%
%   The number by which the machine knows a term in its encoded form (rules/native/direct.c).

number_term(M, Encoded, Number) :-
    decode_term(Encoded, Term),
    machine(M, Machine),
    etalis_machine:number_term(Machine, Term, Number).

number_place(M, Stream, Graph, Number) :-
    place(Stream, Graph, Place),
    machine(M, Machine),
    etalis_machine:number_term(Machine, Place, Number).

%!  others_of_instant(+Engine, -Encoded) is det.
%
%   The terms that have no column among the answers of the instant that was closed last, without a call of a predicate.

others_of_instant(M, Encoded) :-
    machine(M, Machine),
    etalis_machine:other_answers(Machine, Others),
    encoded_columns(Others, Encoded).

%!  problem_of_instant(+Engine, -Problem) is det.
%
%   Why that was broken off.

problem_of_instant(M, Problem) :-
    machine(M, Machine),
    (   etalis_machine:direct_problem(Machine, Error)
    ->  true
    ;   Error = error(resource_error(memory), _)    % not even that could be kept
    ),
    error_text(Error, Problem).

%!  close_instant(+Engine, +Time, +HasOpen, +Rows, +Most, -Portion) is det.
%
%   Close the instant Time, of which Rows are known, and with HasOpen 1 M:open_occurrence/5. A row is -(S,P,O,Start) or
%   -(S,P,O,Start,Stream,Graph), terms in their encoded form. Portion is [Answers,Problem,IsCut] as of feed/6. IsCut is 1
%   if the instant has more answers than Most: kept_portion/2 gives those before, portion by portion.

close_instant(M, Time, HasOpen, Rows, Most, Portion) :-
    occurrences(Rows, New),
    (   HasOpen =:= 0
    ->  Open = New
    ;   findall(occ(S,P,O,Start,Place), M:open_occurrence(S,P,O,Start,Place), Known),
        retractall(M:open_occurrence(_,_,_,_,_)),
        append(Known, New, Open)
    ),
    (   is_of_blocks(Time),
        machine(M, Machine)
    ->  close_by_machine(M, Machine, Time, Open, Most, Portion)
    ;   close_by_walk(M, Time, Open, Most, Portion)
    ).

%   Times that machine.c takes; starts are no later, and mostly about as late.

is_of_blocks(Time) :-
    abs(Time) < 1<<60.

close_by_machine(M, Machine, Time, Open, Most, [Answers,Problem,IsCut]) :-
    turn_of_stores(M, Turn),
    begin_machine_walk(M, Time, error, Machine),
    catch(( once(limited(M, etalis_machine:run_instant(Machine, Open, Time, Turn, Most, Parts, NewTurn))),
            Problem = ''
          ),
          Error,
          ( error_text(Error, Problem), Parts = [part([], [], [])], NewTurn = Turn )),
    keep_turn(M, Turn, NewTurn),
    append(Earlier, [Last], Parts),
    !,
    forall(member(Part, Earlier), assertz(M:portion_kept(in_parts(Time, Part)))),
    ( Earlier == [] -> IsCut = 0 ; IsCut = 1 ),
    encoded_part(Time, Last, Answers).

encoded_part(Time, part(Queries,Starts,Values), Answers) :-
    encoded_rows(Time, Queries, Starts, Values, Answers).

keep_turn(_, Turn, Turn) :-
    !.
keep_turn(M, _, Turn) :-
    retractall(M:next_turn(_)),
    assertz(M:next_turn(Turn)).

close_by_walk(M, Time, Open, Most, [Answers,Problem,IsCut]) :-
    begin_walk(M, Time, error, Walk),
    portion(open_answer(M, Time, Open), Walk, Most, Found, _, Is),
    (   Is == last
    ->  !
    ;   assertz(M:portion_kept(Found)),
        fail
    ),
    encoded_answers(Found, Answers, Problem),
    apply_changes(M),
    ( M:portion_kept(_) -> IsCut = 1 ; IsCut = 0 ).

open_answer(M, Time, Open, answer(Time, Answer)) :-
    Open = [_|_],
    instant_answer(M, Time, Open, Answer).

occurrences([], []).
occurrences([Row|Rows], [Occurrence|Occurrences]) :-
    occurrence(Row, Occurrence),
    occurrences(Rows, Occurrences).

occurrence(-(S,P,Encoded,Start), occ(S,P,O,Start,[])) :-
    decode_term(Encoded, O).
occurrence(-(S,P,Encoded,Start,Stream,Graph), occ(S,P,O,Start,Place)) :-
    decode_term(Encoded, O),
    place(Stream, Graph, Place).

%!  kept_portion(+Engine, -Portion) is det.
%
%   The answers of the next portion of an instant that was cut, @(none) after the last.

kept_portion(M, Portion) :-
    (   retract(M:portion_kept(Found))
    ->  (   Found = in_parts(Time, Part)
        ->  encoded_part(Time, Part, Portion)
        ;   encoded_answers(Found, Portion, _)
        )
    ;   Portion = @(none)
    ).

%!  hand_back_instant(+Engine, +Clock, +Rows) is det.
%
%   What take_instant/2 took is here again: Rows as of close_instant/6, new ones of the instant Clock.

hand_back_instant(M, Clock, Rows) :-
    occurrences(Rows, New),
    keep_open_instant(M, Clock, New).

%!  place_open_instant(+Engine, +Clock, +Runs) is det.
%
%   Queries ask for places now, but did not when the rows of the instant Clock came. Runs are -(Count,Stream,Graph): so many
%   of the rows that have no place are from there, one after the other.

place_open_instant(M, Clock, Runs) :-
    (   M:clock(Clock)
    ->  findall(occ(S,P,O,Start,Place), retract(M:open_occurrence(S,P,O,Start,Place)), Open),
        placed_runs(Runs, Open, Placed),
        forall(member(occ(S,P,O,Start,Place), Placed), assertz(M:open_occurrence(S,P,O,Start,Place)))
    ;   true
    ).

placed_runs([], Placed, Placed).
placed_runs([-(Count,Stream,Graph)|Runs], Open, Placed) :-
    place(Stream, Graph, Place),
    placed_run(Open, Count, Place, Rest, Placed, More),
    placed_runs(Runs, Rest, More).

placed_run([occ(S,P,O,Start,Known)|Open], Count, Place, Rest, Placed, More), Count > 0 =>
    (   Known == []
    ->  Left is Count - 1,
        Where = Place
    ;   Left = Count,
        Where = Known
    ),
    Placed = [occ(S,P,O,Start,Where)|Placed1],
    placed_run(Open, Left, Place, Rest, Placed1, More).
placed_run(Open, _, _, Rest, Placed, More) =>
    Rest = Open,
    Placed = More.

% ---- the open instant -------------------------------------------------------------------------------------

take_open_instant(M, Clock, Open) :-
    link_rules(M),
    way(M, Way),
    set_up_driver(M, Way),
    (   M:clock(Clock)
    ->  findall(occ(S,P,O,Start,Place), M:open_occurrence(S,P,O,Start,Place), Open),
        retractall(M:open_occurrence(_,_,_,_,_))
    ;   Clock = -1.0Inf, Open = []
    ).

keep_open_instant(M, Clock, Open) :-
    apply_changes(M),
    retractall(M:clock(_)),
    assertz(M:clock(Clock)),
    forall(member(occ(S,P,O,Start,Place), Open), assertz(M:open_occurrence(S,P,O,Start,Place))).
