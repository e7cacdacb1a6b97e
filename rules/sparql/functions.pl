:- module(etalis_functions, []).
:- reexport(functions_term).
:- reexport(functions_number).
:- reexport(functions_string).
:- reexport(functions_regex).
:- reexport(functions_time).
:- reexport(functions_hash).
:- reexport(functions_cast).
:- reexport(functions_cast_integer).
:- reexport(functions_cast_time).

/** <module> The functions of SPARQL

SPARQL 1.1 sections 17.4 and 17.5. `f_` and the name in lower case is a built-in function, `cast_` and the
local name of a datatype in lower case the cast to it. Arguments and value (the last argument) are RDF terms.
A predicate fails where SPARQL has an error, for one when an argument is unbound; none raises for any data
and none leaves a choice point. BOUND, IF, COALESCE, IN, && and || are not predicates: the compiler writes
them out.
*/
