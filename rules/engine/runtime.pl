:- module(etalis_runtime, []).
:- reexport('../sparql/values').
:- reexport('../sparql/functions').
:- reexport('../sparql/order', [row_before/4]).
:- reexport('../stores/drawn_once').
:- reexport('../stores/goal_store').
:- reexport(instant).
:- reexport('../operators/paths').
:- reexport('../background/background_paths', [background_path/6]).
:- reexport('../aggregates/aggregates').
:- reexport('../operators/rows').
:- reexport('../operators/iterations').
:- reexport('../operators/newest_elements').
:- reexport('../operators/join_order').
:- reexport('../stores/policies').
:- reexport('../background/state', [begin_state/2, end_state/2]).
:- reexport(user_predicates).
:- reexport(user_functions, [call_function/3]).

/** <module> What the rules of a query may call

The module of each engine imports from here, and from nowhere else.
*/

:- op(650, xfx, ^^).
