:- module(test_shapes, []).
:- use_module('../../rules/engine/shapes').
:- use_module(library(apply)).
:- use_module(library(plunit)).

% shaped(Clauses, Shaped, Shapes)

shaped(Clauses, Shaped, InOrder) :-
    no_shapes(Shapes0),
    foldl(shaped, Clauses, Shaped, Shapes0, Shapes),
    all_shapes(Shapes, InOrder).

% seq(Predicate, Store, Query, Limit, Clause)

seq(Predicate, Store, Query, Limit,
    clause(3, [in(k(Predicate)),out(0)], [], [find(first,Store,[in(r(0)),out(1)]),test(<,r(1),Limit),
                                              answer(Query,r(1),[in(r(0)),in(k(x))])])).

:- begin_tests(shapes).

test(constants_share, Shapes == [Shape]) :-
    seq(p, 1000, 1, 5, One),
    seq(q, 2000, 2, 5, Other),
    shaped([One,Other], Shaped, Shapes),
    Shaped == [ of(0, [k(p),store(1000),number(1),k(x)]), of(0, [k(q),store(2000),number(2),k(x)]) ],
    Shape = shape(3, 7, [in(r(3)),out(0)], [], [find(first,4,[in(r(0)),out(1)]),test(<,r(1),5),
                                                answer(5,r(1),[in(r(0)),in(r(6))])]).

test(others_do_not, Numbers-Count == [0,1,0]-2) :-
    seq(p, 1000, 1, 5, One),
    seq(p, 1000, 1, 6, Other),
    shaped([One,Other,One], Shaped, Shapes),
    findall(Number, member(of(Number,_), Shaped), Numbers),
    length(Shapes, Count).

test(what_is_looked_at_when_read, Constants == [k(y)]) :-
    shaped([clause(1, [], [], [construct(1,default(k(x)),k(y),[]),use(0,n('[|]',[r(0),k([])]))])], [of(0,Constants)], _).

:- end_tests(shapes).
