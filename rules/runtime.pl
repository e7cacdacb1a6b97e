:- module(etalis_runtime, []).
:- reexport(values).
:- reexport(functions).
:- reexport(drawn_once).
:- reexport(goal_store).
:- reexport(instant).
:- reexport(paths).
:- reexport(background_paths, [background_path/6]).
:- reexport(aggregates).
:- reexport(rows).
:- reexport(join_order).
:- reexport(demand).
:- reexport(policies).
:- reexport(state, [begin_state/2, end_state/2]).
:- reexport(user_predicates).
:- reexport(user_functions, [call_function/3]).

/** <module> What the rules of a query may call

The module of each engine imports from here, and from nowhere else.
*/

:- op(650, xfx, ^^).
