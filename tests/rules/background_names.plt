:- module(test_background_names, []).
:- use_module('../../rules/background/background').
:- use_module('../../rules/background/background_names').
:- use_module(library(lists), [member/2]).
:- use_module(library(plunit)).

:- begin_tests(background_names, [setup(open_goods), cleanup(close_background(goods))]).

open_goods :-
    open_background(goods),
    forall(said(S, P, O),
           ( iri(P, Predicate),
             iri(O, Object),
             add_triple(goods, S, Predicate, Object)
           )).

said(fish, rdfs:subClassOf, goods).
said(box, rdf:type, 'Box').
said('Van', rdf:type, rdfs:'Class').
said(storedIn, rdfs:domain, goods).
said(frozen, rdfs:subPropertyOf, cooled).
said('_:b', rdf:type, '_:c').
said(near, rdf:type, rdf:'Property').

iri(rdf:Name, Iri) =>
    atom_concat('http://www.w3.org/1999/02/22-rdf-syntax-ns#', Name, Iri).
iri(rdfs:Name, Iri) =>
    atom_concat('http://www.w3.org/2000/01/rdf-schema#', Name, Iri).
iri(Name, Iri) =>
    Iri = Name.

own_names(Kind, Names) :-
    background_names(goods, Kind, All),
    findall(Name, ( member(Name, All), \+ sub_atom(Name, 0, _, _, http) ), Names).

test(classes, Names == ['Box','Van',fish,goods]) :-
    own_names(class, Names).
test(properties, Names == [cooled,frozen,near,storedIn]) :-
    own_names(property, Names).
test(a_class) :-
    background_name(goods, class, 'Van').
test(a_property) :-
    background_name(goods, property, frozen).
test(a_property_is_no_class, fail) :-
    background_name(goods, class, frozen).
test(a_thing_is_no_class, fail) :-
    background_name(goods, class, box).

:- end_tests(background_names).
