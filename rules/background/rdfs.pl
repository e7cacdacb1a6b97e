:- module(etalis_rdfs,
          [ prepare_background/2,       % +Background, +Entailment
            background_triple/4,        % +Background, ?Subject, ?Predicate, ?Object
            data_triple/4,              % +Background, ?Subject, +Predicate, ?Object
            visible_triple/4,           % +Background, ?Subject, ?Predicate, ?Object
            individual_of/3,            % +Background, ?Resource, ?Class
            may_match/3,                % +Background, ?Predicate, ?Object
            only_table/3                % +Background, +Predicate, -Table
          ]).
:- use_module(library(apply), [exclude/3]).
:- use_module(library(lists), [append/3, member/2]).
:- use_module(library(macros)).
:- use_module(background, [background_predicate/3]).
:- use_module(background_compile, []).
:- use_module(background_graphs, [merge_graphs_anew/1]).
:- use_module(background_rules, []).
:- use_module(background_texts, [forget_texts/1, stored_triple/4]).
:- use_module(derived_schema, [derive_schema/1]).
:- use_module(rdfs_types, [forget_types/1, typed/3, type_tables/2, some_typed/1]).
:- reexport(background, [explicit_triple/4, background_node/2]).
:- reexport(background_graphs,
            [graph_name/2, graph_triple/5, dataset_triple/5, graph_node/3]).
:- reexport(rdfs_schema, [superclass/3, superproperty/3, property_domain/3, property_range/3]).
:- reexport(rdfs_stream, [entailed_by_triple/7]).
:- reexport(rdfs_triggers, [triggering_predicate/5]).
:- use_module(rdfs_schema,
              [ set_schema/3, forget_closures/1, superproperties/3, subproperties/3,
                proper_superclass/3, proper_superproperty/3
              ]).
:- use_module(rdfs_stream, [forget_consequences/1]).
:- use_module(rdfs_vocabulary, [forget_vocabulary/1, vocabulary_predicate/1, vocabulary_triple/4]).

#import(rdfs_names).

/** <module> RDFS entailment over background and stream

Rules 2, 3, 5, 7, 9 and 11 of RDF 1.1 Semantics, section 9.2.1; in the background also what rdfs_vocabulary.pl says of
classes and properties themselves. Not that each term is an rdfs:Resource (rdfs4). What a rule concludes
about a literal as subject, or with a blank node as predicate, is not an RDF triple and is left out; properties
that are blank nodes still link others (`:p rdfs:subPropertyOf _:b. _:b rdfs:domain :C`).

A triple with predicate P follows from the triples of P and its subproperties, where those of rdf:type,
rdfs:subClassOf and rdfs:subPropertyOf are the entailed ones. Nothing is computed for all pairs: see
rdfs_schema.pl and rdfs_types.pl for what is kept. The schema is the background's alone; a stream triple
with rdfs:subClassOf is a triple like any other.
*/

%!  prepare_background(+Background, +Entailment) is det.
%
%   To be called when all triples are in, and again after more have been added. Entailment is `rdfs` or
%   `none`; with `none` background_triple/4 and entailed_by_triple/7 give the given triples only.

:- det(prepare_background/2).

prepare_background(M, Entailment) :-
    retractall(M:'$entailment'(_)),
    assertz(M:'$entailment'(Entailment)),
    retractall(M:'$schema'(_, _)),
    forall(( schema_predicate(P, Kind), background_predicate(M, P, Table) ),
           set_schema(M, Kind, Table)),
    forget_all(M),
    (   Entailment == rdfs, odd_schema(M)
    ->  derive_schema(M)
    ;   true
    ).

schema_predicate(#rdfs(subClassOf),    class).
schema_predicate(#rdfs(subPropertyOf), property).
schema_predicate(#rdfs(domain),        domain).
schema_predicate(#rdfs(range),         range).

%   Some property is below one of the four: its triples are schema too.

odd_schema(M) :-
    schema_predicate(P, _),
    subproperties(M, P, [_,_|_]),
    !.

forget_all(M) :-
    forget_closures(M),
    forget_types(M),
    forget_vocabulary(M),
    forget_consequences(M),
    forget_texts(M),
    merge_graphs_anew(M),
    dynamic(M:['$sources'/2, '$entailed_predicates'/1]),
    retractall(M:'$sources'(_, _)),
    retractall(M:'$entailed_predicates'(_)).

%!  background_triple(+Background, ?Subject, ?Predicate, ?Object) is nondet.
%
%   A triple of the entailed graph, each once. Semidet if all are bound. Answers come one by one; the work
%   before the first depends on the pattern's part of the schema, not on the number of triples.

background_triple(M, S, P, O) :-
    M:'$entailment'(Entailment),
    background_triple(Entailment, M, S, P, O).

background_triple(none, M, S, P, O) :-
    explicit_triple(M, S, P, O).
background_triple(rdfs, M, S, P, O) :-
    nonvar(P),
    !,
    sources(M, P, Sources),
    union(Sources, M, S, O).
background_triple(rdfs, M, S, P, O) :-
    entailed_predicates(M, Predicates),
    member(P, Predicates),
    sources(M, P, Sources),
    union(Sources, M, S, O).

%!  data_triple(+Background, ?Subject, +Predicate, ?Object) is nondet.
%
%   As background_triple/4 with entailment, without what is said of classes and properties themselves.

data_triple(M, S, P, O) :-
    sources(M, P, All),
    exclude(=(vocabulary(_)), All, Sources),
    Sources = [_|_],
    union(Sources, M, S, O).

%!  visible_triple(+Background, ?Subject, ?Predicate, ?Object) is nondet.
%
%   As background_triple/4; while the files are still read, what they have said so far.

visible_triple(M, S, P, O) :-
    (   M:'$entailment'(_)
    ->  background_triple(M, S, P, O)
    ;   explicit_triple(M, S, P, O)
    ).

%!  individual_of(+Background, ?Resource, ?Class) is nondet.
%
%   Resource has Class as a type, by what is entailed.

individual_of(M, Resource, Class) :-
    background_triple(M, Resource, #rdf(type), Class).

%!  may_match(+Background, ?Predicate, ?Object) is semidet.
%
%   Some triple of the entailed graph has this Predicate and Object.

may_match(M, P, O) :-
    \+ \+ background_triple(M, _, P, O).

%!  only_table(+Background, +Predicate, -Table) is semidet.
%
%   The triples with Predicate, of those that are entailed as well, are the clauses Table(Subject, Object).

only_table(M, P, Table) :-
    M:'$entailment'(Entailment),
    only_table(Entailment, M, P, Table).

only_table(none, M, P, Table) :-
    background_predicate(M, P, Table).
only_table(rdfs, M, P, Table) :-
    sources(M, P, [stored(Table)]).

%   sources(+M, +P, -Sources): what the triples with predicate P come from, each one of stored(Table),
%   types, classes (the transitive rdfs:subClassOf), properties and vocabulary(Q).

sources(M, P, Sources) :-
    M:'$sources'(P, Known),
    !,
    Sources = Known.
sources(M, P, Sources) :-
    iri(P),
    subproperties(M, P, Below),
    findall(Source, ( member(Q, Below), source(M, Q, Below, Source) ), Told),
    findall(vocabulary(Q), ( member(Q, Below), vocabulary_predicate(Q) ), Vocabulary),
    append(Told, Vocabulary, Sources),
    (   Sources == []
    ->  true
    ;   assertz(M:'$sources'(P, Sources))
    ).

source(M, #rdf(type), _, Source) =>
    some_typed(M),
    Source = types.
source(_, #rdfs(subClassOf), _, Source) =>
    Source = classes.
source(_, #rdfs(subPropertyOf), _, Source) =>
    Source = properties.
source(M, P, Below, Source) =>
    background_predicate(M, P, Table),
    \+ ( memberchk(#rdf(type), Below), type_tables(M, Tables), memberchk(Table, Tables) ),
    Source = stored(Table).

union([Source], M, S, O) :-
    !,
    source_triple(Source, M, S, O).
union(Sources, M, S, O) :-
    (   nonvar(S), nonvar(O)
    ->  in_one_of(Sources, M, S, O)
    ;   union(Sources, [], M, S, O)
    ).

in_one_of(Sources, M, S, O) :-
    member(Source, Sources),
    source_triple(Source, M, S, O),
    !.

union([Source], Before, M, S, O) :-
    !,
    source_triple(Source, M, S, O),
    \+ in_one_of(Before, M, S, O).
union([Source|_], Before, M, S, O) :-
    source_triple(Source, M, S, O),
    \+ in_one_of(Before, M, S, O).
union([Source|Sources], Before, M, S, O) :-
    union(Sources, [Source|Before], M, S, O).

source_triple(stored(Table), M, S, O) :- stored_triple(M, Table, S, O).
source_triple(types, M, S, O)         :- typed(M, S, O).
source_triple(classes, M, S, O)       :- proper_superclass(M, S, O), atom(S).
source_triple(properties, M, S, O)    :- proper_superproperty(M, S, O), atom(S).
source_triple(vocabulary(P), M, S, O) :- vocabulary_triple(M, P, S, O).

%   All predicates of the entailed graph.

entailed_predicates(M, Predicates) :-
    M:'$entailed_predicates'(Known),
    !,
    Predicates = Known.
entailed_predicates(M, Predicates) :-
    findall(P, entailed_predicate(M, P), All),
    sort(All, Predicates),
    assertz(M:'$entailed_predicates'(Predicates)).

entailed_predicate(M, P) :-
    (   background_predicate(M, Q, _)
    ;   vocabulary_predicate(Q)
    ),
    superproperties(M, Q, Above),
    member(P, Above),
    iri(P).

iri(P) :-
    atom(P),
    \+ sub_atom(P, 0, _, _, '_:').
