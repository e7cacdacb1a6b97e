:- module(etalis_state_predicates,
          [ state_predicate/2,          % +Engine, -Head
            control_predicate/2,        % +Engine, -Head
            stored_predicate/2,         % +Engine, -Head
            passing_predicate/2         % +Engine, -Head
          ]).

/** <module> What of an engine's module is its state

An engine's module holds the program (rules, what they declare, and what is remembered of the background), the
state (tuples, clock, counters), and what is known of one instant alone. Whatever is not known to be one of the others
is state, so that a new kind of goal is not forgotten.

Goals in stores and groups are state, too (goal_parts.pl, group_parts.pl); and the facts of the states that rules files declare, which
are in the module of the background (state.pl).
*/

%!  state_predicate(+Engine, -Head) is nondet.
%
%   Head is the most general head, with its module, of a predicate whose facts decide later answers.

state_predicate(M, M:Head) :-
    own_predicate(M, Head),
    \+ program(Head),
    \+ M:rule_head(Head),
    \+ M:has_rules(Head),
    \+ passing(M, Head),
    functor(Head, Name, Arity),
    \+ M:goal_store(Name, Arity, _, _).
state_predicate(M, B:Fact) :-
    M:user_predicates(B),
    predicate_property(B:'$state'(_, _, _), dynamic),
    B:'$state'(Name, Arity, _),
    atom_concat('$state ', Name, FactName),
    FactArity is Arity + 1,
    functor(Fact, FactName, FactArity).

%!  control_predicate(+Engine, -Head) is nondet.
%!  stored_predicate(+Engine, -Head) is nondet.
%
%   Those state predicates that have few facts, whatever came, and are written at each call or instant; and the
%   others.

control_predicate(M, M:Head) :-
    control(Name, Arity),
    functor(Head, Name, Arity),
    predicate_property(M:Head, dynamic).

stored_predicate(M, Module:Head) :-
    state_predicate(M, Module:Head),
    functor(Head, Name, Arity),
    \+ control(Name, Arity).

control(clock, 1).
control(open_occurrence, 5).
control(blank_nodes, 2).
control(at, 1).
control(next_turn, 1).
control(evaluated, 1).
control(changed, 2).
control(path_store, 3).
control(recall, 4).
control(derived_so_far, 1).

%!  passing_predicate(+Engine, -Head) is nondet.
%
%   The facts of Head are of one instant: between two calls of the engine they are of one that is closed.

passing_predicate(M, M:Head) :-
    own_predicate(M, Head),
    passing(M, Head).

own_predicate(M, Head) :-
    predicate_property(M:Head, dynamic),
    \+ predicate_property(M:Head, imported_from(_)).

passing(M, Head) :-
    functor(Head, Now, 4),
    predicate_property(M:path_tuples(_, _, _, _), dynamic),
    M:path_tuples(_, Now, _, _).
passing(_, Head) :-
    functor(Head, Name, Arity),
    passing_name(Name, Arity).

passing_name(instant_trie, 1).
passing_name(rows_so_far, 3).
passing_name(path_instant, 2).
passing_name(beginning, 1).
passing_name(ending, 1).
passing_name(changes_at, 1).
passing_name(raw_occurrence, 6).
passing_name(made_occurrence, 7).
passing_name(answered, 2).
passing_name(portion_kept, 1).

program(Head) :-
    functor(Head, Name, Arity),
    program_name(Name, Arity).

program_name(trigger, 6).
program_name(type_trigger, 5).
program_name(any_trigger, 6).
program_name(tuple_trigger, 5).
program_name(placed_trigger, 7).
program_name(placed_type_trigger, 6).
program_name(placed_any_trigger, 7).
program_name(settlement_order, 2).
program_name(machine, 1).
program_name(goal_stores, 1).
program_name(goal_store, 4).
program_name(goal_group, 2).
program_name(derivation_limit, 1).
program_name(entailment, 1).
program_name(background, 3).
program_name(background_node, 1).
program_name(named_graph, 1).
program_name(named_triple, 4).
program_name(graph_node, 2).
program_name(merged_triple, 4).
program_name(merged_node, 2).
program_name(user_predicates, 1).
program_name(user_call, 3).
program_name(functions, 1).
program_name(only_query, 0).
program_name(plans_ahead, 1).
program_name(always_due, 1).
program_name(due_at, 3).
program_name(due_at_end, 1).
program_name(due_on_grid, 5).
program_name(due_on_change, 2).
program_name(change_store, 4).
program_name(ended_at, 1).
program_name(is_ending, 0).
program_name(heard_way, 2).
program_name(heard_class, 7).
program_name(heard_kind, 8).
program_name(fire, 6).
program_name(fired, 3).
program_name(row_answer, 9).
program_name(answer_limit, 2).
program_name(work_limit, 2).
program_name(instant_answers, 6).
program_name(driver, 4).
program_name(reads_instant, 0).
program_name(new_rule, 1).
program_name(rule_of, 2).
program_name(rule_head, 1).
program_name(answering_head, 1).
program_name(has_rules, 1).
program_name(aggregate_declared, 3).
program_name(path_tuples, 4).
program_name(path_window, 2).
program_name(goals_of_query, 6).
program_name(profile_state, 1).
program_name(added_fact, 2).
program_name(removed_fact, 2).
program_name(emptied, 2).
program_name(told_control, 2).
program_name(told_times, 1).
program_name(watched, 1).
program_name(changes_begun, 0).
