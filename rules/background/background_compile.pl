:- module(etalis_background_compile,
          [ compile_facts/3,            % +FactsFile, +CompiledFile, -Count
            load_compiled/3             % +Background, +CompiledFile, -Outcome
          ]).
:- use_module(library(modules), [in_temporary_module/3]).
:- use_module(background, [enter_predicate/3, triple_count/2]).
:- use_module(background_graphs, [enter_graph/3, enter_graph_predicate/4]).
:- use_module(clause_memory, [giving_memory_back/1]).
:- use_module('../sparql/datatypes', [op(_, _, ^^), op(_, _, @)]).
:- use_module('../engine/messages', [message_text/2]).
:- use_module(library(macros)).

#import('../sparql/datatypes').

/** <module> Background triples as a .qlf file: written once, read by every process that needs them

A plain .qlf names the source file of its clauses, and Prolog takes a second load of one source for a reload: it
would empty the background of the first engine. So the file written here has no source. Its first directive
makes the module that load_compiled/3 is filling the one that takes the clauses.

Uses the predicates by which SWI-Prolog's own compiler writes .qlf files (boot/init.pl): three times as fast
as qcompile/1, which loads the whole text by way of expand_term/2.
*/

:- det((compile_facts/3, load_compiled/3)).

%!  compile_facts(+FactsFile, +CompiledFile, -Count) is det.
%
%   FactsFile has one term a line (written by ontologies/facts.py):
%
%     - predicate(Number, Predicate): Number stands for Predicate from here on
%     - graph(Graph): there is a named graph, maybe an empty one
%     - graph_predicate(Number, Graph, Predicate): Number stands for Predicate in Graph
%     - datatype(Number, Datatype): Number stands for Datatype from here on
%     - s(Subject, [Number,Object|More]): triples with this subject
%     - again(Subject, [Number,Object|More]): triples that may have been there before
%
%   An object is an IRI or blank node (an atom), a plain string for an xsd:string, an integer for an xsd:integer,
%   Value^^Number with the number of another datatype, or Text@Language.
%
%   Count is the number of different triples of the default graph. A file that is left behind by an error is
%   not complete.

compile_facts(FactsFile, CompiledFile, Count) :-
    giving_memory_back(in_temporary_module(Scratch, true, compile_in(Scratch, FactsFile, CompiledFile, Count))),
    trim_heap.

compile_in(Scratch, FactsFile, CompiledFile, Count) :-
    dynamic(Scratch:[number/2, datatype/2, '$predicate'/2, '$graph'/2, '$graph_count'/1, '$graph_table'/3]),
    setup_call_cleanup(
        open(FactsFile, read, In, [encoding(utf8)]),
        setup_call_cleanup(
            '$qlf_open'(CompiledFile),
            compile_part(Scratch, In),
            '$qlf_close'),
        close(In)),
    triple_count(Scratch, Count).

compile_part(Scratch, In) :-
    setup_call_cleanup(
        '$set_source_module'(Old, etalis_background_file),
        ( '$qlf_start_module'(etalis_background_file),
          '$add_directive_wic'(etalis_background_compile:enter_background),
          '$set_source_module'(Scratch),
          compile_terms(Scratch, In),
          '$qlf_end_part'
        ),
        '$set_source_module'(Old)).

compile_terms(Scratch, In) :-
    repeat,
    read_term(In, Term, [double_quotes(string), module(system)]),
    (   Term == end_of_file
    ->  !
    ;   compile_term(Term, Scratch),
        fail
    ).

compile_term(s(S, Pairs), M) :-
    compile_triples(Pairs, new, M, S).
compile_term(again(S, Pairs), M) :-
    compile_triples(Pairs, maybe, M, S).
compile_term(datatype(Number, Datatype), M) :-
    assertz(M:datatype(Number, Datatype)).
compile_term(predicate(Number, P), M) :-
    enter_predicate(M, P, Table),
    assertz(M:number(Number, Table)),
    '$add_directive_wic'(etalis_background_compile:enter_predicate(P)).
compile_term(graph(Graph), M) :-
    enter_graph(M, Graph, _),
    '$add_directive_wic'(etalis_background_compile:enter_graph(Graph)).
compile_term(graph_predicate(Number, Graph, P), M) :-
    enter_graph_predicate(M, Graph, P, Table),
    assertz(M:number(Number, Table)),
    '$add_directive_wic'(etalis_background_compile:enter_graph_predicate(Graph, P)).

compile_triples([], _, _, _).
compile_triples([Number,Object|Pairs], IsNew, M, S) :-
    M:number(Number, Table),
    object(Object, M, O),
    Fact =.. [Table, S, O],
    (   IsNew == maybe, M:Fact
    ->  true
    ;   compile_fact(M:Fact)
    ),
    compile_triples(Pairs, IsNew, M, S).

object(Name, _, Term), atom(Name) => Term = Name.
object(Text, _, Term), string(Text) => Term = Text^^ #xsd(string).
object(Number, _, Term), integer(Number) => Term = Number^^ #xsd(integer).
object(Value^^Number, M, Term) => M:datatype(Number, Datatype), Term = Value^^Datatype.
object(Text@Language, _, Term) => Term = Text@Language.

compile_fact(Fact) :-
    assertz(Fact, Reference),
    '$qlf_assert_clause'(Reference, development).

%!  load_compiled(+Background, +CompiledFile, -Outcome) is det.
%
%   Add the triples of a file that compile_facts/3 wrote to an open background; once only, since triples of
%   two files are not compared. Outcome is `loaded`, or the text of an error where this Prolog cannot read the
%   file. A damaged file ends the process: the caller compares its checksum first.

load_compiled(M, CompiledFile, Outcome) :-
    b_setval(etalis_background, M),
    catch(setup_call_cleanup(
              open(CompiledFile, read, In, [type(binary)]),
              '$qlf_load'(M:In, _),
              close(In)),
          Error,
          true),
    (   var(Error)
    ->  Outcome = loaded
    ;   message_text(Error, Outcome)
    ).

%   Directives of the compiled file.

:- public enter_background/0, enter_predicate/1, enter_graph/1, enter_graph_predicate/2.

enter_background :-
    b_getval(etalis_background, M),
    '$set_source_module'(M).

enter_predicate(P) :-
    b_getval(etalis_background, M),
    enter_predicate(M, P, _).

enter_graph(Graph) :-
    b_getval(etalis_background, M),
    enter_graph(M, Graph, _).

enter_graph_predicate(Graph, P) :-
    b_getval(etalis_background, M),
    enter_graph_predicate(M, Graph, P, _).
