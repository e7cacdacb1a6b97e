:- module(test_background, []).
:- use_module('../../rules/background/background').
:- use_module('../../rules/background/background_graphs').
:- use_module('../../rules/background/background_compile').
:- use_module('../../rules/background/background_facts').
:- use_module('../../rules/background/background_rules').
:- use_module('../../rules/background/rdfs', [background_triple/4, prepare_background/2]).
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(apply), [maplist/2, maplist/3]).
:- use_module(library(lists), [member/2]).
:- use_module(library(plunit)).

%   A clause that says bg:Goal would make the module before its time.

in_bg(Goal, Template, Answers) :-
    M = bg,
    findall(Template, M:Goal, Answers).

:- begin_tests(store, [setup(open_background(bg)), cleanup(close_background(bg))]).

test(added_once, Found == [t(a,p,b),t(a,p,"b"^^s),t(a,q,b)]) :-
    forall(member(t(S,P,O), [t(a,p,b),t(a,p,"b"^^s),t(a,p,b),t(a,q,b)]), add_triple(bg, S, P, O)),
    findall(t(S,P,O), explicit_triple(bg, S, P, O), Found),
    triple_count(bg, 3).
test(views, Found == [a-b]) :-
    in_bg(rdf(S, q, O), S-O, Found).
test(predicate_names_are_no_prolog_predicates, true) :-
    add_triple(bg, a, append, b),
    add_triple(bg, a, is, b),
    add_triple(bg, a, halt, b),
    explicit_triple(bg, a, is, b).
test(nothing_of_user_is_seen, fail) :-
    assertz(user:test_background_secret),
    call_cleanup(catch(in_bg(test_background_secret, yes, [_]), error(existence_error(_, _), _), fail),
                 abolish(user:test_background_secret/0)).
test(halt, error(permission_error(call, procedure, halt))) :-
    in_bg(halt, x, _).
test(halt_with_status, error(permission_error(call, procedure, halt))) :-
    in_bg(halt(1), x, _).

:- end_tests(store).

:- begin_tests(compiled, [setup(tmp), cleanup(no_tmp)]).

:- dynamic file/2.

tmp :-
    tmp_file(facts, Facts), tmp_file(compiled, Compiled),
    assertz(file(facts, Facts)), assertz(file(compiled, Compiled)).
no_tmp :-
    forall(retract(file(_, File)), catch(delete_file(File), _, true)).

facts("predicate(1,'urn:p').\ndatatype(1,t).\ns('urn:s',[1,^^(\"a\\x0a\\b\",1)]).\n\c
       again('urn:s',[1,^^(\"a\\x0a\\b\",1)]).\npredicate(2,q).\ndatatype(2,d).\ndatatype(3,f).\n\c
       s(a,[2,^^(3r2,2),1,-7]).\nagain(b,[2,b]).\ns(a,[2,^^(1.5NaN,3)]).\n\c
       graph(graph).\ngraph_predicate(3,graph,'urn:p').\ngraph(none).\ngraph_predicate(4,graph,q).\n\c
       graph_predicate(5,other,q).\ns('urn:s',[3,^^(\"a\\x0a\\b\",1)]).\ns(a,[4,b]).\nagain(a,[4,b,4,c]).\n\c
       s(a,[5,d,5,c]).\npredicate(6,r).\ns(a,[6,\"text\",6,'@'(\"text\",en)]).\n").

compile :-
    facts(Text), file(facts, Facts), file(compiled, Compiled),
    setup_call_cleanup(open(Facts, write, Out, [encoding(utf8)]), write(Out, Text), close(Out)),
    compile_facts(Facts, Compiled, 7).

load(M) :-
    file(compiled, Compiled),
    open_background(M),
    load_compiled(M, Compiled, loaded).

test(triples, Count == 7) :-
    compile,
    load(bg),
    triple_count(bg, Count),
    explicit_triple(bg, 'urn:s', 'urn:p', "a\nb"^^t),
    once(explicit_triple(bg, a, q, 3r2^^d)),
    explicit_triple(bg, a, 'urn:p', -7^^'http://www.w3.org/2001/XMLSchema#integer'),
    findall(O, explicit_triple(bg, a, r, O), ["text"^^'http://www.w3.org/2001/XMLSchema#string', "text"@en]),
    graph_triple(bg, graph, 'urn:s', 'urn:p', "a\nb"^^t),
    findall(O, explicit_triple(bg, a, q, O), [3r2^^d, 1.5NaN^^f]),
    close_background(bg).
test(two_loads_of_one_file, Counts == [7,7,7]) :-
    compile,
    maplist(load, [bg1,bg2,bg3]),
    findall(N, ( member(M, [bg1,bg2,bg3]), triple_count(M, N) ), Counts0),
    close_background(bg1),
    add_triple(bg2, new, q, new),
    triple_count(bg3, 7), triple_count(bg2, 8),
    Counts = Counts0,
    maplist(close_background, [bg2,bg3]).
test(graphs, Found == [graph-b,graph-c,other-d,other-c]) :-
    compile,
    load(bg),
    findall(G, graph_name(bg, G), [graph,none,other]),
    graph_name(bg, none),
    findall(G-O, graph_triple(bg, G, a, q, O), Found),
    findall(G, graph_triple(bg, G, _, 'urn:p', _), [graph]),
    findall(O, dataset_triple(bg, [other,none,graph,unknown], a, q, O), Merged),
    Merged == [d,c,b],
    findall(N, graph_node(bg, other, N), [a,c,d]),
    graph_node(bg, other, c),
    \+ graph_node(bg, other, b),
    \+ graph_node(bg, none, _),
    close_background(bg).
test(nodes, Found == Expected) :-
    compile,
    load(bg),
    findall(N, background_node(bg, N), Found),
    sort([a,b,'urn:s',1.5NaN^^f,-7^^'http://www.w3.org/2001/XMLSchema#integer',3r2^^d,"a\nb"^^t,
          "text"^^'http://www.w3.org/2001/XMLSchema#string',"text"@en], Expected),
    background_node(bg, b),
    background_node(bg, 'urn:s'),
    \+ background_node(bg, q),
    close_background(bg).
test(no_source_file_is_left, Sources == Before) :-
    compile,
    findall(F, source_file(F), Before),
    load(bg), close_background(bg),
    findall(F, source_file(F), Sources).
test(not_a_compiled_file, [true(Outcome \== loaded)]) :-
    file(facts, Facts),
    open_background(bg),
    load_compiled(bg, Facts, Outcome),
    close_background(bg).
test(no_file, [true(Outcome \== loaded)]) :-
    open_background(bg),
    load_compiled(bg, '/no/such/file.qlf', Outcome),
    close_background(bg).
test(source_module_is_as_it_was, Old == New) :-
    '$current_source_module'(Old),
    compile, load(bg), close_background(bg),
    '$current_source_module'(New).

:- end_tests(compiled).

:- begin_tests(graphs, [setup(many_graphs), cleanup(close_background(bg))]).

%   30 graphs g1..g30 with (s, p, g), (g, p, o) and (g, q, all), some of them twice.

many_graphs :-
    open_background(bg),
    forall(graph_fact(G, S, P, O),
           ( enter_graph_predicate(bg, G, P, Table), Fact =.. [Table,S,O], assertz(bg:Fact) )),
    prepare_background(bg, none).

graph_fact(G, S, P, O) :-
    between(1, 30, N),
    atom_concat(g, N, G),
    member(t(S,P,O), [t(s,p,G),t(G,p,o),t(G,q,all)]).

found(G, S, P, O) :-
    findall(t(G,S,P,O), graph_triple(bg, G, S, P, O), Found0),
    msort(Found0, Found),
    findall(t(G,S,P,O), graph_fact(G, S, P, O), Expected0),
    msort(Expected0, Expected),
    Found == Expected.

test(any_pattern, [forall(pattern(G, S, P, O))]) :-
    found(G, S, P, O).

pattern(G, S, P, O) :-
    member(G, [_,g7,none]), member(S, [_,s,g7,none]), member(P, [_,p,q,all,none]), member(O, [_,o,g7,all,none]).

test(triples_that_are_added, Graphs == [new]) :-
    once(graph_triple(bg, _, s, _, _)),
    enter_graph_predicate(bg, new, r, Table), Fact =.. [Table,s,o], assertz(bg:Fact),
    prepare_background(bg, none),
    findall(G, graph_triple(bg, G, s, _, o), Graphs).

:- end_tests(graphs).

:- begin_tests(closing).

test(everything_is_gone, true) :-
    open_background(bg),
    forall(member(N, [1,2,3]), add_triple(bg, N, p, N)),
    prepare_background(bg, rdfs),
    once(etalis_rdfs:background_triple(bg, _, p, _)),
    close_background(bg),
    \+ current_module(bg).
test(a_name_can_be_used_again, Count == 1) :-
    open_background(bg), add_triple(bg, a, p, b), close_background(bg),
    open_background(bg), add_triple(bg, a, q, b), triple_count(bg, Count), close_background(bg).
test(tables_go_with_it, true) :-
    open_background(bg),
    in_bg(table(reach/2), x, [_]),
    forall(member(C, [(reach(X,Y) :- edge(X,Y)), (reach(X,Y) :- reach(X,Z), edge(Z,Y)), edge(a,b), edge(b,a)]),
           in_bg(assertz(C), x, [_])),
    in_bg(reach(a, Y), Y, [_,_]),
    close_background(bg),
    \+ ( current_table(M:_, _), M == bg ).

:- end_tests(closing).

:- begin_tests(facts).

fact(rdf(a,b,c), t(a,b,c)).
fact(rdf(a,rdf:type,c), t(a,'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',c)).
fact(rdf('_:a',b,'_:c'), t('_:a',b,'_:c')).
fact(rdf(a,b,"c"), t(a,b,"c"^^'http://www.w3.org/2001/XMLSchema#string')).
fact(rdf(a,b,"c"@'EN-gb'), t(a,b,"c"@'en-gb')).
fact(rdf(a,b,1), t(a,b,1^^'http://www.w3.org/2001/XMLSchema#integer')).
fact(rdf(a,b,false), t(a,b,false^^'http://www.w3.org/2001/XMLSchema#boolean')).
fact(rdf(a,b,"c"^^d), t(a,b,"c"^^d)).
fact(rdf(a,b,"x"^^xsd:integer), t(a,b,"x"^^'http://www.w3.org/2001/XMLSchema#integer')).
fact(rdf(a,b,"+1"^^xsd:integer), t(a,b,lexical(1,"+1")^^'http://www.w3.org/2001/XMLSchema#integer')).
fact(rdf(a,b,lexical(9,"+1")^^xsd:integer), t(a,b,lexical(1,"+1")^^'http://www.w3.org/2001/XMLSchema#integer')).
fact(rdf(a,b,duration(0,1000000)^^xsd:duration), t(a,b,duration(0,1000000)^^'http://www.w3.org/2001/XMLSchema#duration')).
fact(rdf(a,b,c,g), t(a,b,c,g)).

test(fact, [forall(fact(Fact, Expected)), true(Triple == Expected)]) :-
    fact_triple(Fact, Triple).

no_fact(rdf(_,b,c)).            no_fact(rdf(a,_,c)).            no_fact(rdf(a,b,_)).
no_fact(rdf("a",b,c)).          no_fact(rdf(a,"b",c)).          no_fact(rdf(a,'_:b',c)).
no_fact(rdf(f(a),b,c)).         no_fact(rdf(a,b,f(c))).         no_fact(rdf(a,b,[c])).
no_fact(rdf(1,b,c)).            no_fact(rdf(a,foo:b,c)).        no_fact(rdf(a,b,1r3)).
no_fact(rdf(a,b,300^^xsd:byte)). no_fact(rdf(a,b,1.5^^xsd:integer)). no_fact(rdf(a,b,"x"^^_)).
no_fact(rdf(a,b,_^^xsd:integer)). no_fact(rdf(a,b,true^^xsd:integer)). no_fact(rdf(a,b,c,_)).
no_fact(rdf(a,b,c,"g")).        no_fact(rdf(a,b,text@en)).

test(no_fact, [forall(no_fact(Fact)), error(etalis_fact(_))]) :-
    fact_triple(Fact, _).

:- end_tests(facts).

:- begin_tests(long_texts, [cleanup(close_background(bg))]).

%   Texts that are alike but in their middle; of one subject two, of one text two subjects.

text(Number, Text^^string) :-
    format(string(Text), "This is text number ~|~`0t~d~6+ of those that begin and end alike", [Number]).

texts(Count) :-
    open_background(bg),
    forall(between(1, Count, N), ( text(N, Text), add_triple(bg, N, p, Text) )),
    text(7, Text), add_triple(bg, other, p, Text), add_triple(bg, 8, p, Text),
    prepare_background(bg, rdfs).

found(N, Subjects) :-
    text(N, Text),
    findall(S, background_triple(bg, S, p, Text), Subjects).

found_by(N, Seconds) :-
    text(N, Text),
    statistics(cputime, T0),
    forall(between(1, 300, _), background_triple(bg, _, p, Text)),
    statistics(cputime, T1),
    Seconds is T1 - T0.

test(found, Found == [[7,other,8],[8],[9],[]]) :-
    texts(100),
    maplist(found, [7,8,9,101], Found),
    text(101, Text), add_triple(bg, new, p, Text), prepare_background(bg, none),
    found(101, [new]), found(8, [8]),
    findall(S, explicit_triple(bg, S, _, Text), [new]),
    findall(T, explicit_triple(bg, 8, p, T), Texts), length(Texts, 2),
    close_background(bg).
test(cost, [true(Many < 10 * Few + 0.02)]) :-
    texts(200), found_by(100, _), found_by(100, Few), close_background(bg),
    texts(20 000), found_by(100, _), found_by(100, Many).

:- end_tests(long_texts).
