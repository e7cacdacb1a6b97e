:- module(etalis_link,
          [ add_rule/3,                 % +Engine, +Query, +Clause
            assert_compiled/2,          % :Clause, -Reference
            link_rules/1                % +Engine
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(library(rbtrees), [list_to_rbtree/2, rb_lookup/3]).
:- use_module('../stores/goal_store', [with_stores/3]).
:- use_module(machine, [forget_machine/1]).

/** <module> Rules of which one calls the next, put into one

The compiler writes a rule for each operator: a solution of a pattern is handed to the SEQ above it, that one's
to a filter, and so on up to the answer. Before the first event after it was added, a rule gets the rules
that it calls in the place of the call, where there is just one rule to be called, and it is called from nowhere
else or is short. The rules that were called stay: the run-time library calls some of them by name.

Engine:new_rule(Reference) are the rules that are not linked yet, Engine:rule_of(Reference, Query) the rules of each
query, Engine:rule_head(Head) the heads that rules may call, Engine:has_rules(Head) the heads of all rules; arithmetic
is compiled.
*/

%!  add_rule(+Engine, +Query, +Clause) is det.
%
%   Add one clause of a query, given by its number.

add_rule(M, Query, Written) :-
    with_stores(M, Written, Clause),
    assert_compiled(M:Clause, Ref),
    assertz(M:new_rule(Ref)),
    assertz(M:rule_of(Ref, Query)),
    note_rule(M, Clause),
    (   reads_instant(Clause),
        \+ M:reads_instant
    ->  assertz(M:reads_instant)
    ;   true
    ).

note_rule(M, Clause) :-
    ( Clause = (Head0 :- _) -> true ; Head0 = Clause ),
    functor(Head0, Name, Arity),
    functor(Head, Name, Arity),
    (   M:has_rules(Head)
    ->  true
    ;   assertz(M:has_rules(Head))
    ).

%   The rule looks at the instant it runs in (the global variable `etalis_instant`, instant.pl).

reads_instant((_ :- Body)) :-
    called(Body, Goal),
    functor(Goal, Name, Arity),
    memberchk(Name/Arity, [construct/6, next_rank/1, f_now/1, given_element/3]),
    !.

%!  assert_compiled(:Clause, -Reference) is det.
%
%   Add a clause whose arithmetic is compiled.

assert_compiled(Clause, Ref) :-
    current_prolog_flag(optimise, Old),
    setup_call_cleanup(
        set_prolog_flag(optimise, true),
        assertz(Clause, Ref),
        set_prolog_flag(optimise, Old)).

%!  link_rules(+Engine) is det.
%
%   Link the rules that were added since the last time.

link_rules(M) :-
    findall(Ref, retract(M:new_rule(Ref)), Refs),
    Refs \== [],
    !,
    forget_machine(M),
    number_of_calls(M, Refs, Calls),
    forall(member(Ref, Refs), link_rule(M, Calls, Ref)).
link_rules(_).

%   Calls tells how often each rule is called.

number_of_calls(M, Refs, Calls) :-
    findall(Name/Arity,
            (   member(Ref, Refs),
                clause(M:_, Body, Ref),
                called(Body, Goal),
                functor(Goal, Name, Arity)
            ),
            All),
    msort(All, Sorted),
    counted(Sorted, Counts),
    list_to_rbtree(Counts, Calls).

counted([], []).
counted([Key|Keys], [Key-Count|Counts]) :-
    same_keys(Keys, Key, 1, Count, Others),
    counted(Others, Counts).

same_keys([Key|Keys], Key, Count0, Count, Others) :-
    !,
    Count1 is Count0 + 1,
    same_keys(Keys, Key, Count1, Count, Others).
same_keys(Others, _, Count, Count, Others).

called(Body, Goal) :-
    control(Body, Parts, _, _),
    !,
    member(Part, Parts),
    called(Part, Goal).
called(Goal, Goal) :-
    callable(Goal).

%   control(?Body, ?Parts, ?NewParts, ?NewBody)

control((A,B), [A,B], [C,D], (C,D)).
control((A;B), [A,B], [C,D], (C;D)).
control((A->B), [A,B], [C,D], (C->D)).
control((A*->B), [A,B], [C,D], (C*->D)).
control(\+A, [A], [B], \+B).

%   All rules are added anew, so that those of one predicate stay in their order.

link_rule(M, Calls, Ref) :-
    clause(M:Head, Body, Ref),
    linked(Body, M, Calls, [], Linked),
    erase(Ref),
    retract(M:rule_of(Ref, Query)),
    assert_compiled(M:(Head:-Linked), New),
    assertz(M:rule_of(New, Query)).

linked(Variable, _, _, _, Linked), var(Variable) =>
    Linked = Variable.
linked(Body, M, Calls, Within, Linked), control(Body, Parts, NewParts, New) =>
    Linked = New,
    linked_parts(Parts, M, Calls, Within, NewParts).
linked(Goal, M, Calls, Within, Linked),
        M:rule_head(Goal),
        functor(Goal, Name, Arity),
        \+ memberchk(Name/Arity, Within),
        length(Within, Depth),
        Depth < 16,
        (   rb_lookup(Name/Arity, 1, Calls)
        ->  only_rule(M, Goal, Body),
            linked(Body, M, Calls, [Name/Arity|Within], New)
        ;   Rest is 16 - Depth,
            short_rule(M, Goal, Rest, New)
        ) =>
    Linked = New.
linked(Goal, _, _, _, Linked) =>
    Linked = Goal.

linked_parts([], _, _, _, []).
linked_parts([Part|Parts], M, Calls, Within, [New|NewParts]) :-
    linked(Part, M, Calls, Within, New),
    linked_parts(Parts, M, Calls, Within, NewParts).

%   A head that is more than variables chooses when it is called, and a cut would cut more than its own rule.

only_rule(M, Goal, Body) :-
    predicate_property(M:Goal, number_of_clauses(1)),
    functor(Goal, Name, Arity),
    functor(Head, Name, Arity),
    clause(M:Head, Body),
    term_variables(Head, Variables),
    length(Variables, Arity),
    \+ ( called(Body, Cut), Cut == ! ),
    Head = Goal.

%   short_rule(+M, +Goal, +Depth, -Short): Goal comes to a short goal through rules that call one other each. What
%   is called more than once is looked at no further: calls within calls would be twice as many with each rule.

short_rule(M, Goal, Depth, Short) :-
    Depth > 0,
    M:rule_head(Goal),
    only_rule(M, Goal, Body),
    nonvar(Body),
    (   is_short(Body)
    ->  Short = Body
    ;   Depth1 is Depth - 1,
        short_rule(M, Body, Depth1, Short)
    ).

is_short(_ = _).
is_short(fail).
