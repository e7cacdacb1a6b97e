:- module(etalis_background,
          [ open_background/1,          % +Background
            close_background/1,         % +Background
            add_triple/4,               % +Background, +Subject, +Predicate, +Object
            enter_predicate/3,          % +Background, +Predicate, -Table
            background_predicate/3,     % +Background, ?Predicate, -Table
            explicit_triple/4,          % +Background, ?Subject, ?Predicate, ?Object
            background_node/2,          % +Background, ?Node
            triple_count/2              % +Background, -Count
          ]).
:- use_module(library(aggregate), [aggregate_all/3]).
:- use_module(library(lists), [member/2]).
:- use_module(background_texts, [stored_triple/4]).
:- use_module(clause_memory, [giving_memory_back/1]).
:- use_module('../sparql/datatypes', [op(_, _, ^^), op(_, _, @)]).

/** <module> Background knowledge: the triples of one load, in a module of their own

The triples with predicate P are the clauses of Table(Subject, Object) in the module, Table being `'$<P>'`: so
Prolog's clause indexing finds them by subject or by object within one predicate, however many triples other
predicates have. '$predicate'(P, Table) lists them. They hold the default graph: all triples, also those of
named graphs (background_graphs.pl has them once more), but for the graphs that only GRAPH and FROM see.

The user's Prolog files are loaded into the same module. They, and questions, see these views, which nobody can
change: rdf(S,P,O), also named rdfs(S,P,O), the entailed graph, rdf_asserted(S,P,O) the triples as they stand in the
files, rdf(S,P,O,Graph) those of named graphs, rdfs_subclass(C,D) and rdfs_subproperty(P,Q), also named as in
library(semweb/rdfs) rdfs_subclass_of/2 and rdfs_subproperty_of/2, and rdfs_individual_of(Resource,Class).

All that belongs to a background is in its module, what rdfs_schema.pl and its kin remember too, and goes with
it. Does not entail anything: see rdfs.pl.
*/

:- det((open_background/1, close_background/1, add_triple/4, enter_predicate/3, predicate_table/2,
        triple_count/2)).

%!  open_background(+Background) is det.
%
%   Make the module Background, which must not exist, with no triples. It sees nothing of `user`.

open_background(M) :-
    set_module(M:class(temporary)),
    forall(import_module(M, Import), delete_import_module(M, Import)),
    add_import_module(M, system, start),
    op(110, xfx, M:(@)),
    op(650, xfx, M:(^^)),
    dynamic(M:[ '$predicate'/2, '$entailment'/1, '$schema'/2,
                '$graph'/2, '$graph_count'/1, '$graph_table'/3, '$merged'/2, '$all_merged'/0, '$texts'/2,
                '$prefix'/2, '$state'/3, '$state_patterns'/4
              ]),
    forall(view(M, Head, Body),
           ( assertz((M:Head :- Body)),
             functor(Head, Name, Arity),
             compile_predicates([M:Name/Arity])
           )),
    forall(member(Halt, [halt, halt(_)]), refuse_halt(M, Halt)).

%   The user's rules run in the process of the engine, which is not theirs to end.

refuse_halt(M, Halt) :-
    redefine_system_predicate(M:Halt),
    assertz((M:Halt :- throw(error(permission_error(call, procedure, halt), _)))).

view(M, rdf(S,P,O), etalis_rdfs:visible_triple(M, S, P, O)).
view(M, rdf(S,P,O,G), etalis_background_graphs:graph_triple(M, G, S, P, O)).
view(M, rdf_asserted(S,P,O), etalis_background:explicit_triple(M, S, P, O)).
view(M, rdfs(S,P,O), etalis_rdfs:background_triple(M, S, P, O)).
view(M, rdfs_subclass(C,D), etalis_rdfs_schema:superclass(M, C, D)).
view(M, rdfs_subclass_of(C,D), etalis_rdfs_schema:superclass(M, C, D)).
view(M, rdfs_subproperty(P,Q), etalis_rdfs_schema:superproperty(M, P, Q)).
view(M, rdfs_subproperty_of(P,Q), etalis_rdfs_schema:superproperty(M, P, Q)).
view(M, rdfs_individual_of(S,C), etalis_rdfs:individual_of(M, S, C)).

%!  close_background(+Background) is det.
%
%   Give back all memory. No goal of the module may be running. SWI-Prolog keeps a note of each
%   library that a file of the user's loaded into the module; in_temporary_module/3 removes it the same way.

close_background(M) :-
    abolish_module_tables(M),
    retractall(system:'$load_context_module'(_, M, _)),
    giving_memory_back('$destroy_module'(M)).

%   predicate_table(+Predicate, -Table): the name of the two-place Prolog predicate that holds the triples of an RDF
%   predicate. No name a user chooses is like it.

predicate_table(Predicate, Table) :-
    atomic_list_concat(['$<', Predicate, >], Table).

%!  enter_predicate(+Background, +Predicate, -Table) is det.
%
%   Make sure that there is a table for Predicate.

enter_predicate(M, Predicate, Table) :-
    M:'$predicate'(Predicate, Known),
    !,
    Table = Known.
enter_predicate(M, Predicate, Table) :-
    predicate_table(Predicate, Table),
    dynamic(M:Table/2),
    assertz(M:'$predicate'(Predicate, Table)).

%!  add_triple(+Background, +Subject, +Predicate, +Object) is det.
%
%   Add a triple that is not there yet; rdfs:prepare_background/2 must be called again then.

add_triple(M, S, P, O) :-
    enter_predicate(M, P, Table),
    (   \+ \+ call(M:Table, S, O)
    ->  true
    ;   Fact =.. [Table, S, O],
        assertz(M:Fact)
    ).

%!  background_predicate(+Background, ?Predicate, -Table) is nondet.
%
%   There is a table of triples with Predicate; semidet if Predicate is bound.

background_predicate(M, Predicate, Table) :-
    M:'$predicate'(Predicate, Table).

%!  explicit_triple(+Background, ?Subject, ?Predicate, ?Object) is nondet.
%
%   A triple that stands in the files, in any graph, each once.

explicit_triple(M, S, P, O) :-
    M:'$predicate'(P, Table),
    stored_triple(M, Table, S, O).

%!  background_node(+Background, ?Node) is nondet.
%
%   Node is the subject or object of a triple of the default graph, each once. Terms that only axioms of RDFS have are
%   none.

background_node(M, Node) :-
    nonvar(Node),
    !,
    \+ \+ ( explicit_triple(M, Node, _, _) ; explicit_triple(M, _, _, Node) ).
background_node(M, Node) :-
    findall(Each, ( explicit_triple(M, S, _, O), member(Each, [S,O]) ), All),
    sort(All, Nodes),
    member(Node, Nodes).

%!  triple_count(+Background, -Count) is det.
%
%   Count is the number of explicit triples.

triple_count(M, Count) :-
    aggregate_all(sum(N),
                  ( M:'$predicate'(_, Table),
                    functor(Head, Table, 2),
                    predicate_property(M:Head, number_of_clauses(N))
                  ),
                  Count).
