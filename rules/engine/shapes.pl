:- module(etalis_shapes,
          [ no_shapes/1,                % -Shapes
            shaped/4,                   % +Clause, -Shaped, +Shapes0, -Shapes
            all_shapes/2                % +Shapes, -InOrder
          ]).
:- use_module(library(assoc), [assoc_to_list/2, empty_assoc/1, get_assoc/3, put_assoc/4]).
:- use_module(library(pairs), [pairs_values/2, transpose_pairs/2]).

/** <module> What clauses for the machine have in common

Many queries differ in constants alone: in an IRI, a literal, the store of their goals, their number. Clauses of machine.pl
that do so share one shape, in which each of these is a register behind those of the clause. The clause itself is no more
than what the machine puts into these, so the rules of thousands of queries take little of the processor's caches.
*/

%!  no_shapes(-Shapes) is det.

no_shapes(shapes(0, Known)) :-
    empty_assoc(Known).

%!  shaped(+Clause, -Shaped, +Shapes0, -Shapes) is det.
%
%   Shaped is of(Number, Constants): the shape's number, and what is in its last registers, each k(Term), store(Store) or
%   number(Number).

shaped(clause(Registers,Ins,Outs,Goals), of(Number,Constants), shapes(Count0,Known0), shapes(Count,Known)) :-
    general(Ins-Outs-Goals, GeneralIns-GeneralOuts-GeneralGoals, Registers, All, Constants, []),
    Shape = shape(Registers, All, GeneralIns, GeneralOuts, GeneralGoals),
    (   get_assoc(Shape, Known0, Number)
    ->  Count = Count0,
        Known = Known0
    ;   Number = Count0,
        Count is Count0 + 1,
        put_assoc(Shape, Known0, Number, Known)
    ).

%!  all_shapes(+Shapes, -InOrder) is det.
%
%   By their numbers from 0: shape(Own, All, Ins, Outs, Goals), with the number of registers without and with constants.

all_shapes(shapes(_, Known), InOrder) :-
    assoc_to_list(Known, Pairs),
    transpose_pairs(Pairs, Numbered),
    pairs_values(Numbered, InOrder).

%   general(+Term, -General, +Next0, -Next, -Constants, ?Rest): Next0 is the next register.

general(Term, General, Next0, Next, Constants, Rest) :-
    (   constant(Term, Constant, Register, Made)
    ->  Register = Next0,
        Next1 is Next0 + 1,
        Constants = [Constant|More],
        inside(Made, General, Next1, Next, More, Rest)
    ;   inside(Term, General, Next0, Next, Constants, Rest)
    ).

inside(Term, General, Next0, Next, Constants, Rest) :-
    (   compound(Term),
        \+ is_fixed(Term)
    ->  compound_name_arguments(Term, Name, Arguments0),
        all_general(Arguments0, Arguments, Next0, Next, Constants, Rest),
        compound_name_arguments(General, Name, Arguments)
    ;   General = Term,
        Next = Next0,
        Constants = Rest
    ).

all_general([], [], Next, Next, Constants, Constants).
all_general([Term|Terms], [General|Generals], Next0, Next, Constants, Rest) :-
    general(Term, General, Next0, Next1, Constants, More),
    all_general(Terms, Generals, Next1, Next, More, Rest).

%   constant(+Term, -Constant, ?Register, -General): General is Term with Register for Constant.

constant(k(Term), k(Term), Register, r(Register)) :-
    Term \== [].                        % the machine knows the end of a set by it
constant(find(Way,Store,Columns), store(Store), Register, find(Way,Register,Columns)).
constant(insert(Store,Columns), store(Store), Register, insert(Register,Columns)).
constant(forget(Store,Columns), store(Store), Register, forget(Register,Columns)).
constant(renew(Store,Columns,I), store(Store), Register, renew(Register,Columns,I)).
constant(empty(Store), store(Store), Register, empty(Register)).
constant(limited(Store), store(Store), Register, limited(Register)).
constant(answer(Query,Start,Columns), number(Query), Register, answer(Register,Start,Columns)).
constant(ranked(Query,Start,Rank,Columns), number(Query), Register, ranked(Register,Start,Rank,Columns)).
constant(ask(Query,Start), number(Query), Register, ask(Register,Start)).

%   Streams that triples come into are looked at when the program is read.

is_fixed(k(_)).
is_fixed(default(_)).
is_fixed(named(_)).
