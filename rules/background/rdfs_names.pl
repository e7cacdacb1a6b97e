:- module(etalis_rdfs_names, []).
:- use_module(library(macros)).

/** <module> The names of RDF and RDFS that the entailment rules speak of

Code writes `#rdf(type)` and `#rdfs(subClassOf)` for the atoms of the IRIs. A module that uses them says
`#import(rdfs_names)`.
*/

#define(rdf(Name), Iri) :-
    atom_concat('http://www.w3.org/1999/02/22-rdf-syntax-ns#', Name, Iri).
#define(rdfs(Name), Iri) :-
    atom_concat('http://www.w3.org/2000/01/rdf-schema#', Name, Iri).
