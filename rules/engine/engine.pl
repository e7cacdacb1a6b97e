:- module(etalis_engine,
          [ open_engine/3,              % +Engine, +DerivationLimit, +BlankNodePrefix
            use_background/3,           % +Engine, +Background, +Entailment
            close_engine/1,             % +Engine
            pattern_may_match/3,        % +Background, +Predicate, +Object
            pattern_triggers/4,         % +Background, +Predicate, +Object, -Triggers
            add_query/5,                % +Engine, +Query, +Stores, +Predicates, +ClauseText
            set_only_query/2,           % +Engine, +IsOnly
            set_settlement_order/3      % +Engine, +First, +Settlements
          ]).
:- use_module(library(lists), [member/2, nth0/3]).
:- use_module('../background/background_names', []).
:- use_module(changes, [watch_no_more/1]).
:- use_module(feed, []).
:- use_module('../stores/goal_store', [close_stores/1, declare_store/5, open_stores/1]).
:- use_module(heard_occurrences, [forget_heard/1]).
:- use_module(interruption, []).
:- use_module(link, [add_rule/3]).
:- use_module(machine, [forget_machine/1]).
:- use_module(listening, []).
:- use_module('../tools/question_views', []).
:- use_module('../tools/questions', []).
:- use_module('../background/rdfs', [background_triple/4, may_match/3, triggering_predicate/5]).
:- use_module(removal, []).
:- use_module(runtime, []).
:- use_module(snapshot, []).
:- use_module(terms, [decode_term/2]).
:- use_module('../tools/trace', []).
:- use_module('../tools/why', []).

/** <module> An engine: a module of its own with the rules, goals and clock of its queries

feed.pl takes elements and gives answers.
*/

%!  open_engine(+Engine, +DerivationLimit, +BlankNodePrefix) is det.
%
%   Make the module Engine. Its rules see the run-time library (runtime.pl) and nothing of `user`. The labels
%   of blank nodes that CONSTRUCT makes start with BlankNodePrefix.

open_engine(M, DerivationLimit, BlankNodePrefix) :-
    set_module(M:class(temporary)),
    forall(import_module(M, Import), delete_import_module(M, Import)),
    add_import_module(M, etalis_runtime, start),
    dynamic(M:[ trigger/6, type_trigger/5, any_trigger/6, tuple_trigger/5,
                placed_trigger/7, placed_type_trigger/6, placed_any_trigger/7,
                settlement_order/2,
                instant_trie/1, blank_nodes/2, derivation_limit/1,
                clock/1, answer_limit/2, work_limit/2, regex_limit/1, open_occurrence/5, portion_kept/1, entailment/1, background/3, user_predicates/1, user_call/3, functions/1, changes_at/1,
                background_node/1, named_graph/1, named_triple/4, graph_node/2, merged_triple/4, merged_node/2,
                only_query/0, plans_ahead/1, always_due/1, due_at/3, due_at_end/1, due_on_grid/5, due_on_change/2, change_store/4, changed/2, evaluated/1, ended_at/1,
                is_ending/0, at/1, rows_so_far/3,
                heard_way/2, heard_class/7, heard_kind/8,
                drawn/1, drawn_row/2,
                fire/6, fire_placed/7, fired/3, happened/3, asks_places/0, asks_triples/0, row_answer/10, instant_answers/6, driver/4, reads_instant/0, new_rule/1, rule_of/2, rule_head/1, answering_head/1, has_rules/1
              ]),
    open_stores(M),
    assertz(M:blank_nodes(BlankNodePrefix, 0)),
    assertz(M:derivation_limit(DerivationLimit)).

%!  use_background(+Engine, +Background, +Entailment) is det.
%
%   Let patterns match what the module Background holds; with Entailment rdfs also what it entails, alone
%   or together with an occurrence.

use_background(M, Background, Entailment) :-
    assertz(M:user_predicates(Background)),
    assertz(M:user_call(_, Background, plain)),
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
%   Give back all that the engine owns; nothing where it was broken off before it was open.

close_engine(M) :-
    \+ module_property(M, class(temporary)),
    !.
close_engine(M) :-
    watch_no_more(M),
    forget_machine(M),
    close_stores(M),
    '$destroy_module'(M).

%!  add_query(+Engine, +Query, +Stores, +Predicates, +ClauseText) is det.
%
%   Add the rules of one query, given by its number. Stores is a list of -(Name, Kind, Arity, Detail), Predicates
%   one of -(Name, Arity, Answers) of the solutions of the plan's operators, Answers whether they come with an answer (those
%   of background alone do not), ClauseText the rules as the compiler printed them.

add_query(M, Query, Stores, Predicates, ClauseText) :-
    forall(member(-(Name, Kind, Arity, Detail), Stores), declare_store(M, Name, Kind, Arity, Detail)),
    forall(member(-(Name, Arity, Answers), Predicates), declare_rule(M, Name, Arity, Answers)),
    setup_call_cleanup(
        open_string(ClauseText, Stream),
        add_clauses(Stream, M, Query),
        close(Stream)),
    forget_heard(M).

declare_rule(M, Name, Arity, Answers) :-
    dynamic(M:Name/Arity),
    functor(Head, Name, Arity),
    assertz(M:rule_head(Head)),
    (   Answers == true
    ->  assertz(M:answering_head(Head))
    ;   true
    ).

add_clauses(Stream, M, Query) :-
    read_term(Stream, Clause, [module(etalis_runtime)]),
    (   Clause == end_of_file
    ->  true
    ;   Clause = (:- Goal)
    ->  call(M:Goal),
        add_clauses(Stream, M, Query)
    ;   add_rule(M, Query, Clause),
        add_clauses(Stream, M, Query)
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
%   numbered from First, whatever numbers they had before, and settled in the order of the numbers; those whose
%   numbers are not above 0 after all others.

set_settlement_order(M, First, Settlements) :-
    forget_machine(M),
    forall(nth0(Place, Settlements, Settlement),
           ( Number is First + Place,
             retractall(M:settlement_order(Settlement, _)),
             assertz(M:settlement_order(Settlement, Number))
           )).
