:- module(etalis_engine,
          [ open_engine/3,              % +Engine, +DerivationLimit, +BlankNodePrefix
            use_background/3,           % +Engine, +Background, +Entailment
            close_engine/1,             % +Engine
            pattern_may_match/3,        % +Background, +Predicate, +Object
            pattern_triggers/4,         % +Background, +Predicate, +Object, -Triggers
            add_query/4,                % +Engine, +Stores, +Solutions, +ClauseText
            set_only_query/2,           % +Engine, +IsOnly
            set_settlement_order/3,     % +Engine, +First, +Settlements
            set_instant/2,              % +Engine, +Time
            feed/6,                     % +Engine, +Terms, +Columns, +OnLate, +Most, -Result
            advance/3,                  % +Engine, +Time, -Result
            finish/3                    % +Engine, +Completeness, -Result
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [append/3, member/2, nth0/3]).
:- use_module(aggregates, [drop_groups/1]).
:- use_module(goal_store, [declare_store/2]).
:- use_module(heard_occurrences, [forget_heard/1]).
:- use_module(instant, [close_instant/4, give_certain/4, next_step/3, plan_ahead/1]).
:- use_module(messages, [message_text/2]).
:- use_module(questions, []).
:- use_module(rdfs, [background_triple/4, may_match/3, triggering_predicate/5]).
:- use_module(runtime, []).
:- use_module(terms, [decode_term/2, decode_terms/2, encode_term/2]).

/** <module> An engine: a module of its own with the rules, goals and clock of its queries

Elements come in batches, column by column. All rows with one end time are one instant; it is closed, and
its answers given, when a later row comes, or by advance/3 and finish/3. The rows of the instant that is
still open wait in Engine:open_occurrence/4 between two batches. Engine:clock(Time) is that instant: what
ends before it is closed.
*/

%!  open_engine(+Engine, +DerivationLimit, +BlankNodePrefix) is det.
%
%   Make the module Engine. Its rules see the run-time library (runtime.pl) and nothing of `user`. The labels
%   of blank nodes that CONSTRUCT makes start with BlankNodePrefix.

open_engine(M, DerivationLimit, BlankNodePrefix) :-
    set_module(M:class(temporary)),
    forall(import_module(M, Import), delete_import_module(M, Import)),
    add_import_module(M, etalis_runtime, start),
    dynamic(M:[ trigger/6, type_trigger/5, any_trigger/6,
                due/2, settlement_order/2,
                generation/3, window/4, instant_of/2, instant_store/2,
                seen/5, seen_at/1, blank_nodes/2, derivation_limit/1,
                clock/1, open_occurrence/4, entailment/1, background/3, user_predicates/1,
                background_node/1, named_graph/1, named_triple/4, graph_node/2, merged_triple/4, merged_node/2,
                only_query/0, plans_ahead/0, always_due/1, due_at_steps/3, at/1, rows_so_far/3,
                demanded/2, demanded_at/2, rows_made_at/2,
                heard_way/2, heard_class/6, heard_kind/7,
                index_of/3, used/2, drawn/1, drawn_row/2
              ]),
    assertz(M:blank_nodes(BlankNodePrefix, 0)),
    assertz(M:derivation_limit(DerivationLimit)).

%!  use_background(+Engine, +Background, +Entailment) is det.
%
%   Let patterns match what the module Background holds; with Entailment rdfs also what it entails, alone
%   or together with an occurrence.

use_background(M, Background, Entailment) :-
    assertz(M:user_predicates(Background)),
    (   Entailment == rdfs
    ->  assertz(M:entailment(Background))
    ;   true
    ),
    forall(background_view(Background, View), assertz(M:View)).

background_view(B, (background(S,P,O) :- etalis_rdfs:background_triple(B, S, P, O))).
background_view(B, (background_node(Node) :- etalis_background:background_node(B, Node))).
background_view(B, (named_graph(G) :- etalis_background_graphs:graph_name(B, G))).
background_view(B, (named_triple(G,S,P,O) :- etalis_background_graphs:graph_triple(B, G, S, P, O))).
background_view(B, (graph_node(G,Node) :- etalis_background_graphs:graph_node(B, G, Node))).
background_view(B, (merged_triple(Gs,S,P,O) :- etalis_background_graphs:dataset_triple(B, Gs, S, P, O))).
background_view(B, (merged_node(Gs,Node) :- etalis_background_graphs:dataset_triple(B, Gs, Node, _, _))).
background_view(B, (merged_node(Gs,Node) :- etalis_background_graphs:dataset_triple(B, Gs, _, _, Node))).

%!  pattern_may_match(+Background, +Predicate, +Object) is semidet.
%
%   Background alone could match a pattern with these terms; both are encoded, @(none) for a variable.

pattern_may_match(Background, EncodedP, EncodedO) :-
    pattern_term(EncodedP, P),
    pattern_term(EncodedO, O),
    may_match(Background, P, O).

%!  pattern_triggers(+Background, +Predicate, +Object, -Triggers) is det.
%
%   Triggers is a list of [Predicate,Way] as triggering_predicate/5 gives them, @(none) for any predicate.

pattern_triggers(Background, EncodedP, EncodedO, Triggers) :-
    pattern_term(EncodedP, P),
    pattern_term(EncodedO, O),
    findall([Trigger,Way],
            (   triggering_predicate(Background, Predicate, P, O, How),
                functor(How, Way, _),
                ( var(Predicate) -> Trigger = @(none) ; Trigger = Predicate )
            ),
            All),
    sort(All, Triggers).

pattern_term(@(none), _) :-
    !.
pattern_term(Encoded, Term) :-
    decode_term(Encoded, Term).

%!  close_engine(+Engine) is det.
%
%   Give back all that the engine owns.

close_engine(M) :-
    drop_groups(M:all),
    '$destroy_module'(M).

%!  add_query(+Engine, +Stores, +Solutions, +ClauseText) is det.
%
%   Add the rules of one query. Stores is a list of -(Name, Kind, Arity, Detail), Solutions
%   one of Name-Arity of the plan's solutions, ClauseText the rules as the compiler printed them.

add_query(M, Stores, Solutions, ClauseText) :-
    forall(member(-(Name, Kind, Arity, Detail), Stores),
           ( store_description(Kind, Arity, Detail, Description),
             declare_store(M:Name, Description)
           )),
    forall(member(Name-Arity, Solutions), dynamic(M:Name/Arity)),
    setup_call_cleanup(
        open_string(ClauseText, Stream),
        add_clauses(Stream, M),
        close(Stream)),
    forget_heard(M).

store_description(lasting, Arity, _, lasting(Arity)).
store_description(settled, Arity, _, lasting(Arity)).
store_description(window, Arity, Window, window(Arity, Window)).
store_description(instant, Arity, Group, instant(Arity, Group)).
store_description(used_lasting, Arity, _, used_lasting(Arity)).
store_description(used_window, Arity, Window, used_window(Arity, Window)).

add_clauses(Stream, M) :-
    read_term(Stream, Clause, [module(etalis_runtime)]),
    (   Clause == end_of_file
    ->  true
    ;   Clause = (:- Goal)
    ->  call(M:Goal),
        add_clauses(Stream, M)
    ;   assertz(M:Clause),
        add_clauses(Stream, M)
    ).

%!  set_only_query(+Engine, +IsOnly) is det.
%
%   IsOnly is `true` if the engine has one query and one instant: then it is a question of plain SPARQL, and what
%   it constructs is its answer and no part of the stream.

set_only_query(M, IsOnly) :-
    retractall(M:only_query),
    (   IsOnly == true
    ->  assertz(M:only_query)
    ;   true
    ).

%!  set_settlement_order(+Engine, +First, +Settlements) is det.
%
%   Settlements names operators that wait for the end of an instant, each after those it depends on. They are
%   numbered from First, whatever numbers they had before, and settled in the order of the numbers.

set_settlement_order(M, First, Settlements) :-
    forall(nth0(Place, Settlements, Settlement),
           ( Number is First + Place,
             retractall(M:settlement_order(Settlement, _)),
             assertz(M:settlement_order(Settlement, Number))
           )).

% ---- elements in, answers out ---------------------------------------------------------------------------

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

feed(M, Encoded, [Ss,Ps,Os,Starts,Ends], OnLate, Most, Result) :-
    decode_terms(Encoded, Decoded),
    Terms =.. [terms|Decoded],
    take_open_instant(M, Clock, Open),
    rows(Ss, Ps, Os, Starts, Ends, batch(M, Terms, OnLate, Most), 0, Clock, Open, Fed),
    Fed = fed(Taken, NewClock, StillOpen, Late, Answers, Problem),
    keep_open_instant(M, NewClock, StillOpen),
    Result = [Taken,Late,Answers,Problem].

rows([], [], [], [], [], _, N, Clock, Open, fed(N, Clock, Open, [], [], '')).
rows([S|Ss], [P|Ps], [O|Os], [Start|Starts], [End|Ends], Batch, N, Clock, Open, Fed) :-
    N1 is N + 1,
    (   End =:= Clock
    ->  occurrence(Batch, S, P, O, Start, Occurrence),
        rows(Ss, Ps, Os, Starts, Ends, Batch, N1, Clock, [Occurrence|Open], Fed)
    ;   End > Clock
    ->  Batch = batch(M, _, _, Most),
        pass_time(M, Clock, Open, End, Answers, Count, Problem),
        (   Problem \== ''
        ->  Fed = fed(N, Clock, [], [], Answers, Problem)
        ;   Count > Most
        ->  Fed = fed(N, End, [], [], Answers, '')
        ;   Count =:= 0
        ->  occurrence(Batch, S, P, O, Start, Occurrence),
            rows(Ss, Ps, Os, Starts, Ends, Batch, N1, End, [Occurrence], Fed)
        ;   occurrence(Batch, S, P, O, Start, Occurrence),
            Batch = batch(_, Terms, OnLate, _),
            Left is Most - Count,
            Batch1 = batch(M, Terms, OnLate, Left),
            Fed = fed(Taken, Clock1, Open1, Late, AllAnswers, Problem1),
            append(Answers, More, AllAnswers),
            rows(Ss, Ps, Os, Starts, Ends, Batch1, N1, End, [Occurrence],
                 fed(Taken, Clock1, Open1, Late, More, Problem1))
        )
    ;   Batch = batch(_, _, drop, _)
    ->  Fed = fed(Taken, Clock1, Open1, [N|Late], Answers, Problem),
        rows(Ss, Ps, Os, Starts, Ends, Batch, N1, Clock, Open,
             fed(Taken, Clock1, Open1, Late, Answers, Problem))
    ;   Fed = fed(N, Clock, Open, [N], [], '')
    ).

occurrence(batch(_, Terms, _, _), S, P, O, Start, occ(Subject, Predicate, Object, Start)) :-
    arg(S, Terms, Subject),
    arg(P, Terms, Predicate),
    arg(O, Terms, Object).

%!  advance(+Engine, +Time, -Result) is det.
%
%   No element that ends before Time will come: close what is open before it. Result is as for feed/6.

advance(M, Time, [0,[],Answers,Problem]) :-
    take_open_instant(M, Clock, Open),
    (   Time > Clock
    ->  pass_time(M, Clock, Open, Time, Answers, _, Problem),
        keep_open_instant(M, Time, [])
    ;   Answers = [], Problem = '',
        keep_open_instant(M, Clock, Open)
    ).

%!  finish(+Engine, +Completeness, -Result) is det.
%
%   The input has ended. Completeness is `complete`, or `broken` where rows of the open instant may be
%   missing: then only answers that they could not take back are given.

finish(M, Completeness, [0,[],Answers,Problem]) :-
    take_open_instant(M, Clock, Open),
    (   Open == [],
        \+ is_due(M, Clock)
    ->  Answers = [], Problem = '',
        keep_open_instant(M, Clock, [])
    ;   Completeness == complete
    ->  guarded(close_instant, M, Clock, Open, Answers, _, Problem),
        retractall(M:at(_)),
        close_clock(M, Clock)
    ;   guarded(give_certain, M, Clock, Open, Answers, _, Problem),
        close_clock(M, Clock)
    ).

close_clock(M, Clock) :-
    Next is Clock + 1,
    keep_open_instant(M, Next, []).

%   pass_time(+M, +Clock, +Open, +New, -Answers, -Count, -Problem): close the instant Clock, and those between
%   it and New at which something is due though nothing happens.

pass_time(M, Clock, Open, New, Answers, Count, Problem) :-
    (   Open == [],
        \+ is_due(M, Clock)
    ->  Now = [], Count0 = 0, Problem0 = ''
    ;   guarded(close_instant, M, Clock, Open, Now, Count0, Problem0)
    ),
    (   Problem0 == '',
        M:due_at_steps(_, _, _),
        integer(Clock),
        next_step(M, Clock, Step),
        Step < New
    ->  retractall(M:at(_)),
        pass_time(M, Step, [], New, Later, Count1, Problem),
        Count is Count0 + Count1,
        append(Now, Later, Answers)
    ;   Answers = Now, Count = Count0, Problem = Problem0
    ).

%   Something is due at the open instant though nothing happens.

is_due(M, Clock) :-
    M:at(Clock),
    !.
is_due(M, Clock) :-
    integer(Clock),
    M:due_at_steps(_, Step, _),
    0 =:= Clock mod Step,
    !.

:- det(guarded/7).

guarded(Close, M, Clock, Open, Answers, Count, Problem) :-
    catch(call(Close, M, Clock, Open, Found), Error, true),
    (   var(Error)
    ->  length(Found, Count),
        maplist(encode_answer(Clock), Found, Answers),
        Problem = ''
    ;   Answers = [], Count = 0,
        error_text(Error, Problem)
    ).

encode_answer(End, o(Query,_,Start,Row), Encoded) :-
    !,
    encode_answer(End, a(Start,Query,Row), Encoded).
encode_answer(End, a(Start,Query,row), [Query,Start,End]) :-
    !.
encode_answer(End, a(Start,Query,ask), [Query,Start,End]) :-
    !.
encode_answer(End, a(Start,Query,Row), [Query,Start,End|Encoded]) :-
    encode_row(Row, Encoded).

encode_row(triples(Triples), Encoded) :-
    !,
    maplist(encode_triple, Triples, Encoded).
encode_row(Row, Encoded) :-
    compound_name_arguments(Row, row, Terms),
    maplist(encode_term, Terms, Encoded).

encode_triple(t(S,P,O), [EncodedS,EncodedP,EncodedO]) :-
    encode_term(S, EncodedS),
    encode_term(P, EncodedP),
    encode_term(O, EncodedO).

error_text(error(etalis_limit(derivations, Limit), _), Text) :-
    !,
    format(atom(Text), 'derivation-limit ~d', [Limit]).
error_text(error(etalis_user_predicate(Name, Arity, Error), _), Text) :-
    !,
    cause_text(Error, Cause),
    format(atom(Text), 'user-predicate ~w/~d ~w', [Name, Arity, Cause]).
error_text(Error, Text) :-
    cause_text(Error, Text).

cause_text(error(etalis_limit(inferences, Limit), _), Text) :-
    !,
    format(atom(Text), 'it does not come to an end within ~D inferences', [Limit]).
cause_text(error(resource_error(Resource), _), Text) :-
    !,
    format(atom(Text), 'it needs more ~w than there is', [Resource]).
cause_text(error(Formal, Context), Text) :-
    nonvar(Formal),
    !,
    message_text(error(Formal, Context), Text).
cause_text(Thrown, Text) :-
    format(atom(Text), 'it throws ~q', [Thrown]).

% ---- the open instant -------------------------------------------------------------------------------------

take_open_instant(M, Clock, Open) :-
    (   M:clock(Clock)
    ->  findall(occ(S,P,O,Start), M:open_occurrence(S,P,O,Start), Open),
        retractall(M:open_occurrence(_,_,_,_))
    ;   Clock = -1.0Inf, Open = []
    ).

keep_open_instant(M, Clock, Open) :-
    retractall(M:clock(_)),
    assertz(M:clock(Clock)),
    forall(member(occ(S,P,O,Start), Open), assertz(M:open_occurrence(S,P,O,Start))).
