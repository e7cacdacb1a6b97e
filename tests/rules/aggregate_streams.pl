:- module(test_aggregate_streams,
          [ rows/5,                     % +KeyCount, +Aggregates, +Window, +Steps, -Rows
            new_engine/1,               % -Engine
            drop_engine/1,              % +Engine
            do_step/3,                  % +Engine, +Step, -Outcome
            rows_now/3,                 % +Engine, ?Key, -Rows
            row/3                       % +Key, +Values, -Row
          ]).
:- use_module(notation).
:- use_module('../../rules/aggregates/aggregates').
:- use_module('../../rules/stores/goal_store', [close_stores/1, open_stores/1]).
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).

/** <module> Windows in tests: what comes in, and what rows there are then

The solutions of a step are Key/Value (or Value, where there is no key), or Start:Key/Value of those that start
before they end. A value is in the notation of notation.pl; a list stands for the arguments of several aggregates.
Rows of one group are its values; of groups with keys, Key=Values.
*/

%!  rows(+KeyCount, +Aggregates, +Window, +Steps, -Outcomes) is det.
%
%   What the steps give, one after the other, see do_step/3.

rows(KeyCount, Aggregates, Window, Steps, Outcomes) :-
    setup_call_cleanup(
        new_engine(M),
        ( declare_group(M:means, KeyCount, Aggregates, Window),
          findall(Outcome, ( member(Step, Steps), do_step(M, Step, Outcome) ), Outcomes)
        ),
        drop_engine(M)).

%!  new_engine(-Engine) is det.

new_engine(M) :-
    gensym(test_engine, M),
    set_module(M:class(temporary)),
    open_stores(M).

%!  drop_engine(+Engine) is det.

drop_engine(M) :-
    close_stores(M),
    '$destroy_module'(M).

%!  do_step(+Engine, +Step, -Outcome) is det.
%
%   Step is one of `load(Solutions)`, `Time+Solutions` (they come, the instant is settled; the outcome is
%   all rows), `add(Time, Solutions)` and `Time` (it is settled). Fails where there is no outcome.

do_step(M, load(Solutions), _) =>
    forall(member(Short, Solutions),
           ( solution(Short, 0, _, Key, Args), group_load(M:means, Key, Args) )),
    fail.
do_step(M, add(Time, Solutions), _) =>
    forall(member(Short, Solutions),
           ( solution(Short, Time, Start, Key, Args), group_add(M:means, Start, Time, Key, Args) )),
    fail.
do_step(M, Time+Solutions, Rows) =>
    \+ do_step(M, add(Time, Solutions), _),
    do_step(M, Time, Rows).
do_step(M, Time, Rows) =>
    group_settle(M:means, Time),
    rows_now(M, _, Rows).

solution(Start0:Short, _, Start, Key, Args), integer(Start0) =>
    Start = Start0,
    solution(Short, Start, _, Key, Args).
solution(Keys/Short, End, Start, Key, Args) =>
    Start = End,
    short_key(Keys, Key),
    arguments(Short, Args).
solution(Short, End, Start, Key, Args) =>
    Start = End,
    Key = key,
    arguments(Short, Args).

short_key(Short, Key) :-
    (   is_list(Short)
    ->  maplist(term, Short, Keys)
    ;   term(Short, Term), Keys = [Term]
    ),
    compound_name_arguments(Key, key, Keys).

arguments([], Args) =>
    Args = args.
arguments(Short, Args) =>
    (   is_list(Short)
    ->  maplist(term, Short, Terms)
    ;   term(Short, Term), Terms = [Term]
    ),
    Args =.. [args|Terms].

%!  rows_now(+Engine, ?Key, -Rows) is det.
%
%   The rows whose key unifies with Key, in standard order; the one row, where there are no keys.

rows_now(M, Key, Rows) :-
    findall(Key-Row, ( group_row(M:means, Key, Values), row(Key, Values, Row) ), Unsorted),
    (   Unsorted = [key-Only]
    ->  Rows = Only
    ;   pairs_values(Unsorted, All),
        msort(All, Rows)
    ).

%!  row(+Key, +Values, -Row) is det.

row(Key, Values, Row) :-
    compound_name_arguments(Values, values, Terms),
    maplist(short_value, Terms, Shorts),
    ( Shorts = [Short] -> true ; Short = Shorts ),
    (   Key == key
    ->  Row = Short
    ;   Key =.. [key|Keys],
        maplist(short_value, Keys, ShortKeys),
        ( ShortKeys = [ShortKey] -> true ; ShortKey = ShortKeys ),
        Row = (ShortKey = Short)
    ).

%   Integers, which most values are, as numbers.

short_value('$unbound', Short) => Short = unbound.
short_value(Number^^'http://www.w3.org/2001/XMLSchema#integer', Short), integer(Number) => Short = Number.
short_value(Term, Short) => short(Term, Short).
