:- module(etalis_driver,
          [ add_driver/1,               % +Engine
            link_triggers/1             % +Engine
          ]).
:- use_module(link, [assert_compiled/2]).

/** <module> The part of the run-time library that each engine's module has a copy of

What runs for every row calls rules of the engine. A call into a module that is known at run time only takes three
times as long as one that stays in its module, so these few clauses are added to the module itself.

A batch of rows is rows(Engine, Way, Count, Terms, Subjects, Predicates, Objects, Starts, Ends, Open), its columns
compounds of arity Count that hold positions in Terms, and microseconds. Way is `direct` if an instant of one
occurrence needs nothing but its triggers, heard(Engine, Background) if also what it entails is to be found, else
`general`. Open are the occurrences of the instant that was open before. The state of a batch is changed in
place, as the rows come on backtracking: state(Clock, First, Left, Stop), the open instant, the row that began it
(0: it was open before), how many answers may still be given before it stops (less than 0: too many came), and
the first row that is not taken (0: all are; `failed` after an error).
*/

%!  add_driver(+Engine) is det.
%
%   Give the module Engine the clauses below.

add_driver(M) :-
    forall(driver_clause(Clause), assert_compiled(M:Clause, _)).

%   row_answer(+Rows, +State, +OnLate, -Found): Found is answer(End, Answer), or late(Row) with rows from 0.

driver_clause((
    row_answer(Rows, State, OnLate, Found) :-
        Rows = rows(_, Way, Count, Terms, Ss, Ps, Os, Starts, Ends, _),
        between(1, Count, Row),
        arg(3, State, Left),
        (   Left >= 0
        ->  true
        ;   etalis_feed:stop_at(State, Row)
        ),
        arg(Row, Ends, End),
        arg(1, State, Clock),
        (   End > Clock
        ->  arg(2, State, First),
            (   Way \== general,
                First =:= Row - 1,
                First > 0
            ->  arg(First, Ss, S0), arg(S0, Terms, S),
                arg(First, Ps, P0), arg(P0, Terms, P),
                arg(First, Os, O0), arg(O0, Terms, O),
                arg(First, Starts, Start),
                Found = answer(Clock, Answer),
                (   one_fired(Way, P, S, O, Start, Clock, Answer),
                    etalis_feed:count_answer(State)
                ;   etalis_feed:open_instant(State, Row, End)
                )
            ;   (   etalis_feed:rows_answer(Rows, State, Row, End, Found)
                ;   etalis_feed:open_instant(State, Row, End)
                )
            )
        ;   End < Clock
        ->  etalis_feed:late_row(OnLate, State, Row, Found)
        )
)).

%   one_fired(+Way, +P, +S, +O, +Start, +End, -Answer): an instant of one occurrence.

driver_clause((
    one_fired(direct, P, S, O, Start, End, Answer) :-
        (   next_turn(Turn),
            Turn =< End
        ->  turn_stores(End)
        ;   true
        ),
        b_setval(etalis_instant, instant(End, [occ(S,P,O,Start)], 0, 0, 0)),
        fire(P, S, O, Start, End, Answer)
)).
driver_clause((
    one_fired(heard(M, Background), P, S, O, Start, End, Answer) :-
        etalis_heard_occurrences:heard_occurrences(M, Background, S, P, O, Start, Heard),
        Heard \== [],
        (   next_turn(Turn),
            Turn =< End
        ->  turn_stores(End)
        ;   true
        ),
        b_setval(etalis_instant, instant(End, Heard, 0, 0, 0)),
        fired(Heard, End, Answer)
)).

%   fired(+Occurrences, +End, -Answer): an instant of several.

driver_clause((
    fired([occ(S,P,O,Start)|Occurrences], End, Answer) :-
        (   fire(P, S, O, Start, End, Answer)
        ;   fired(Occurrences, End, Answer)
        )
)).

%!  link_triggers(+Engine) is det.
%
%   An occurrence finds its patterns by clause indexing on its predicate, or its class: fire(P, S, O, Start, End,
%   Answer) tries the kinds of triggers that there are.

link_triggers(M) :-
    retractall(M:fire(_,_,_,_,_,_)),
    forall(( kind_of_trigger(Trigger, Clause),
             predicate_property(M:Trigger, number_of_clauses(Count)),
             Count > 0
           ),
           assertz(M:Clause)).

kind_of_trigger(trigger(_,_,_,_,_,_), (
    fire(P, S, O, Start, End, Answer) :-
        trigger(P, S, O, Start, End, Answer)
)).
kind_of_trigger(type_trigger(_,_,_,_,_), (
    fire('http://www.w3.org/1999/02/22-rdf-syntax-ns#type', S, Class, Start, End, Answer) :-
        type_trigger(Class, S, Start, End, Answer)
)).
kind_of_trigger(any_trigger(_,_,_,_,_,_), (
    fire(P, S, O, Start, End, Answer) :-
        any_trigger(P, S, O, Start, End, Answer)
)).
