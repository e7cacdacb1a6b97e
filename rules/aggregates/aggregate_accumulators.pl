:- module(etalis_aggregate_accumulators,
          [ no_members/3,               % +Keep, +Number, -Accumulator
            member_comes/6,             % +Keep, +Store, +Place, +Args, +Accumulator0, -Accumulator
            member_goes/6,              % +Keep, +Store, +Place, +Args, +Accumulator0, -Accumulator
            result/5                    % +Keep, +Store, +Accumulator, +Function, -Value
          ]).
:- use_module(aggregate_distinct, [value_comes/4, value_goes/3]).
:- use_module(aggregate_extremes, [extreme_in/6, extreme_of/2, extreme_out/5, no_extreme/2]).
:- use_module(aggregate_numbers, [average_of/2, count_in/3, count_out/3, no_numbers/1, sum_of/2]).
:- use_module(aggregate_queues, [queue_get/4, queue_put/4, queue_take/4]).
:- use_module(aggregate_texts, [joined/5, no_texts/2, text_in/6, text_out/4]).
:- use_module('../sparql/datatypes', [op(_, _, ^^)]).
:- use_module(library(macros)).

#import('../sparql/datatypes').

/** <module> One aggregate of one group, kept up to date

What is kept (see aggregate_plan.pl) changes with each solution that comes into the window or leaves it, at a
cost that does not depend on how many are in it. Solutions leave in the order in which they came; Place is a
solution's place in that order, or `lasting` for one that never leaves: it leaves nothing behind that would be
needed to take it out again. Queues and values are in Store, a trie.

An accumulator is a count, or a term of aggregate_numbers.pl, aggregate_extremes.pl or aggregate_texts.pl;
with DISTINCT, distinct(Table, Accumulator) of those solutions that brought a new value. A sample is the first
bound value: first(Queue, First, Last, Lasting), a queue of Place-Value.
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

:- det((no_members/3, member_comes/6, member_goes/6, result/5)).

%!  no_members(+Keep, +Number, -Accumulator) is det.
%
%   Number is that of the accumulator's queue and table of values, unique in its store.

no_members(keep(texts, _, _), Number, Accumulator) =>
    no_texts(Number, Accumulator).
no_members(keep(Kind, true, _), Number, Accumulator) =>
    Accumulator = distinct(Number, Inner),
    nothing(Kind, Number, Inner).
no_members(keep(Kind, false, _), Number, Accumulator) =>
    nothing(Kind, Number, Accumulator).

nothing(count, _, Accumulator) => Accumulator = 0.
nothing(numbers, _, Accumulator) => no_numbers(Accumulator).
nothing(first, Number, Accumulator) => Accumulator = first(Number, 1, 0, '$unbound').
nothing(_, Number, Accumulator) => no_extreme(Number, Accumulator).

%!  member_comes(+Keep, +Store, +Place, +Args, +Accumulator0, -Accumulator) is det.

member_comes(keep(numbers, false, Argument), _, _, Args, Numbers0, Numbers) =>
    arg(Argument, Args, Value),
    count_in(Value, Numbers0, Numbers).
member_comes(keep(count, false, all), _, _, _, Count0, Count) =>
    Count is Count0 + 1.
member_comes(keep(Kind, Distinct, Argument), Store, Place, Args, Accumulator0, Accumulator) =>
    argument(Argument, Args, Value),
    comes(Kind, Distinct, Store, Place, Value, Accumulator0, Accumulator).

argument(all, Args, Value) => Value = Args.
argument(Number, Args, Value) => arg(Number, Args, Value).

comes(texts, Distinct, Store, Place, Value, Accumulator0, Accumulator) =>
    text_in(Distinct, Store, Place, Value, Accumulator0, Accumulator).
comes(Kind, true, Store, Place, Value, distinct(Table, Inner0), Accumulator) =>
    Accumulator = distinct(Table, Inner),
    (   value_comes(Store, Table, Place, Value)
    ->  comes(Kind, false, Store, Place, Value, Inner0, Inner)
    ;   Inner = Inner0
    ).
comes(count, _, _, _, Value, Count0, Count) =>
    (   Value == '$unbound'
    ->  Count = Count0
    ;   Count is Count0 + 1
    ).
comes(numbers, _, _, _, Value, Numbers0, Numbers) =>
    count_in(Value, Numbers0, Numbers).
comes(first, _, Store, Place, Value, First0, First) =>
    first_in(Value, Store, Place, First0, First).
comes(Which, _, Store, Place, Value, Extreme0, Extreme) =>
    extreme_in(Which, Store, Place, Value, Extreme0, Extreme).

first_in('$unbound', _, _, First0, First) =>
    First = First0.
first_in(Value, _, lasting, first(Q, F, L, '$unbound'), First) =>
    First = first(Q, F, L, Value).
first_in(Value, Store, Place, first(Q, F, L0, '$unbound'), First) =>
    L is L0 + 1,
    queue_put(Store, Q, L, Place-Value),
    First = first(Q, F, L, '$unbound').
first_in(_, _, _, First0, First) =>
    First = First0.

%!  member_goes(+Keep, +Store, +Place, +Args, +Accumulator0, -Accumulator) is det.

member_goes(keep(numbers, false, Argument), _, _, Args, Numbers0, Numbers) =>
    arg(Argument, Args, Value),
    count_out(Value, Numbers0, Numbers).
member_goes(keep(count, false, all), _, _, _, Count0, Count) =>
    Count is Count0 - 1.
member_goes(keep(Kind, Distinct, Argument), Store, Place, Args, Accumulator0, Accumulator) =>
    argument(Argument, Args, Value),
    goes(Kind, Distinct, Store, Place, Value, Accumulator0, Accumulator).

goes(texts, _, Store, _, Value, Accumulator0, Accumulator) =>
    text_out(Store, Value, Accumulator0, Accumulator).
goes(Kind, true, Store, Place, Value, distinct(Table, Inner0), Accumulator) =>
    Accumulator = distinct(Table, Inner),
    (   value_goes(Store, Table, Value)
    ->  goes(Kind, false, Store, Place, Value, Inner0, Inner)
    ;   Inner = Inner0
    ).
goes(count, _, _, _, Value, Count0, Count) =>
    (   Value == '$unbound'
    ->  Count = Count0
    ;   Count is Count0 - 1
    ).
goes(numbers, _, _, _, Value, Numbers0, Numbers) =>
    count_out(Value, Numbers0, Numbers).
goes(first, _, Store, _, Value, First0, First) =>
    first_out(Value, Store, First0, First).
goes(_, _, Store, Place, Value, Extreme0, Extreme) =>
    extreme_out(Store, Place, Value, Extreme0, Extreme).

first_out(Value, Store, first(Q, F0, L, '$unbound'), First), Value \== '$unbound' =>
    queue_take(Store, Q, F0, _),
    F is F0 + 1,
    First = first(Q, F, L, '$unbound').
first_out(_, _, First0, First) =>
    First = First0.

%!  result(+Keep, +Store, +Accumulator, +Function, -Value) is det.
%
%   Function is one of those that read what Keep keeps. Value is '$unbound' for an error.

result(keep(texts, Distinct, _), Store, Texts, group_concat(Separator), Value) =>
    joined(Store, Separator, Distinct, Texts, Value).
result(Keep, Store, distinct(_, Inner), Function, Value) =>
    result(Keep, Store, Inner, Function, Value).
result(_, _, Count, count, Value) =>
    Value = Count^^ #xsd(integer).
result(_, _, Numbers, sum, Value) =>
    sum_of(Numbers, Value).
result(_, _, Numbers, avg, Value) =>
    average_of(Numbers, Value).
result(_, Store, first(Q, First, Last, Lasting), sample, Value) =>
    (   First > Last
    ->  Value = Lasting
    ;   queue_get(Store, Q, First, _-Value)
    ).
result(_, _, Extreme, _, Value) =>
    extreme_of(Extreme, Value).
