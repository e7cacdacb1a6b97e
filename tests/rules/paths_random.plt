:- module(test_paths_random, []).
:- use_module(library(lists), [append/2, member/2]).
:- use_module(library(ordsets), [ord_subtract/3, ord_union/3]).
:- use_module(library(plunit)).
:- use_module(library(random), [random_between/3, random_permutation/2]).
:- use_module(path_engine).

%   Paths over random streams and backgrounds, against all walks there are.

case(Seed) :-
    between(1, 400, Seed).

random_case(Seed, Timeless, Edges, Window) :-
    set_random(seed(Seed)),
    Nodes is 2 + Seed mod 4,
    random_between(0, 4, MostTimeless),
    findall(A-B, ( between(1, MostTimeless, _), node(Nodes, A), node(Nodes, B) ), Timeless),
    random_between(1, 7, Count),
    findall(e(A,B,Start,End),
            (   between(1, Count, _), node(Nodes, A), node(Nodes, B),
                random_between(0, 5, End), random_between(0, End, Start)
            ),
            Some),
    random_between(0, 1, Repetitions),
    findall(Edge, ( between(0, Repetitions, _), member(Edge, Some) ), Repeated),
    random_permutation(Repeated, Permuted),
    sort(4, @=<, Permuted, Edges),
    (   Seed mod 3 =:= 0
    ->  Window = none
    ;   random_between(1, 6, Window)
    ).

node(Count, Node) :-
    random_between(1, Count, Node).

%   all_walks(+Timeless, +Edges, +Window, -Solutions): walks grow by an edge at their end until there are no more.

all_walks(Timeless, Edges, Window, Solutions) :-
    findall(s(A,B,99,-99), member(A-B, Timeless), Steps, Events),
    findall(s(A,B,Start,End), member(e(A,B,Start,End), Edges), Events),
    sort(Steps, Set),
    grow(Set, Set, Set, Walks),
    findall(s(X,Y,Start,End),
            ( member(s(X,Y,Start,End), Walks), Start < 99, ( Window == none -> true ; End - Start < Window ) ),
            Solutions).

grow([], _, Walks, Walks) :-
    !.
grow(New, Steps, Walks0, Walks) :-
    findall(s(X,Z,Start,End),
            (   member(s(X,Y,Start1,End1), New),
                member(s(Y,Z,Start2,End2), Steps),
                Start is min(Start1, Start2),
                End is max(End1, End2)
            ),
            All),
    sort(All, Set),
    ord_subtract(Set, Walks0, Longer),
    ord_union(Walks0, Longer, Walks1),
    grow(Longer, Steps, Walks1, Walks).

:- begin_tests(random_paths).

test(the_solutions_are_all_walks_each_once, [forall(case(Seed)), true(Found == Expected)]) :-
    random_case(Seed, Timeless, Edges, Window),
    walked(Timeless, Edges, Window, many, Lists),
    append(Lists, All),
    msort(All, Found),
    all_walks(Timeless, Edges, Window, Expected).

:- end_tests(random_paths).
