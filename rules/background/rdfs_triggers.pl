:- module(etalis_rdfs_triggers,
          [ triggering_predicate/5      % +Background, ?Predicate, +PatternPredicate, +PatternObject, -Way
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(library(macros)).
:- use_module(rdfs_schema,
              [ schema_edge/4, subclasses/3, subproperties/3, domains/3, ranges/3 ]).

#import(rdfs_names).

/** <module> Which stream triples can match a pattern, by the schema

What `explain` shows of a pattern, and what Spark may leave out before the engine sees it.
*/

%!  triggering_predicate(+Background, ?Predicate, ?PatternPredicate, ?PatternObject, -Way) is nondet.
%
%   A stream triple with Predicate can entail one that matches a pattern with PatternPredicate and
%   PatternObject (variables where the pattern has some), in the Way
%
%     - any: the pattern's predicate is a variable; Predicate is left unbound
%     - same: it is the pattern's predicate
%     - subproperty: Predicate is below it, and keeps the object; unbound for rdf:_1 and its kin, which have no end
%     - class(Class): its object is Class, which is the pattern's or below; Class is unbound where the
%       pattern's is
%     - domain, range: its subject, or object, gets the class
%     - typed: it gives any class to something, and rdf:type has the domain or range
%
%   Each once.

triggering_predicate(_, _, PatternPredicate, _, Way) :-
    var(PatternPredicate),
    !,
    Way = any.
triggering_predicate(M, Predicate, PatternPredicate, _, Way) :-
    M:'$entailment'(none),
    !,
    Predicate = PatternPredicate,
    Way = same.
triggering_predicate(M, Predicate, PatternPredicate, Object, Way) :-
    subproperties(M, PatternPredicate, Below),
    findall(Found,
            (   property_trigger(M, PatternPredicate, Below, Found)
            ;   memberchk(#rdf(type), Below),
                class_trigger(M, Object, Found)
            ),
            All),
    sort(All, Triggers),
    member(Predicate-Way, Triggers).

property_trigger(M, PatternPredicate, Below, P-Way) :-
    (   memberchk(#rdf(type), Below)
    ->  subproperties(M, #rdf(type), OfType)
    ;   OfType = []
    ),
    member(P, Below),
    iri(P),
    \+ memberchk(P, OfType),
    ( P == PatternPredicate -> Way = same ; Way = subproperty ).
property_trigger(_, _, Below, _-subproperty) :-
    memberchk(#rdfs(member), Below).

%   The pattern's predicate is rdf:type or above.

class_trigger(M, Object, P-class(Class)) :-
    type_property(M, P),
    (   var(Object)
    ->  true
    ;   subclasses(M, Object, Classes),
        member(Class, Classes)
    ).
class_trigger(M, Object, P-Way) :-
    giver(M, Object, P, Way).
class_trigger(M, Object, P-typed) :-
    (   domains(M, #rdf(type), Classes)
    ;   ranges(M, #rdf(type), Classes)
    ),
    Classes \== [],
    ( var(Object) -> true ; memberchk(Object, Classes) ),
    (   type_property(M, P)
    ;   giver(M, _, P, _)
    ).

type_property(M, P) :-
    subproperties(M, #rdf(type), OfType),
    member(P, OfType),
    iri(P).

%   P has a domain or range that is Class or below it.

giver(M, Class, P, Way) :-
    (   var(Class)
    ->  true
    ;   subclasses(M, Class, Below)
    ),
    member(Way, [domain, range]),
    (   var(Class)
    ->  schema_edge(M, Way, Above, _)
    ;   member(Given, Below),
        schema_edge(M, Way, Above, Given)
    ),
    subproperties(M, Above, Properties),
    (   memberchk(#rdfs(member), Properties)
    ->  true                            % and rdf:_1 and its kin: any
    ;   member(P, Properties),
        iri(P)
    ).

iri(P) :-
    atom(P),
    \+ sub_atom(P, 0, _, _, '_:').
