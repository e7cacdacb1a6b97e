:- module(etalis_machine,
          [ machine/2,                  % +Engine, -Machine
            forget_machine/1            % +Engine
          ]).
:- use_module(library(aggregate), [aggregate_all/3]).
:- use_module(library(apply), [foldl/4, foldl/5, maplist/2, maplist/3]).
:- use_module(library(lists), [append/3, max_list/2, member/2, nth0/3, same_length/2]).
:- use_module(library(pairs), [pairs_values/2]).
:- use_module(library(occurs), [sub_term/2]).
:- use_module(instant, [never/1]).
:- use_module(limits, [limit_of/3]).
:- use_module(places, [default_stream/1]).
:- use_module(shapes, [all_shapes/2, no_shapes/1, shaped/4]).
:- use_module(machine_calls, [background_goal/1, in_background/5, prolog_goal/3, user_goal/4]).
:- use_module(machine_simpler, [simpler/3]).
:- use_module(machine_terms, [is_known/2, operand/3, known_operand/3, must_be_constant/1, is_made/1, sum/3, template/3,
                              known_column/3, columns/4]).
:- use_module(library(macros)).

#import('../background/rdfs_names').

/** <module> Rules made ready to run without Prolog

The rules of an engine, linked (link.pl), are what rules/native/machine.c can run, if they do no more than look at
times, keep and find goals, compare terms, call one another, wait for the end of the instant, give rows and triples, and
call predicates that only tell something or are the user's, or look into the background (machine_calls.pl). Then no rule needs Prolog. Else, all of them are run by Prolog, as they stand; both work on the
same stores, so one may go on where the other stopped.

Each variable of a rule becomes a register r(Number). Which of them are known when a goal is run can be said from the
order of goals, since all that a trigger is given is known: Known is a set of bits, -1 after a goal that fails. So
there is one predicate for each way in which another's arguments are known, compiled when it is called first.

The engine's module holds machine(Machine), Machine `none` where rules have to be run by Prolog.
*/

%!  machine(+Engine, -Machine) is semidet.
%
%   The machine for the engine's rules as they are now. Fails if they need Prolog.

:- dynamic is_off/0.                    % tests look at what Prolog does

machine(M, Machine) :-
    \+ is_off,
    (   predicate_property(M:machine(_), dynamic),
        M:machine(Known)
    ->  true
    ;   new_machine_of(M, Known),
        dynamic(M:machine/1),
        assertz(M:machine(Known))
    ),
    Known \== none,
    Machine = Known.

%!  forget_machine(+Engine) is det.
%
%   The engine's rules change, or go.

forget_machine(M) :-
    (   predicate_property(M:machine(_), dynamic),
        retract(M:machine(Machine)),
        Machine \== none
    ->  delete_machine(Machine)
    ;   true
    ).

new_machine_of(M, Machine) :-
    M:goal_stores(Stores),
    (   suits(M),
        catch(program(M, Program), needs_prolog(_), fail)
    ->  ( M:entailment(_) -> Hears = true ; Hears = false ),
        new_machine(M, Stores, Program, Hears, Machine)
    ;   Machine = none
    ).

%   What the walk of Prolog does besides.

suits(M) :-
    \+ M:always_due(_),
    \+ M:at(_),
    \+ ( clause(M:plans_ahead(_), Body), Body \== true ),
    \+ clause(M:tuple_trigger(_, _, _, _, _), _),
    \+ current_predicate(M:profile_state/1).

% ---- programs -------------------------------------------------------------------------------------------------

:- thread_local known_predicate/4.      % Name/Arity, Mode, Number, Clauses once they are compiled
:- thread_local known_slice/2.          % Name, Number: of LIMIT and OFFSET

program(M, Program) :-
    forget_program,
    call_cleanup(program_of(M, Program), forget_program).

forget_program :-
    retractall(known_predicate(_, _, _, _)),
    retractall(known_slice(_, _)).

program_of(M, program(Predicates, Triggers, Settlements, limits(Derived, Answers), Steps, Shapes)) :-
    findall(Order-Name, M:settlement_order(Name, Order), Orders0),
    maplist(settled_when, Orders0, Orders1),
    msort(Orders1, Orders),
    pairs_values(Orders, Names),
    maplist(settlement(M), Names, Settlements),
    findall(Trigger, trigger(M, Names, Trigger), Triggers0),
    complete(M, Names),
    findall(Number-Clauses, known_predicate(_, _, Number, Clauses), Pairs0),
    keysort(Pairs0, Pairs),
    pairs_values(Pairs, Predicates0),
    M:derivation_limit(Derived),
    answer_limits(M, Predicates0-Triggers0, Answers),
    findall(Step, step(M, Names, Step), Steps),
    no_shapes(Shapes0),
    foldl(shaped_predicate, Predicates0, Predicates, Shapes0, Shapes1),
    foldl(shaped_trigger, Triggers0, Triggers, Shapes1, Shapes2),
    all_shapes(Shapes2, Shapes).

shaped_predicate(Clauses, Shaped, Shapes0, Shapes) :-
    foldl(shaped, Clauses, Shaped, Shapes0, Shapes).

shaped_trigger(trigger(Sight,P,O,Clause), trigger(Sight,P,O,Shaped), Shapes0, Shapes) :-
    shaped(Clause, Shaped, Shapes0, Shapes).

step(M, Names, step([Position],Length,Idle)) :-
    M:due_on_grid(Name, Length, none, Group, input),
    nth0(Position, Names, Name),
    ( Group == none -> Idle = none ; M:aggregate_declared(Group, _, Idle) ).
step(M, Names, deadline([Position],Length,Store)) :-
    M:due_at(Name, Store, Length),
    nth0(Position, Names, Name),
    ( Length < 1<<60 -> true ; throw(needs_prolog(Name)) ).
step(M, Names, grid([Position],Period,Store,First,End)) :-
    M:due_on_grid(Name, Period, First, StoreName, Lasts),
    Lasts \== input,
    nth0(Position, Names, Name),
    M:goal_store(StoreName, _, Store, _),
    ( Lasts = always(Times) -> M:goal_store(Times, _, End, _) ; End = Lasts ),
    ( Period < 1<<60, ( First == none -> true ; abs(First) < 1<<60 ) -> true ; throw(needs_prolog(Name)) ).
step(M, Names, moment(Positions,0,Store)) :-
    M:change_store(_, Query, Store, _),
    positions_on_change(M, Names, Query, Store, Positions).

positions_on_change(M, Names, Query, Store, Positions) :-
    findall(Position,
            (   ( M:change_store(Name, Query, Store, _) ; M:due_on_change(Name, Query) ),
                nth0(Position, Names, Name)
            ),
            All),
    sort(All, Positions).

%   answer_limits(+M, +Rules, -Limits): the limit of each query that the Rules answer, by its number from 0, -1 for none.

answer_limits(M, Rules, Limits) :-
    (   M:answer_limit(_, _)
    ->  findall(Query, answered(Rules, Query), Queries),
        max_list([0|Queries], Last),
        findall(Limit,
                ( between(0, Last, Query), ( limit_of(M, Query, Own) -> Limit = Own ; Limit = -1 ) ),
                Limits)
    ;   Limits = []
    ).

answered(Rules, Query) :-
    sub_term(Goal, Rules),
    compound(Goal),
    (   Goal = answer(Query, _, _)
    ;   Goal = ranked(Query, _, _, _)
    ;   Goal = ask(Query, _)
    ;   Goal = construct(Query, _, _, _)
    ).

%   Orders above 0 come first.

settled_when(Order-Name, When-Name) :-
    (   Order > 0
    ->  When = 0/Order
    ;   When = 1/Least,
        Least is -Order
    ).

settlement(M, Name, Number) :-
    predicate(M, Name/2, [in,out], Number).

trigger(M, Names, trigger(anywhere, Predicate, Object, Clause)) :-
    anywhere(M, S, P, O, Start, End, Answer, Body),
    trigger_of(M, Names, S, P, O, Start, End, [], Answer, Body, Predicate, Object, Clause).
trigger(M, Names, trigger(Sight, Predicate, Object, Clause)) :-
    placed(M, S, P, O, Start, End, Place, Answer, Body),
    Place =.. [Sight|Names0],
    trigger_of(M, Names, S, P, O, Start, End, Names0, Answer, Body, Predicate, Object, Clause).

anywhere(M, S, P, O, Start, End, Answer, Body) :-
    clause(M:trigger(P, S, O, Start, End, Answer), Body).
anywhere(M, S, #rdf(type), O, Start, End, Answer, Body) :-
    clause(M:type_trigger(O, S, Start, End, Answer), Body).
anywhere(M, S, P, O, Start, End, Answer, Body) :-
    clause(M:any_trigger(P, S, O, Start, End, Answer), Body).

placed(M, S, P, O, Start, End, Place, Answer, Body) :-
    clause(M:placed_trigger(P, S, O, Start, End, Place, Answer), Body).
placed(M, S, #rdf(type), O, Start, End, Place, Answer, Body) :-
    clause(M:placed_type_trigger(O, S, Start, End, Place, Answer), Body).
placed(M, S, P, O, Start, End, Place, Answer, Body) :-
    clause(M:placed_any_trigger(P, S, O, Start, End, Place, Answer), Body).

trigger_of(M, Names, S, P, O, Start, End, Places, Answer, Body, Predicate, Object, Clause) :-
    ( var(P) -> Predicate = any ; Predicate = k(P) ),
    ( var(O) -> Object = any ; Object = k(O) ),
    Ins = [S,P,O,Start,End|Places],
    append(Ins, [Answer], Arguments),
    maplist(in, Ins, Modes),
    append(Modes, [out], Mode),
    compiled(M, Names, Arguments, Mode, Body, Clause).

in(_, in).

%   predicate(+M, +Indicator, +Mode, -Number): Mode says of each argument whether it is `in` or `out`.

predicate(_, Indicator, Mode, Number) :-
    known_predicate(Indicator, Mode, Number, _),
    !.
predicate(_, Indicator, Mode, Number) :-
    findall(Known, known_predicate(_, _, Known, _), All),
    length(All, Number),
    assertz(known_predicate(Indicator, Mode, Number, none)).

complete(M, Names) :-
    known_predicate(Name/Arity, Mode, Number, none),
    !,
    functor(Head, Name, Arity),
    Head =.. [_|Arguments],
    findall(Clause,
            ( clause(M:Head, Body), compiled(M, Names, Arguments, Mode, Body, Clause) ),
            Clauses),
    retract(known_predicate(Name/Arity, Mode, Number, none)),
    assertz(known_predicate(Name/Arity, Mode, Number, Clauses)),
    complete(M, Names).
complete(_, _).

%   compiled(+M, +Names, +Arguments, +Mode, +Body, -Clause): a clause for machine.c. Its variables are bound to registers.

compiled(M, Names, Arguments, Mode, Body, clause(Count, Ins, Outs, Goals)) :-
    term_variables(Arguments-Body, Variables),
    foldl(register, Variables, 0, Number),
    arguments(Arguments, Mode, 0, Known0, Ins, OutArguments),
    context(M, Names, Number, Context),
    goals(Body, Context, last, Known0, Known, All, []),
    outs(OutArguments, Known, Outs),
    simpler(All, Outs, Goals),
    Context = context(_, _, Counter),
    arg(1, Counter, Count).

register(r(Number), Number, Next) :-
    Next is Number + 1.

context(M, Names, Number, context(M, Names, counter(Number,0))).

arguments([], [], Known, Known, [], []).
arguments([Argument|Arguments], [in|Mode], Known0, Known, [In|Ins], Outs) :-
    head_argument(Argument, Known0, Known1, In),
    arguments(Arguments, Mode, Known1, Known, Ins, Outs).
arguments([Argument|Arguments], [out|Mode], Known0, Known, Ins, [Argument|Outs]) :-
    arguments(Arguments, Mode, Known0, Known, Ins, Outs).

head_argument(r(I), Known0, Known, Column) :-
    !,
    (   is_known(I, Known0)
    ->  Column = check(I), Known = Known0
    ;   Column = out(I), Known is Known0 \/ 1<<I
    ).
head_argument(Term, Known, Known, in(k(Term))) :-
    must_be_constant(Term).

outs([], _, []).
outs([Out|Outs], Known, [in(Operand)|Operands]) :-
    (   operand(Out, Known, Operand)
    ->  true
    ;   throw(needs_prolog(unknown(Out)))
    ),
    outs(Outs, Known, Operands).

% ---- goals ----------------------------------------------------------------------------------------------------

%   goals(+Body, +Context, +Place, +Known0, -Known, -Goals, ?Rest): Place is `last` if nothing follows in the rule.

goals((A,use_occurrences(Name,Used)), X, Place, Known0, Known, Goals, Rest) =>
    goals(A, X, Place, Known0, Known1, Goals, More),
    goals(use_occurrences(Name, Used), X, Place, Known1, Known, More, Rest).
goals(((A,B),C), X, Place, Known0, Known, Goals, Rest) =>
    goals((A,B,C), X, Place, Known0, Known, Goals, Rest).
goals(((A->B;C),D), X, Place, Known0, Known, Goals, Rest), bind_differently((A,B), C, X, Known0, D) =>
    goals((A->B,D;C,D), X, Place, Known0, Known, Goals, Rest).
goals(((A;B),C), X, Place, Known0, Known, Goals, Rest), bind_differently(A, B, X, Known0, C) =>
    goals((A,C;B,C), X, Place, Known0, Known, Goals, Rest).
goals((A,B), X, Place, Known0, Known, Goals, Rest) =>
    goals(A, X, inner, Known0, Known1, Goals, More),
    (   Known1 =:= -1                   % B is never reached
    ->  Known = Known1, More = Rest
    ;   goals(B, X, Place, Known1, Known, More, Rest)
    ).
goals(true, _, _, Known0, Known, Goals, Rest) =>
    Known = Known0, Goals = Rest.
goals((A->B;C), X, Place, Known0, Known, Goals, Rest) =>
    Goals = [if(If,Then,Else)|Rest],
    goals(A, X, inner, Known0, Known1, If, []),
    goals(B, X, Place, Known1, Known2, Then, []),
    goals(C, X, Place, Known0, Known3, Else, []),
    Known is Known2 /\ Known3.
goals((A->B), X, Place, Known0, Known, Goals, Rest) =>
    goals((A->B;fail), X, Place, Known0, Known, Goals, Rest).
goals((A*->B;C), X, Place, Known0, Known, Goals, Rest) =>
    Goals = [soft(If,Then,Else,Flag)|Rest],
    new_register(X, Flag),
    goals(A, X, inner, Known0, Known1, If, []),
    goals(B, X, Place, Known1, Known2, Then, []),
    goals(C, X, Place, Known0, Known3, Else, []),
    Known is Known2 /\ Known3.
goals((A;B), X, Place, Known0, Known, Goals, Rest) =>
    Goals = [either(One,Other)|Rest],
    goals(A, X, Place, Known0, Known1, One, []),
    goals(B, X, Place, Known0, Known2, Other, []),
    Known is Known1 /\ Known2.
goals(\+A, X, _, Known0, Known, Goals, Rest) =>
    Known = Known0,
    Goals = [not(Not)|Rest],
    goals(A, X, inner, Known0, _, Not, []).
goals(etalis_goals:add_solution(Groups,Start,End,Key,Args), X, _, Known0, Known, Goals, Rest) =>
    Key =.. [_|Keys],
    Args =.. [_|Arguments],
    append(Keys, Arguments, Terms),
    made_columns(Terms, X, Known0, Known, Columns, Goals, [add(Groups,Columns,Begin,Until)|Rest]),
    known_operand(Start, Known0, Begin),
    known_operand(End, Known0, Until).
goals(etalis_goals:Call, X, Place, Known0, Known, Goals, Rest), has_compounds(Call, Known0, X, Before, Flat, After) =>
    goals((Before,etalis_goals:Flat,After), X, Place, Known0, Known, Goals, Rest).
goals(note_change(Query,Name,Time), X, _, Known0, Known, Goals, Rest) =>
    Known = Known0,
    X = context(M, Names, _),
    new_register(X, Now),
    M:goal_store(Name, 1, Store, _),
    never(Never),
    known_operand(Time, Known0, Moment),
    positions_on_change(M, Names, Query, Store, Positions),
    findall(later(Position), member(Position, Positions), Settlements),
    Later = [test(<,Moment,Never),not([find(first,Store,[in(Moment)])]),insert(Store,[in(Moment)])],
    Goals = [now(Now),if([test(=:=,Moment,r(Now))],Settlements,[if(Later,[],[])])|Rest].
goals(input_ends(_), _, _, _, Known, Goals, Rest) =>     % it ends in Prolog (feed.pl)
    Known = -1, Goals = [fail|Rest].
goals(Call, context(M,_,_), _, _, Known, Goals, Rest), M:rule_head(Call), \+ M:has_rules(Call) =>
    Known = -1, Goals = [fail|Rest].    % the background has nothing that it would go on with
goals(!, _, _, Known0, Known, Goals, Rest) =>
    Known = Known0, Goals = [cut|Rest].
goals(fail, _, _, _, Known, Goals, Rest) =>
    Known = -1, Goals = [fail|Rest].
goals(Call, X, Place, Known0, Known, Goals, Rest), X = context(M, _, _), prolog_goal(M, Call, _), has_made(Call, Known0, X, Before, Flat, After) =>
    goals((Before,Flat,After), X, Place, Known0, Known, Goals, Rest).
goals(Call, X, Place, Known0, Known, Goals, Rest), unfolded(Call, X, Place, Body) =>
    goals(Body, X, Place, Known0, Known, Goals, Rest).
goals(Goal, X, Place, Known0, Known, Goals, Rest) =>
    Goals = [Made|Rest],
    goal(Goal, X, Place, Known0, Known, Made).

%   bind_differently(+A, +B, +Context, +Known, +Rest) is semidet: Rest speaks of something that only one of A and B makes known.

bind_differently(A, B, X, Known, Rest) :-
    A \= (_->_),
    A \= (_*->_),
    goals(A, X, inner, Known, Known1, _, []),
    goals(B, X, inner, Known, Known2, _, []),
    Known1 =\= -1,
    Known2 =\= -1,
    Different is Known1 xor Known2,
    sub_term(Register, Rest),
    Register = r(I),
    integer(I),
    is_known(I, Different),
    !.

%   has_compounds(+Call, +Known, +Context, -Before, -Flat, -After) is semidet: Call, of a store, has compounds of registers. Flat
%   has a register for each: what is known is made before, and what is not is taken apart after.

has_compounds(Call, Known, X, Before, Flat, After) :-
    functor(Call, Name, _),
    memberchk(Name, [goals,newest_goals,insert_goal,forget_goal,renew_goal]),
    has_made(Call, Known, X, Before, Flat, After).

%   has_made(+Call, +Known, +Context, -Before, -Flat, -After) is semidet: the same of any goal.

has_made(Call, Known, X, Before, Flat, After) :-
    Call =.. [Name|Arguments],
    member(Compound, Arguments),
    is_made(Compound),
    !,
    foldl(flat(Known, X), Arguments, Registers, true-true, Before-After),
    Flat =.. [Name|Registers].

flat(Known, X, Term, Register, Before0-After0, Before-After) :-
    (   \+ is_made(Term)
    ->  Register = Term, Before = Before0, After = After0
    ;   new_register(X, I),
        Register = r(I),
        (   sub_term(Part, Term),
            Part = r(J),
            integer(J),
            \+ is_known(J, Known)
        ->  Before = Before0, After = (r(I) = Term,After0)
        ;   Before = (r(I) = Term,Before0), After = After0
        )
    ).

%   unfolded(+Call, +Context, +Place, -Body) is semidet: the body of the only rule that there is for a call stands in its
%   place.

unfolded(Call, context(M,_,Counter), Place, Body) :-
    callable(Call),
    M:has_rules(Call),
    functor(Call, Name, Arity),
    functor(Head, Name, Arity),
    predicate_property(M:Head, number_of_clauses(1)),
    ( Place == last -> true ; \+ gives_answers(M, Call) ),
    arg(2, Counter, Unfolded),
    most_unfolded(Most),
    Unfolded < Most,
    clause(M:Head, Body),
    own_variables(Head, Call),
    \+ has_cut(Body),
    \+ ( sub_term(Inner, Body), compound(Inner), functor(Inner, Name, Arity) ),       % it would go on for ever
    Head = Call,
    Next is Unfolded + 1,
    nb_setarg(2, Counter, Next),
    term_variables(Body, Locals),
    maplist(new_register_of(Counter), Locals).

%   own_variables(+Head, +Call) is semidet: each argument of Head is a variable of its own, or what Call has there.

own_variables(Head, Call) :-
    Head =.. [_|Heads],
    Call =.. [_|Values],
    foldl(own_variable, Heads, Values, [], Variables),
    term_variables(Variables, Different),
    same_length(Variables, Different).

own_variable(Head, _, Variables0, Variables), var(Head) =>
    Variables = [Head|Variables0].
own_variable(Head, Value, Variables0, Variables) =>
    Head == Value,
    Variables = Variables0.

most_unfolded(100).

new_register_of(Counter, r(Number)) :-
    new_register(context(_,_,Counter), Number).

has_cut(!) :-
    !.
has_cut(Body) :-
    compound(Body),
    arg(_, Body, Part),
    nonvar(Part),
    has_cut(Part),
    !.

new_register(context(_, _, Counter), Number) :-
    arg(1, Counter, Number),
    Next is Number + 1,
    nb_setarg(1, Counter, Next).

goal(A < B, _, _, Known0, Known, Goal) => test(<, A, B, Known0, Known, Goal).
goal(A =< B, _, _, Known0, Known, Goal) => test(=<, A, B, Known0, Known, Goal).
goal(A > B, _, _, Known0, Known, Goal) => test(>, A, B, Known0, Known, Goal).
goal(A >= B, _, _, Known0, Known, Goal) => test(>=, A, B, Known0, Known, Goal).
goal(A =:= B, _, _, Known0, Known, Goal) => test(=:=, A, B, Known0, Known, Goal).
goal(r(I) is Expression, _, _, Known0, Known, Goal), \+ is_known(I, Known0) =>
    Goal = set(I, Sum),
    sum(Expression, Known0, Sum),
    Known is Known0 \/ 1<<I.
goal(A == B, _, _, Known0, Known, Goal) =>
    Known = Known0,
    Goal = same(X, Y),
    known_operand(A, Known0, X),
    known_operand(B, Known0, Y).
goal(A \== B, _, _, Known0, Known, Goal) =>
    Known = Known0,
    Goal = different(X, Y),
    known_operand(A, Known0, X),
    known_operand(B, Known0, Y).
goal(r(I) = a(Start,Query,Row), _, last, Known0, Known, Goal), \+ is_known(I, Known0), functor(Row, row, _) =>
    Row =.. [_|Columns],
    known_operand(Start, Known0, Begin),
    maplist(known_column(Known0), Columns, Cells),
    Goal = answer(Query, Begin, Cells),
    Known is Known0 \/ 1<<I.
goal(r(I) = a(Start,Query,ask), _, last, Known0, Known, Goal), \+ is_known(I, Known0) =>
    known_operand(Start, Known0, Begin),
    Goal = ask(Query, Begin),
    Known is Known0 \/ 1<<I.
goal(r(I) = a(Start,Query,triples([t(S,P,O)])), _, last, Known0, Known, Goal), \+ is_known(I, Known0) =>
    known_operand(Start, Known0, Begin),
    maplist(known_column(Known0), [S,P,O], Columns),
    Goal = construct(Query, none, Begin, Columns),
    Known is Known0 \/ 1<<I.
goal(r(I) = o(Query,Rank,Start,Row), _, last, Known0, Known, Goal), \+ is_known(I, Known0) =>
    Row =.. [_|Columns],
    known_operand(Start, Known0, Begin),
    known_operand(Rank, Known0, Place),
    maplist(known_column(Known0), Columns, Cells),
    Goal = ranked(Query, Begin, Place, Cells),
    Known is Known0 \/ 1<<I.
goal(_ = Answer, _, _, _, _, _), is_answer(Answer) =>
    throw(needs_prolog(Answer)).
goal(findall(Row,Solution,r(I)), X, _, Known0, Known, Goal) =>
    goals(Solution, X, inner, Known0, Known1, Goals, []),
    Row =.. [_|Terms],
    maplist(known_column(Known1), Terms, Columns),
    Goal = collect(I, Goals, Columns),
    Known is Known0 \/ 1<<I.
goal(rows_in_order(Keys,r(I),r(J)), _, _, Known0, Known, Goal), is_known(I, Known0) =>
    maplist(row_key, Keys, Places),
    Goal = order(I, J, Places),
    Known is Known0 \/ 1<<J.
goal(iterations_in_order(r(I),r(J)), _, _, Known0, Known, Goal), is_known(I, Known0) =>
    Goal = order(I, J, []),
    Known is Known0 \/ 1<<J.
goal(member(Row,r(I)), _, _, Known0, Known, Goal), compound(Row) =>
    Row =.. [_|Terms],
    columns(Terms, Known0, Known, Columns),
    Goal = each(I, Columns).
goal(among_newest(Most,r(New),r(Kept),r(Come)), _, _, Known0, Known, Goal), is_known(New, Known0) =>
    Goal = newest(New, Most, [Kept,Come]),
    Known is Known0 \/ 1<<Kept \/ 1<<Come.
goal(whole_steps(Step,r(Came),r(Whole),r(Over),r(Count)), _, _, Known0, Known, Goal), is_known(Came, Known0) =>
    Goal = whole(Came, Step, [Whole,Over,Count]),
    Known is Known0 \/ 1<<Whole \/ 1<<Over \/ 1<<Count.
goal(between(1,Times,_), _, _, Known0, Known, Goal) =>
    Known = Known0,
    Goal = times(Operand),
    known_operand(Times, Known0, Operand).
goal(in_slice(Name,_,Offset,Limit), _, _, Known0, Known, Goal) =>
    Known = Known0,
    slice(Name, Number),
    ( Limit == none -> Most = -1 ; Most = Limit ),
    Goal = count(Number, Offset, Most).
goal(next_rank(r(I)), _, _, Known0, Known, Goal), \+ is_known(I, Known0) =>
    Goal = rank(I),
    Known is Known0 \/ 1<<I.
goal(given_element(_,Start,Streams), _, _, Known0, Known, Goal) =>
    Known = Known0,
    Goal = given(Begin, Columns),
    known_operand(Start, Known0, Begin),
    maplist(known_column(Known0), Streams, Columns).
goal(limited_runs(Name), context(M, _, _), _, Known0, Known, Goal), M:goal_store(Name, _, Store, _) =>
    Known = Known0,
    Goal = limited(Store).
goal(construct(Query,Stream,Start,_,Triples,r(I)), context(M, _, _), last, Known0, Known, Goal), \+ is_known(I, Known0) =>
    Goal = construct(Query, Adds, Begin, Columns),
    adding(M, Stream, Adds),
    known_operand(Start, Known0, Begin),
    findall(Term, ( member(Triple, Triples), arg(_, Triple, Term) ), Terms),
    maplist(known_column(Known0), Terms, Columns),
    Known is Known0 \/ 1<<I.
goal(fresh_blank_node(r(I)), context(M, _, _), _, Known0, Known, Goal), \+ is_known(I, Known0) =>
    Goal = prolog(etalis_machine_calls, fresh_node, [in(k(M)),out(I)]),
    Known is Known0 \/ 1<<I.
goal(A = B, _, _, Known0, Known, Goal) =>
    unification(A, B, Known0, Known, Goal).
goal(new_choice(r(I)), _, _, Known0, Known, Goal), \+ is_known(I, Known0) =>
    Goal = choice(I),
    Known is Known0 \/ 1<<I.
goal(decided_before(r(I), End), _, _, Known0, Known, Goal) =>
    Known = Known0,
    Goal = decided(I, Operand),
    known_operand(End, Known0, Operand).
goal(note_met(r(I)), _, _, Known0, Known, Goal) =>
    Known = Known0, Goal = meet(I).
goal(was_met(r(I)), _, _, Known0, Known, Goal) =>
    Known = Known0, Goal = met(I).
goal(keep_candidate(r(I),End,Rank,Partner), _, _, Known0, Known, Goal) =>
    Known = Known0,
    Goal = keep(I, Operand, Ranks, Columns),
    known_operand(End, Known0, Operand),
    Rank =.. [_|Ranks0],
    maplist(known_column(Known0), Ranks0, Ranks),
    Partner =.. [_|Columns0],
    maplist(known_column(Known0), Columns0, Columns).
goal(chosen(r(I),Partner), _, _, Known0, Known, Goal) =>
    Goal = chosen(I, Columns),
    Partner =.. [_|Columns0],
    columns(Columns0, Known0, Known, Columns).
goal(united(A,B,r(I)), _, _, Known0, Known, Goal), \+ is_known(I, Known0) =>
    Goal = unite(I, X, Y),
    known_operand(A, Known0, X),
    known_operand(B, Known0, Y),
    Known is Known0 \/ 1<<I.
goal(use_occurrences(Name,Used), context(_, Names, _), _, Known0, Known, Goal), nth0(Place, Names, Name) =>
    Known = Known0,
    Goal = use(Place, Operand),
    known_operand(Used, Known0, Operand).
goal(consume_occurrences(Name,Stores), context(_, Names, _), _, Known0, Known, Goal), nth0(Place, Names, Name) =>
    Known = Known0,
    Goal = consume(Place, Stores).
goal(etalis_goals:Call, _, _, Known0, Known, Goal) =>
    store_goal(Call, Known0, Known, Goal).
goal(settle_later(Name), context(_, Names, _), _, Known0, Known, Goal), nth0(Place, Names, Name) =>
    Known = Known0,
    Goal = later(Place).
goal(Call, context(M, _, _), Place, Known0, Known, Goal), M:has_rules(Call) =>
    functor(Call, Name, Arity),
    Call =.. [_|Arguments],
    columns(Arguments, Known0, Known, Columns),
    (   Place == last
    ->  true
    ;   gives_answers(M, Call)
    ->  throw(needs_prolog(Call))
    ;   true
    ),
    maplist(mode, Columns, Mode),
    predicate(M, Name/Arity, Mode, Number),
    Goal = call(Number, Columns).
goal(Call, context(M, _, _), _, Known0, Known, Goal), user_goal(Call, M, Name, Arguments) =>
    Goal = all(etalis_user_predicates, Name, Columns),
    columns(Arguments, Known0, Known, Columns).
goal(Call, context(M, _, _), _, Known0, Known, Goal), prolog_goal(M, Call, Module) =>
    functor(Call, Name, _),
    Call =.. [_|Arguments],
    Goal = prolog(Module, Name, Columns),
    columns(Arguments, Known0, Known, Columns).
goal(Call, context(M, _, _), _, Known0, Known, Goal), background_goal(Call) =>
    in_background(M, Call, Known0, Module, Look),
    functor(Look, Name, _),
    Look =.. [_|Arguments],
    Goal = every(Module, Name, Columns),
    columns(Arguments, Known0, Known, Columns).
goal(Call, _, _, _, _, _) =>
    throw(needs_prolog(Call)).

row_key(ascending(Place), Place).
row_key(descending(Place), Key) :-
    Key is -Place.

slice(Name, Number) :-
    (   known_slice(Name, Number)
    ->  true
    ;   aggregate_all(count, known_slice(_, _), Number),
        assertz(known_slice(Name, Number))
    ).

%   adding(+M, +Stream, -Adds): which patterns see triples that are derived into Stream.

adding(M, Stream, Adds), \+ asks_places(M) =>
    ( Stream == '' -> Adds = all ; Adds = none ).
adding(_, '', Adds) =>
    default_stream(Stream),
    Adds = default(k(place(Stream,''))).
adding(_, Stream, Adds) =>
    Adds = named(k(place(Stream,''))).

asks_places(M) :-
    placed(M, _, _, _, _, _, _, _, _),
    !.

is_answer(a(_,_,_)).
is_answer(o(_,_,_,_)).

%   The last argument of solutions and of what settles is their answer; what is behind it would be too late to refuse it.

gives_answers(M, Call) :-
    (   M:answering_head(Call)
    ->  true
    ;   functor(Call, Name, 2),
        M:settlement_order(Name, _)
    ).

mode(in(_), in).
mode(check(_), in).
mode(out(_), out).
mode(any, out).

test(Order, A, B, Known, Known, test(Order, X, Y)) :-
    sum(A, Known, X),
    sum(B, Known, Y).

unification(A, B, Known0, Known, Goal) :-
    (   A = r(I),
        \+ is_known(I, Known0)
    ->  (   is_made(B)
        ->  template(B, Known0, Template),
            Goal = make(I, Template)
        ;   known_operand(B, Known0, Operand),
            Goal = bind(I, Operand)
        ),
        Known is Known0 \/ 1<<I
    ;   B = r(_),
        \+ operand(B, Known0, _)
    ->  unification(B, A, Known0, Known, Goal)
    ;   is_made(B),
        A = r(_)
    ->  B =.. [Name|Parts],
        Goal = apart(A, Name, Columns),
        columns(Parts, Known0, Known, Columns)
    ;   known_operand(A, Known0, X),
        known_operand(B, Known0, Y),
        Goal = same(X, Y),
        Known = Known0
    ).

store_goal(Call, Known0, Known, Goal) :-
    Call =.. [Name,Store|Arguments],
    (   store_goal(Name, Store, Arguments, Known0, Known, Goal)
    ->  true
    ;   throw(needs_prolog(Call))
    ).

store_goal(goals, Store, Arguments, Known0, Known, find(first, Store, Columns)) :-
    columns(Arguments, Known0, Known, Columns).
store_goal(newest_goals, Store, Arguments, Known0, Known, find(newest, Store, Columns)) :-
    columns(Arguments, Known0, Known, Columns).
store_goal(insert_goal, Store, Arguments, Known, Known, insert(Store, Columns)) :-
    maplist(known_column(Known), Arguments, Columns).
store_goal(forget_goal, Store, Arguments, Known0, Known, forget(Store, Columns)) :-
    columns(Arguments, Known0, Known, Columns).
store_goal(renew_goal, Store, Arguments, Known0, Known, renew(Store, Columns, I)) :-
    append(Cells, [r(I)], Arguments),
    \+ is_known(I, Known0),
    maplist(known_column(Known0), Cells, Columns),
    Known is Known0 \/ 1<<I.
store_goal(forget_goals, Store, [], Known, Known, empty(Store)).
store_goal(settle_groups, Groups, [Now], Known, Known, settle(Groups, [], Operand, k(none))) :-
    known_operand(Now, Known, Operand).
store_goal(group_rows, Groups, [Key,Values], Known0, Known, rows(Groups, Columns, k(none), k(none))) :-
    Key =.. [_|Keys],
    Values =.. [_|Results],
    append(Keys, Results, Terms),
    columns(Terms, Known0, Known, Columns).
store_goal(ask_row, Groups, [Time,Key], Known, Known, ask_row(Groups, Columns, Operand, k(none))) :-
    known_operand(Time, Known, Operand),
    Key =.. [_|Keys],
    maplist(known_column(Known), Keys, Columns).
store_goal(asked_rows, Groups, [Time,Key], Known0, Known, asked(Groups, Columns, Operand, k(none))) :-
    known_operand(Time, Known0, Operand),
    Key =.. [_|Keys],
    columns(Keys, Known0, Known, Columns).
store_goal(begin_group_instant, Group, [Now], Known, Known, begin(Group, Operand)) :-
    known_operand(Now, Known, Operand).

%   made_columns(+Terms, +Context, +Known0, -Known, -Columns, -Goals, ?Rest): known columns, some of which goals make before.

made_columns([], _, Known, Known, [], Goals, Goals).
made_columns([Term|Terms], X, Known0, Known, [Column|Columns], Goals, Rest) :-
    (   is_made(Term)
    ->  new_register(X, I),
        template(Term, Known0, Template),
        Goals = [make(I,Template)|More],
        Known1 is Known0 \/ 1<<I,
        Column = in(r(I))
    ;   Goals = More,
        Known1 = Known0,
        known_column(Known0, Term, Column)
    ),
    made_columns(Terms, X, Known1, Known, Columns, More, Rest).
