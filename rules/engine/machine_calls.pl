:- module(etalis_machine_calls,
          [ background_goal/1,          % +Goal
            in_background/5,            % +Engine, +Goal, +Known, -Module, -Look
            user_goal/4,                % +Goal, +Engine, -Name, -Arguments
            prolog_goal/3               % +Engine, +Goal, -Module
          ]).
:- use_module('../background/rdfs', [only_table/3]).
:- use_module(instant, [fresh_blank_node/1]).
:- use_module(machine_terms, [is_known/2]).
:- use_module(user_predicates, [spread_solution/2]).

/** <module> What the machine calls in Prolog

Goals of rules, before they are taken apart: variables are registers (machine_terms.pl).
*/

%!  background_goal(+Goal) is semidet.
%
%   Its solutions are terms of RDF, and the same as long as there is a machine, which keeps them (background.c).

background_goal(background(_, _, _)).
background_goal(background_node(_)).
background_goal(named_triple(_, _, _, _)).
background_goal(named_graph(_)).
background_goal(graph_node(_, _)).
background_goal(merged_triple(_, _, _, _)).
background_goal(merged_node(_, _)).
background_goal(background_path(_, _, _, _, _, _)).

%!  user_goal(+Goal, +Engine, -Name, -Arguments) is semidet.
%
%   A pattern that is a predicate of the user's, which may say something else each time. Its terms are arguments of their own
%   then (user_predicates.pl).

user_goal(user_solution(User, Terms), M, Name, [M:User|Terms]) :-
    length(Terms, Arity),
    spread_solution(Arity, Name).

%!  in_background(+Engine, +Goal, +Known, -Module, -Look) is det.
%
%   How it is looked up: in the table of its predicate, where what it says is all there is to find, and Prolog finds it there by
%   what is known (background_texts.pl).

in_background(M, background(S,P,O), Known, Background, Look), \+ P = r(_), is_given(S, Known),
    M:user_predicates(Background), only_table(Background, P, Table) =>
    Look =.. [Table,S,O].
in_background(M, Goal, _, Module, Look) =>
    Module = M,
    Look = Goal.

is_given(r(I), Known) =>
    is_known(I, Known).
is_given(_, _) =>
    true.

%!  prolog_goal(+Engine, +Goal, -Module) is semidet.
%
%   A predicate that only tells something of its arguments, which must be ground when it is called but for one, and has one
%   solution at most. It is called from Module.

prolog_goal(M, Goal, Module) :-
    asks_engine(Goal),
    !,
    Module = M.
prolog_goal(_, Goal, Module) :-
    functor(Goal, Name, Arity),
    \+ memberchk(Name, [f_bnode,f_uuid,f_struuid,f_rand,f_now]),
    functor(Head, Name, Arity),
    predicate_property(etalis_runtime:Head, implementation_module(Module)),
    memberchk(Module, [ etalis_values, etalis_arithmetic, etalis_order, etalis_functions_string, etalis_functions_number,
                        etalis_functions_hash, etalis_functions_term, etalis_functions_time, etalis_functions_cast,
                        etalis_functions_cast_integer, etalis_functions_cast_time, etalis_iterations
                      ]).

%   asks_engine(+Goal) is semidet: what it calls, or how long that may take, is the engine's.

asks_engine(f_regex(_, _, _)).
asks_engine(f_regex(_, _, _, _)).
asks_engine(f_replace(_, _, _, _)).
asks_engine(f_replace(_, _, _, _, _)).
asks_engine(test_user_predicate(_, _, _)).
asks_engine(call_user_predicate(_, _, _)).
asks_engine(call_function(_, _, _)).

:- public fresh_node/2.                 % machine.pl has it called

fresh_node(M, BlankNode) :-
    fresh_blank_node(M:BlankNode).
