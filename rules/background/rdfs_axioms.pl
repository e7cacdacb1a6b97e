:- module(etalis_rdfs_axioms,
          [ axiom_edge/4,               % +Background, +Kind, ?From, ?To
            axiom_triple/3,             % +Kind, ?Subject, ?Object
            known_member_property/2,    % +Background, ?Property
            core_term/2                 % ?Term, ?Class
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(library(macros)).
:- use_module(background, [background_predicate/3]).

#import(rdfs_names).

/** <module> The axiomatic triples of RDF and RDFS (RDF 1.1 Semantics, sections 8 and 9)

Those of the schema that say something of data, `axiom_edge`, are edges as the background's own are, for stream and
background alike. The others only say what the vocabulary is: rdfs_vocabulary.pl has them.
*/

%!  axiom_edge(+Background, +Kind, ?From, ?To) is nondet.
%
%   From is below To (Kind is `class` or `property`), or has this domain or range. Of the properties rdf:_1, rdf:_2 and
%   so on, which have no end, those are enumerated that Background has.

axiom_edge(_, class, From, To) :-
    axiom_class(From, To).
axiom_edge(M, property, From, To) :-
    axiom_property(M, From, To).
axiom_edge(_, domain, From, To) :-
    axiom_domain(From, To).
axiom_edge(_, range, #rdf(rest), #rdf('List')).

axiom_class(#rdf('Alt'), #rdfs('Container')).
axiom_class(#rdf('Bag'), #rdfs('Container')).
axiom_class(#rdf('Seq'), #rdfs('Container')).
axiom_class(#rdfs('ContainerMembershipProperty'), #rdf('Property')).
axiom_class(#rdfs('Datatype'), #rdfs('Class')).

axiom_property(_, #rdfs(isDefinedBy), #rdfs(seeAlso)).
axiom_property(M, From, #rdfs(member)) :-
    (   nonvar(From)
    ->  member_property(From)
    ;   known_member_property(M, From)
    ).

axiom_domain(#rdf(first),     #rdf('List')).
axiom_domain(#rdf(rest),      #rdf('List')).
axiom_domain(#rdf(subject),   #rdf('Statement')).
axiom_domain(#rdf(predicate), #rdf('Statement')).
axiom_domain(#rdf(object),    #rdf('Statement')).

%!  axiom_triple(+Kind, ?Subject, ?Object) is nondet.
%
%   The triples about domains and ranges.

axiom_triple(domain, P, C) :- axiom_domain(P, C).
axiom_triple(domain, #rdf(type),            #rdfs('Resource')).
axiom_triple(domain, #rdf(value),           #rdfs('Resource')).
axiom_triple(domain, #rdfs(comment),        #rdfs('Resource')).
axiom_triple(domain, #rdfs(domain),         #rdf('Property')).
axiom_triple(domain, #rdfs(isDefinedBy),    #rdfs('Resource')).
axiom_triple(domain, #rdfs(label),          #rdfs('Resource')).
axiom_triple(domain, #rdfs(member),         #rdfs('Resource')).
axiom_triple(domain, #rdfs(range),          #rdf('Property')).
axiom_triple(domain, #rdfs(seeAlso),        #rdfs('Resource')).
axiom_triple(domain, #rdfs(subClassOf),     #rdfs('Class')).
axiom_triple(domain, #rdfs(subPropertyOf),  #rdf('Property')).
axiom_triple(range,  #rdf(first),           #rdfs('Resource')).
axiom_triple(range,  #rdf(object),          #rdfs('Resource')).
axiom_triple(range,  #rdf(predicate),       #rdfs('Resource')).
axiom_triple(range,  #rdf(rest),            #rdf('List')).
axiom_triple(range,  #rdf(subject),         #rdfs('Resource')).
axiom_triple(range,  #rdf(type),            #rdfs('Class')).
axiom_triple(range,  #rdf(value),           #rdfs('Resource')).
axiom_triple(range,  #rdfs(comment),        #rdfs('Literal')).
axiom_triple(range,  #rdfs(domain),         #rdfs('Class')).
axiom_triple(range,  #rdfs(isDefinedBy),    #rdfs('Resource')).
axiom_triple(range,  #rdfs(label),          #rdfs('Literal')).
axiom_triple(range,  #rdfs(member),         #rdfs('Resource')).
axiom_triple(range,  #rdfs(range),          #rdfs('Class')).
axiom_triple(range,  #rdfs(seeAlso),        #rdfs('Resource')).
axiom_triple(range,  #rdfs(subClassOf),     #rdfs('Class')).
axiom_triple(range,  #rdfs(subPropertyOf),  #rdf('Property')).

%   member_property(+Property): one of rdf:_1, rdf:_2 and so on.

member_property(Property) :-
    atom(Property),
    sub_atom(Property, 0, _, After, #rdf('_')),
    After > 0,
    sub_atom(Property, _, After, 0, Digits),
    atom_codes(Digits, [First|Codes]),
    code_type(First, digit),
    First \== 0'0,
    \+ ( member(Code, Codes), \+ code_type(Code, digit) ).

%!  known_member_property(+Background, ?Property) is nondet.
%
%   One of them that a triple of the background has.

known_member_property(M, Property) :-
    background_predicate(M, Property, _),
    member_property(Property).

%!  core_term(?Term, ?Class) is nondet.
%
%   A term of the vocabulary and what it is.

core_term(#rdf('Alt'),                          #rdfs('Class')).
core_term(#rdf('Bag'),                          #rdfs('Class')).
core_term(#rdf('List'),                         #rdfs('Class')).
core_term(#rdf('Property'),                     #rdfs('Class')).
core_term(#rdf('Seq'),                          #rdfs('Class')).
core_term(#rdf('Statement'),                    #rdfs('Class')).
core_term(#rdf(langString),                     #rdfs('Datatype')).
core_term('http://www.w3.org/2001/XMLSchema#string', #rdfs('Datatype')).
core_term(#rdfs('Class'),                       #rdfs('Class')).
core_term(#rdfs('Container'),                   #rdfs('Class')).
core_term(#rdfs('ContainerMembershipProperty'), #rdfs('Class')).
core_term(#rdfs('Datatype'),                    #rdfs('Class')).
core_term(#rdfs('Literal'),                     #rdfs('Class')).
core_term(#rdfs('Resource'),                    #rdfs('Class')).
core_term(#rdf(nil),                            #rdf('List')).
core_term(#rdf(first),                          #rdf('Property')).
core_term(#rdf(object),                         #rdf('Property')).
core_term(#rdf(predicate),                      #rdf('Property')).
core_term(#rdf(rest),                           #rdf('Property')).
core_term(#rdf(subject),                        #rdf('Property')).
core_term(#rdf(type),                           #rdf('Property')).
core_term(#rdf(value),                          #rdf('Property')).
core_term(#rdfs(comment),                       #rdf('Property')).
core_term(#rdfs(domain),                        #rdf('Property')).
core_term(#rdfs(isDefinedBy),                   #rdf('Property')).
core_term(#rdfs(label),                         #rdf('Property')).
core_term(#rdfs(member),                        #rdf('Property')).
core_term(#rdfs(range),                         #rdf('Property')).
core_term(#rdfs(seeAlso),                       #rdf('Property')).
core_term(#rdfs(subClassOf),                    #rdf('Property')).
core_term(#rdfs(subPropertyOf),                 #rdf('Property')).
