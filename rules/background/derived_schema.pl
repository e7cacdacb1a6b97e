:- module(etalis_derived_schema,
          [ derive_schema/1             % +Background
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(library(macros)).
:- use_module(background, [background_predicate/3]).
:- use_module(rdfs, [data_triple/4]).
:- use_module(rdfs_schema, [set_schema/3, subproperties/3]).

#import(rdfs_names).

/** <module> Ontologies that define their own rdfs:subClassOf

A subproperty of rdfs:subClassOf, rdfs:subPropertyOf, rdfs:domain or rdfs:range adds edges to the schema (by
rdfs7), which may entail more such triples, even by way of rdf:type. This is rare: only then the edges are
copied to tables of their own, to which all that follows is added until nothing does.
*/

%!  derive_schema(+Background) is det.
%
%   Called by rdfs:prepare_background/2 alone.

:- det(derive_schema/1).

derive_schema(M) :-
    forall(own_table(Kind, P, Table), copy_edges(M, Kind, P, Table)),
    etalis_rdfs:forget_all(M),
    add_edges(M).

own_table(class,    #rdfs(subClassOf),    '$class_edge').
own_table(property, #rdfs(subPropertyOf), '$property_edge').
own_table(domain,   #rdfs(domain),        '$domain_edge').
own_table(range,    #rdfs(range),         '$range_edge').

copy_edges(M, Kind, P, Table) :-
    dynamic(M:Table/2),
    Edge =.. [Table, From, To],
    retractall(M:Edge),
    forall(( background_predicate(M, P, Stored), call(M:Stored, From, To) ),
           assertz(M:Edge)),
    set_schema(M, Kind, Table).

add_edges(M) :-
    findall(M:Edge, new_edge(M, Edge), Edges),
    (   Edges == []
    ->  true
    ;   forall(member(Edge, Edges), assert_new(Edge)),
        etalis_rdfs:forget_all(M),
        add_edges(M)
    ).

new_edge(M, Edge) :-
    own_table(_, P, Table),
    subproperties(M, P, Below),
    member(Q, Below),
    Q \== P,
    atom(Q),
    data_triple(M, From, Q, To),
    Edge =.. [Table, From, To],
    \+ M:Edge.

assert_new(Edge) :-
    (   Edge
    ->  true
    ;   assertz(Edge)
    ).
