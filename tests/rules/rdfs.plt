:- module(test_rdfs, []).
:- use_module('../../rules/background/background').
:- use_module('../../rules/background/rdfs').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(aggregate), [aggregate_all/3]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [append/3, member/2, numlist/3]).
:- use_module(library(plunit)).

%   with(+Entailment, +Triples, :Goal): Goal with the background `bg` that holds Triples. The words type, sub, subp,
%   domain and range stand for their IRIs.

:- meta_predicate with(+, +, 0).

with(Entailment, Triples, Goal) :-
    setup_call_cleanup(
        ( open_background(bg),
          forall(( member(t(S0,P0,O0), Triples), iri(S0, S), iri(P0, P), iri(O0, O) ),
                 add_triple(bg, S, P, O)),
          prepare_background(bg, Entailment)
        ),
        once(Goal),
        close_background(bg)).

iri(Variable, Variable) :- var(Variable), !.
iri(Word, Iri) :- word(Word, Iri), !.
iri(Term, Term).

word(type,   'http://www.w3.org/1999/02/22-rdf-syntax-ns#type').
word(sub,    'http://www.w3.org/2000/01/rdf-schema#subClassOf').
word(subp,   'http://www.w3.org/2000/01/rdf-schema#subPropertyOf').
word(domain, 'http://www.w3.org/2000/01/rdf-schema#domain').
word(range,  'http://www.w3.org/2000/01/rdf-schema#range').

known(S0, P0, O0) :-
    maplist(iri, [S0,P0,O0], [S,P,O]),
    background_triple(bg, S, P, O).

follows(S0, P0, O0, Set) :-
    maplist(iri, [S0,P0,O0], [S,P,O]),
    findall(t(S2,P2,O2), ( entailed_by_triple(bg, S, P, O, S3, P3, O3),
                           maplist(short, [S3,P3,O3], [S2,P2,O2]) ), Set).

short(Iri, Word) :- word(Word, Iri), !.
short(Term, Term).

schema([ t(oak,sub,tree), t(tree,sub,plant), t(plant,sub,thing),
         t(near,subp,related), t(related,subp,linked),
         t(grows,domain,tree), t(grows,range,place), t(linked,domain,thing),
         t(kind,subp,type), t(type,subp,about)
       ]).

data([ t(e,type,oak), t(f,kind,tree), t(e,near,f), t(g,grows,"soil"^^text), t(g,grows,hill), t(e,label,"e"@en) ]).

all(Triples) :- schema(Schema), data(Data), append(Schema, Data, Triples).

:- begin_tests(rdfs).

%   ---- each rule, on the background ----------------------------------------------------------------------

entailed(rdfs2,  t(g,type,tree)).
entailed(rdfs2,  t(g,type,thing)).
entailed(rdfs2,  t(e,type,thing)).
entailed(rdfs3,  t(hill,type,place)).
entailed(rdfs5,  t(near,subp,linked)).
entailed(rdfs5,  t(kind,subp,about)).
entailed(rdfs7,  t(e,related,f)).
entailed(rdfs7,  t(e,linked,f)).
entailed(rdfs7,  t(f,type,tree)).
entailed(rdfs7,  t(g,about,plant)).
entailed(rdfs9,  t(e,type,thing)).
entailed(rdfs9,  t(f,type,plant)).
entailed(rdfs11, t(oak,sub,thing)).
entailed(rdfs6,  t(near,subp,near)).
entailed(rdfs8,  t(oak,sub,'http://www.w3.org/2000/01/rdf-schema#Resource')).
entailed(rdfs10, t(oak,sub,oak)).
entailed(rdfs10, t(place,sub,place)).
entailed(rdfD2,  t(label,type,'http://www.w3.org/1999/02/22-rdf-syntax-ns#Property')).
entailed(rdfD2,  t(linked,type,'http://www.w3.org/1999/02/22-rdf-syntax-ns#Property')).
entailed(rdfD2,  t(linked,about,'http://www.w3.org/1999/02/22-rdf-syntax-ns#Property')).
entailed(axiom,  t(type,range,'http://www.w3.org/2000/01/rdf-schema#Class')).
entailed(axiom,  t(oak,type,'http://www.w3.org/2000/01/rdf-schema#Class')).

test(rule, [forall(entailed(Rule, t(S,P,O))), true(Rule-Found == Rule-yes)]) :-
    all(Triples),
    with(rdfs, Triples, ( known(S, P, O) -> Found = yes ; Found = no )).

not_entailed(t("soil"^^text,type,place)).
not_entailed(t(e,sub,e)).
not_entailed(t(e,subp,e)).
not_entailed(t("soil"^^text,type,'http://www.w3.org/2000/01/rdf-schema#Class')).
not_entailed(t(e,type,'http://www.w3.org/2000/01/rdf-schema#Resource')).
not_entailed(t(e,type,place)).
not_entailed(t(tree,sub,oak)).
not_entailed(t(e,unknown,f)).
not_entailed(t(oak,type,thing)).

test(no_rule, [forall(not_entailed(t(S,P,O))), true(Found == no)]) :-
    all(Triples),
    with(rdfs, Triples, ( known(S, P, O) -> Found = yes ; Found = no )).

test(nothing_without_entailment, Triples == Given) :-
    all(All),
    findall(t(S,P,O), ( member(T, All), T =.. [t|Ts], maplist(iri, Ts, [S,P,O]) ), Given0),
    msort(Given0, Given),
    with(none, All, findall(t(S,P,O), background_triple(bg, S, P, O), Found)),
    msort(Found, Triples).

%   ---- stream triples ------------------------------------------------------------------------------------

consequence(t(x,type,oak), [t(x,about,oak),t(x,about,plant),t(x,about,thing),t(x,about,tree),
                            t(x,type,oak),t(x,type,plant),t(x,type,thing),t(x,type,tree)]).
consequence(t(x,label,"l"@en), [t(x,label,"l"@en)]).
consequence(t(x,unknown,oak), [t(x,unknown,oak)]).
consequence(t(x,sub,oak), [t(x,sub,oak)]).
consequence(t(x,near,y), [t(x,about,thing),t(x,linked,y),t(x,near,y),t(x,related,y),t(x,type,thing)]).
consequence(t(x,near,x), [t(x,about,thing),t(x,linked,x),t(x,near,x),t(x,related,x),t(x,type,thing)]).
consequence(t(x,grows,5^^number), [t(x,about,plant),t(x,about,thing),t(x,about,tree),t(x,grows,5^^number),
                                   t(x,type,plant),t(x,type,thing),t(x,type,tree)]).
consequence(t(x,kind,new), [t(x,about,new),t(x,kind,new),t(x,type,new)]).
consequence(t(x,about,oak), [t(x,about,oak)]).

test(stream, [forall(consequence(t(S,P,O), Expected)), true(Set == Expected)]) :-
    all(Triples),
    with(rdfs, Triples, ( follows(S, P, O, Once), follows(S, P, O, Again) )),
    Once == Again,
    msort(Once, Set).

test(an_object_that_is_a_subject_as_well, Set == [t(hill,grows,hill),t(hill,type,place),t(hill,type,tree)]) :-
    with(rdfs, [t(grows,domain,tree),t(grows,range,place)], follows(hill, grows, hill, Found)),
    msort(Found, Set).
test(domain_and_range_may_be_one_class, Set == [t(x,knows,x),t(x,type,person)]) :-
    with(rdfs, [t(knows,domain,person),t(knows,range,person)], follows(x, knows, x, Found)),
    msort(Found, Set).
test(the_domain_of_type, Set == [t(class,type,class),t(class,type,thing),t(oak,type,class),t(oak,type,thing),
                                 t(thing,type,class),t(thing,type,thing),t(x,type,oak),t(x,type,thing)]) :-
    with(rdfs, [t(type,domain,thing),t(type,range,class)], follows(x, type, oak, Found)),
    msort(Found, Set).
test(no_entailment_on_the_stream, Set == [t(x,type,oak)]) :-
    all(Triples),
    with(none, Triples, follows(x, type, oak, Set)).

%   ---- cycles and depth ----------------------------------------------------------------------------------

test(cycle_of_classes, Classes == [a,b,c]) :-
    with(rdfs, [t(a,sub,b),t(b,sub,c),t(c,sub,a),t(c,sub,c)],
         ( findall(C, superclass(bg, b, C), Found), aggregate_all(count, known(a,sub,_), 4) )),
    msort(Found, Classes).
test(cycle_of_properties, Found == [t(x,p,y),t(x,q,y)]) :-
    with(rdfs, [t(p,subp,q),t(q,subp,p),t(x,p,y)],
         findall(t(x,P,y), ( background_triple(bg, x, P, y) ), Found0)),
    msort(Found0, Found).
test(chain, Count-Above == 10 000-yes) :-
    numlist(1, 10 000, Ns),
    findall(t(A,sub,B), ( member(N, Ns), M is N+1, atom_number(A, N), atom_number(B, M) ), Triples),
    with(rdfs, [t(x,type,'2')|Triples],
         ( aggregate_all(count, entailed_by_triple_type('2'), Count),
           ( superclass(bg, '1', '10001') -> Above = yes ; Above = no ),
           known(x, type, '10001'), \+ known(x, type, '1')
         )).

entailed_by_triple_type(Class) :-
    iri(type, Type),
    entailed_by_triple(bg, e, Type, Class, e, Type, _).

%   ---- the schema itself ---------------------------------------------------------------------------------

test(superclass_of, Found == [oak,tree,plant,thing]) :-
    schema(Schema),
    with(rdfs, Schema, findall(C, superclass(bg, oak, C), Found)).
test(subclass_of, Found == [plant,tree,oak]) :-
    schema(Schema),
    with(rdfs, Schema, findall(C, superclass(bg, C, plant), Found)).
test(all_pairs, Count == 10) :-
    schema(Schema),
    with(rdfs, Schema, aggregate_all(count, user_pair, Count)).
user_pair :-
    superclass(bg, Class, _),
    \+ sub_atom(Class, 0, _, _, 'http://www.w3.org/').

test(not_in_the_ontology, Found == [new]-[new]) :-
    schema(Schema),
    with(rdfs, Schema, ( findall(P, superproperty(bg, new, P), A), findall(P, superproperty(bg, P, new), B),
                         Found = A-B )).
test(domain_and_range, Found == [plant,thing,tree]-[place]) :-
    schema(Schema),
    with(rdfs, Schema, ( findall(C, property_domain(bg, grows, C), A), findall(C, property_range(bg, grows, C), B),
                         Found = A-B )).
test(domain_of_a_superproperty, Found == [thing]) :-
    schema(Schema),
    with(rdfs, Schema, findall(C, property_domain(bg, near, C), Found)).
test(blank_nodes_link_properties, Found == [t(x,p,y),t(x,q,y),t(x,type,thing)]) :-
    with(rdfs, [t(p,subp,'_:b'),t('_:b',subp,q),t('_:b',domain,thing)], follows(x, p, y, Found0)),
    msort(Found0, Found).
test(own_subclass_property, true) :-
    with(rdfs, [t(isA,subp,sub),t(oak,isA,tree),t(tree,sub,plant),t(x,type,oak)],
         ( known(oak, sub, plant), known(x, type, plant), superclass(bg, oak, plant) )).
test(type_below_subclass, true) :-
    with(rdfs, [t(type,subp,sub),t(a,type,b),t(b,type,c)], ( known(a, sub, c), known(a, type, c) )).

%   ---- what can match, what can trigger --------------------------------------------------------------------

may(type, oak, yes).        may(type, thing, yes).      may(type, _, yes).
may(type, unknown, no).     may(about, plant, yes).     may(linked, f, yes).
may(linked, e, no).         may(_, hill, yes).          may(_, nothing, no).
may(unknown, _, no).        may(_, _, yes).

test(may_match, [forall(may(P0, O0, Expected)), true(Found == Expected)]) :-
    all(Triples),
    maplist(iri, [P0,O0], [P,O]),
    with(rdfs, Triples, ( may_match(bg, P, O) -> Found = yes ; Found = no )).

triggers(linked, _, [linked-same,near-subproperty,related-subproperty]).
triggers(new, _, [new-same]).
triggers(type, plant, [grows-domain,kind-class(oak),kind-class(plant),kind-class(tree),
                       type-class(oak),type-class(plant),type-class(tree)]).
triggers(type, place, [grows-range,kind-class(place),type-class(place)]).
triggers(about, place, [about-same,grows-range,kind-class(place),type-class(place)]).
triggers(kind, plant, [kind-same]).

test(triggers, [forall(triggers(P0, O, Expected)), true(Found == Expected)]) :-
    schema(Schema),
    iri(P0, P),
    with(rdfs, Schema, findall(Q-Way, ( triggering_predicate(bg, Q0, P, O, Way), short(Q0, Q) ), Found0)),
    msort(Found0, Found).
test(any_trigger, Way == any) :-
    with(rdfs, [], ( triggering_predicate(bg, P, _, _, Way), var(P) )).
test(no_trigger_by_the_ontology, Found == [linked-same]) :-
    schema(Schema),
    with(none, Schema, findall(Q-Way, triggering_predicate(bg, Q, linked, _, Way), Found)).
test(any_typed_thing_triggers, Found == [grows-domain,grows-typed,type-domain,type-typed,type-class(thing)]) :-   % and of rdf:first
    iri(type, Type),
    with(rdfs, [t(type,domain,thing),t(grows,domain,thing)],
         findall(Q-Way, ( triggering_predicate(bg, Q0, Type, thing, Way), short(Q0, Q),
                          \+ sub_atom(Q, 0, _, _, 'http:') ), Found0)),
    msort(Found0, Found).

:- end_tests(rdfs).

%   A goal that leaves a choice point is a warning, and so a failure.

:- begin_tests(determinism, [setup(open_all), cleanup(close_background(bg))]).

open_all :-
    all(Triples),
    open_background(bg),
    forall(( member(t(S0,P0,O0), Triples), maplist(iri, [S0,P0,O0], [S,P,O]) ), add_triple(bg, S, P, O)),
    prepare_background(bg, rdfs).

test(superclass_check)      :- superclass(bg, oak, thing).
test(superproperty_single)  :- superproperty(bg, linked, P), P == linked.
test(superclass_unknown)    :- superclass(bg, new, C), C == new.
test(domain_check)          :- property_domain(bg, grows, tree).
test(range_single)          :- property_range(bg, grows, C), C == place.
test(triple_check)          :- known(e, type, thing).
test(triple_of_many_checks) :- known(e, linked, f).
test(one_label)             :- known(e, label, L), L == "e"@en.
test(itself_only)           :- entailed_by_triple(bg, a, unknown, b, S, P, O), S-P-O == a-unknown-b.
test(may_match)             :- may_match(bg, label, _).
test(explicit)              :- explicit_triple(bg, e, near, O), O == f.

:- end_tests(determinism).
