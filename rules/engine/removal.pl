:- module(etalis_removal,
          [ remove_rules/2,             % +Engine, +Queries
            forget_parts/5              % +Engine, +Queries, +Nodes, +Stores, +Predicates
          ]).
:- use_module(library(lists), [member/2]).
:- use_module('../aggregates/aggregates', [forget_group/1]).
:- use_module('../background/clause_memory', [giving_memory_back/1]).
:- use_module('../operators/paths', [forget_path/1]).
:- use_module('../stores/goal_store', [delete_store/2]).
:- use_module(changes, [watch_predicate_no_more/1]).
:- use_module(heard_occurrences, [forget_heard/1]).
:- use_module(instant, [forget_due/1]).
:- use_module(machine, [forget_machine/1]).

/** <module> Queries leave a running engine

First the rules of queries go, and of those that share something with them; the others come back without what is gone
(etalis_py/engine/rule_base.py), their goals have stayed. Then goes what no rule speaks of any more. Between two
instants, or within one of which nothing has fired yet.
*/

:- det((remove_rules/2, forget_parts/5)).

%!  remove_rules(+Engine, +Queries) is det.
%
%   Erase the rules of the queries with these numbers.

remove_rules(M, Queries) :-
    forget_machine(M),
    forget_heard(M),
    giving_memory_back(forall(member(Query, Queries), remove_rules_of(M, Query))).

remove_rules_of(M, Query) :-
    forall(retract(M:rule_of(Ref, Query)),
           ( retractall(M:new_rule(Ref)),
             erase(Ref)
           )).

%!  forget_parts(+Engine, +Queries, +Nodes, +Stores, +Predicates) is det.
%
%   Give back what belongs to queries with these numbers, and to nodes and stores with these names, of which no rule
%   speaks any more. Predicates lists Name-Arity.

forget_parts(M, Queries, Nodes, Stores, Predicates) :-
    forall(member(Query, Queries), retractall(M:answer_limit(Query, _))),
    forall(member(Name, Stores), delete_store(M, Name)),
    forall(member(Node, Nodes), forget_node(M, Node)),
    forall(member(Name-Arity, Predicates), forget_predicate(M, Name, Arity)).

forget_node(M, Node) :-
    forget_group(M:Node),
    forget_path(M:Node),
    atom_concat(Node, '_settle', Settlement),
    retractall(M:settlement_order(Settlement, _)),
    forget_due(M:Settlement).

forget_predicate(M, Name, Arity) :-
    functor(Head, Name, Arity),
    retractall(M:rule_head(Head)),
    retractall(M:answering_head(Head)),
    retractall(M:has_rules(Head)),
    watch_predicate_no_more(M:Head),
    abolish(M:Name/Arity).
