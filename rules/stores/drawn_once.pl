:- module(etalis_drawn_once,
          [ drawn_once/4                % :Node, ?Row, ?Template, :Goal
          ]).
:- use_module(library(lists), [member/2]).

/** <module> Solutions of background alone that are not the same each time

They are found on demand, each time anew. Where RAND(), UUID() or BNODE() has a part in them they are found once
and kept: SPARQL evaluates a pattern once, so `{ BIND(UUID() AS ?u) ?s ?p ?o }` has one `?u`.
*/

:- meta_predicate drawn_once(:, ?, ?, 0).

%!  drawn_once(:Node, ?Row, ?Template, :Goal) is nondet.
%
%   Row is one of the solutions of the plan's node Node: the instances of Template that Goal gave when it was
%   first asked for all of them. No variable of Template is bound.

drawn_once(M:Node, Row, Template, Goal) :-
    (   M:drawn(Node)
    ->  true
    ;   findall(Template, Goal, Rows),
        forall(member(Drawn, Rows), assertz(M:drawn_row(Node, Drawn))),
        assertz(M:drawn(Node))
    ),
    M:drawn_row(Node, Row).
