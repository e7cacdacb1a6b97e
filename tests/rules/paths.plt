:- module(test_paths, []).
:- use_module(library(lists), [append/2, member/2, numlist/3]).
:- use_module(library(plunit)).
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(path_engine).

:- begin_tests(event_paths).

test(one_edge, Found == [s(a,b,1,2)]) :-
    last_of([e(a,b,1,2)], none, many, Found).
test(an_edge_after_another, Found == [s(a,c,1,4),s(b,c,3,4)]) :-
    last_of([e(a,b,1,2),e(b,c,3,4)], none, many, Found).
test(an_edge_before_another, Found == [s(a,b,3,4),s(a,c,1,4)]) :-
    last_of([e(b,c,1,2),e(a,b,3,4)], none, many, Found).
test(an_edge_that_joins_two, Found == [s(a,c,1,5),s(a,d,1,5),s(b,c,5,5),s(b,d,2,5)]) :-
    last_of([e(a,b,1,2),e(c,d,2,3),e(b,c,5,5)], none, many, Found).
test(the_same_edge_again_in_one_instant, Found == []) :-
    last_of([e(a,b,1,2),e(a,b,1,2)], none, many, Found).
test(the_same_edge_at_another_time, Found == [s(a,b,2,2)]) :-
    last_of([e(a,b,1,1),e(a,b,2,2)], none, many, Found).
test(a_loop, Found == [s(a,a,1,2),s(a,a,2,2)]) :-
    last_of([e(a,a,1,1),e(a,a,2,2)], none, many, Found).
test(a_cycle_ends, Found == [s(a,a,1,2),s(a,b,1,2),s(b,a,1,2),s(b,a,2,2),s(b,b,1,2)]) :-
    last_of([e(a,b,1,1),e(b,a,2,2)], none, many, Found).
test(one_edge_only, Found == [[s(a,b,1,2)],[],[s(b,c,0,2)],[s(a,b,1,3)]]) :-
    walked([], [e(a,b,1,2),e(a,b,1,2),e(b,c,0,2),e(a,b,1,3)], none, once, Found).
test(window, Found == [[s(a,b,0,0)],[s(a,c,0,4),s(b,c,4,4)],[s(b,d,4,5),s(c,d,5,5)],[]]) :-
    walked([], [e(a,b,0,0),e(b,c,4,4),e(c,d,5,5),e(d,e,0,5)], 5, many, Found).
test(background_between, Found == [[s(a,b,1,1),s(a,c,1,1)],[s(a,d,1,2),s(b,d,2,2),s(c,d,2,2)]]) :-
    walked([b-c], [e(a,b,1,1),e(c,d,2,2)], none, many, Found).
test(background_around,
     Found == [[s(w,x,1,1),s(w,y,1,1),s(w,z,1,1),s(x,x,1,1),s(x,y,1,1),s(x,z,1,1)]]) :-
    walked([w-x,x-y,y-z,z-y], [e(x,x,1,1)], none, many, Found).
test(literals_are_terms_like_others, Number == 11) :-
    Terms = [a,"a"^^t,"a"@t,1^^t,1.0^^t,1r3^^t,1.5NaN^^t,0.0^^t,-0.0^^t],
    findall(e(x,Term,0,0), ( member(_, [1,2]), member(Term, Terms) ), Edges),
    findall(Term-Next, ( member(Term, Terms), member(Next, ["z"@t|Terms]) ), Timeless),
    walked(["z"@t-z|Timeless], Edges, none, many, Found),
    append(Found, All),
    sort(All, Set),
    length(Set, Number),
    length(All, Number).

%   Each new edge brings about the next one, before the solutions that follow it are looked at.

test(solutions_that_bring_about_edges, Count == 55) :-
    in_engine(path_chain(10, Count)).

test(forgets, true) :-
    numlist(1, 1000, Times),
    findall(e(A,B,T,T), ( member(T, Times), A is T mod 3, B is (T+1) mod 3 ), Edges),
    in_engine(few_tuples([], Edges, 10, 300)).

%   Tuples of one term, or the path's own edges again, cost nothing for a new edge elsewhere.

test(costs_what_it_finds, true(Most < 300)) :-
    numlist(1, 3000, Numbers),
    findall(e(hub,N,0,0), member(N, Numbers), Edges),
    in_engine(dearest(Edges, [e(u,v,1,1),e(v,w,1,1),e(hub,7,1,1),e(w,1,2,2)], Most)).

%   To look at the tuples of the one node in vain counts as no inference, but takes time.

test(a_node_with_many_edges_does_not_slow_down_others, true(Seconds < 0.1)) :-
    numlist(1, 30000, Numbers),
    findall(e(hub,N,0,0), member(N, Numbers), Edges),
    findall(e(From,N,1,1), ( between(1, 300, M), From is -M, N is -1000-M ), Others),
    in_engine(cpu_time(Edges, Others, Seconds)).

:- end_tests(event_paths).
