:- module(etalis_machine_terms,
          [ is_known/2,                 % +Register, +Known
            operand/3,                  % +Term, +Known, -Operand
            known_operand/3,            % +Term, +Known, -Operand
            must_be_constant/1,         % +Term
            is_made/1,                  % +Term
            sum/3,                      % +Expression, +Known, -Sum
            template/3,                 % +Term, +Known, -Template
            known_column/3,             % +Known, +Term, -Column
            columns/4                   % +Arguments, +Known0, -Known, -Columns
          ]).
:- use_module(library(apply), [maplist/3]).

/** <module> Terms of rules for the machine

A variable of a rule is a register r(Number); Known is a set of bits, of those that have a value. What the machine cannot do
is thrown: needs_prolog(Why).
*/

%!  is_known(+Register, +Known) is semidet.
%
%   The register of that number has a value.

is_known(I, Known) :-
    Known /\ 1<<I =\= 0.

%!  operand(+Term, +Known, -Operand) is semidet.
%!  known_operand(+Term, +Known, -Operand) is det.
%
%   The term is known: it is a register that has a value, or a constant k(Term).
%
%   @throws needs_prolog(Term) for a compound of registers; known_operand/3 also for what is not known

operand(r(I), Known, Operand) =>
    is_known(I, Known),
    Operand = r(I).
operand(Term, _, Operand) =>
    must_be_constant(Term),
    Operand = k(Term).

%!  must_be_constant(+Term) is det.
%
%   @throws needs_prolog(Term), it has registers

must_be_constant(Term) :-
    (   has_register(Term)
    ->  throw(needs_prolog(Term))
    ;   true
    ).

has_register(r(I)) :-
    integer(I),
    !.
has_register(Term) :-
    compound(Term),
    arg(_, Term, Argument),
    has_register(Argument),
    !.

known_operand(Term, Known, Operand) :-
    (   operand(Term, Known, Found)
    ->  Operand = Found
    ;   throw(needs_prolog(unknown(Term)))
    ).

%!  is_made(+Term) is semidet.
%
%   A compound of registers.

is_made(Term) :-
    compound(Term),
    Term \= r(_),
    has_register(Term).

%!  sum(+Expression, +Known, -Sum) is det.
%
%   What the machine computes: numbers, registers, and differences, remainders and extremes of these.

sum(r(I), Known, Sum) =>
    known_operand(r(I), Known, Sum).
sum(Number, _, Sum), integer(Number), abs(Number) < 1<<63 =>
    Sum = Number.
sum(-(A), Known, Sum) =>
    Sum = 0 - X,
    sum(A, Known, X).
sum(A - B, Known, Sum) =>
    Sum = X - Y,
    sum(A, Known, X),
    sum(B, Known, Y).
sum(A + B, Known, Sum) =>
    Sum = X - Minus,
    sum(A, Known, X),
    ( integer(B) -> Opposite is -B ; Opposite = -(B) ),
    sum(Opposite, Known, Minus).
sum(mod(A, Period), Known, Sum), integer(Period), Period > 0, Period < 1<<60 =>
    Sum = mod(X, Period),
    sum(A, Known, X).
sum(A div Length, Known, Sum), integer(Length), Length > 0, Length < 1<<60 =>
    Sum = div(X, Length),
    sum(A, Known, X).
sum(min(A, B), Known, Sum) =>
    Sum = min(X, Y),
    sum(A, Known, X),
    sum(B, Known, Y).
sum(max(A, B), Known, Sum) =>
    Sum = max(X, Y),
    sum(A, Known, X),
    sum(B, Known, Y).
sum(Expression, _, _) =>
    throw(needs_prolog(Expression)).

%!  template(+Term, +Known, -Template) is det.
%
%   What a term is made by: n(Name, Templates) for a compound of registers, else an operand.

template(Term, Known, Template) :-
    (   is_made(Term)
    ->  Term =.. [Name|Arguments],
        Template = n(Name, Templates),
        maplist(template_of(Known), Arguments, Templates)
    ;   known_operand(Term, Known, Template)
    ).

template_of(Known, Term, Template) :-
    template(Term, Known, Template).

%!  known_column(+Known, +Term, -Column) is det.
%!  columns(+Arguments, +Known0, -Known, -Columns) is det.
%
%   What a goal is given, in(Operand), what it gives, out(Register), and what is both, check(Register). What is not known is
%   after it.

known_column(Known, Term, in(Operand)) :-
    known_operand(Term, Known, Operand).

columns(Arguments, Known0, Known, Columns) :-
    columns(Arguments, Known0, Known0, Known, Columns).

columns([], _, Known, Known, []).
columns([Argument|Arguments], Before, Known0, Known, [Column|Columns]) :-
    column(Argument, Before, Known0, Known1, Column),
    columns(Arguments, Before, Known1, Known, Columns).

column(r(I), Before, Known0, Known, Column) =>
    (   is_known(I, Before)
    ->  Column = in(r(I)), Known = Known0
    ;   is_known(I, Known0)
    ->  Column = check(I), Known = Known0
    ;   Column = out(I), Known is Known0 \/ 1<<I
    ).
column(Term, _, Known0, Known, Column) =>
    Known = Known0,
    Column = in(k(Term)),
    must_be_constant(Term).
