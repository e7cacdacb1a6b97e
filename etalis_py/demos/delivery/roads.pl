% The roads as routing.pl searches them, made once from the background, when this file is loaded.
%
%     junction(Junction, Number)              numbers from 1, places in the arrays of the search
%     roads_from(Number, Roads)               Roads: road(Segment, OtherNumber, Time), the ways on from a junction
%     roads_to(Number, Roads)                 the same roads backwards
%     bounds(Number, Times)                   see "landmarks" below
%
% Times are whole microseconds.

:- use_module(library(apply), [maplist/3, maplist/4, foldl/4]).
:- use_module(library(heaps), [add_to_heap/4, get_from_heap/4, singleton_heap/3]).
:- use_module(library(lists), [append/3, max_list/2, member/2, nth1/3]).
:- use_module(library(pairs), [group_pairs_by_key/2]).

:- prefix(city, 'urn:etalis:delivery:').

:- dynamic junction/2, junctions/1, roads_from/2, roads_to/2, bounds/2, segment/4.

:- initialization(make_roads).

make_roads :-
    findall(J, rdf(J, rdf:type, city:'Junction'), Found),
    sort(Found, Junctions),
    length(Junctions, Count),
    assertz(junctions(Count)),
    forall(nth1(Number, Junctions, J), assertz(junction(J, Number))),
    forall(read_segment(Segment, Length, Speed, Number), assertz(segment(Segment, Length, Speed, Number))),
    findall(From-road(Segment, To, Time), road(From, Segment, To, Time), Roads),
    findall(To-road(Segment, From, Time), member(From-road(Segment, To, Time), Roads), Back),
    forall(at_each(Count, Roads, Number, Here), assertz(roads_from(Number, Here))),
    forall(at_each(Count, Back, Number, Here), assertz(roads_to(Number, Here))),
    (   Count > 0
    ->  make_landmarks
    ;   true
    ).

read_segment(Segment, Length, Speed, Number) :-
    rdf(Segment, city:length, Metres),
    rdf(Segment, city:permitted, Permitted),
    rdf(Segment, city:number, Place),
    number_of(Metres, Length),
    number_of(Permitted, Speed),
    number_of(Place, Number).

%   A literal is Value^^Type; one that is not in canonical form, as "30.0" for 30, keeps its text as well.

number_of(Literal^^_, Number) :-
    (   Literal = lexical(Value, _)
    ->  Number = Value
    ;   Number = Literal
    ),
    number(Number).

road(From, Segment, To, Time) :-
    segment(Segment, Length, Speed, Number),
    travel_time(Length, Speed, Number, Time),
    rdf(Segment, city:from, Start),
    rdf(Segment, city:to, End),
    junction(Start, A),
    junction(End, B),
    (   From-To = A-B
    ;   From-To = B-A,
        rdf(Segment, rdf:type, city:'TwoWaySegment')
    ).

%   Metres and km/h. Up to a millisecond is added by the segment's number: so two ways hardly ever take the
%   same time, and every search finds the same one.

travel_time(Length, Speed, Number, Time) :-
    Time is ceiling(Length * 3600 / Speed) * 1000 + Number * 7919 mod 1000.

at_each(Count, Pairs, Number, Values) :-
    findall(N-none, between(1, Count, N), Empty),
    append(Empty, Pairs, All),
    keysort(All, Sorted),
    group_pairs_by_key(Sorted, Groups),
    member(Number-[none|Values], Groups).

% ---- landmarks ----------------------------------------------------------------------------------------------
%
% A search is quick if it knows, for each junction, a lower bound of the time that is left. Landmarks give one
% (Goldberg and Harrelson, "Computing the shortest path: A* search meets graph theory", 2005): for a few junctions
% far out, the times from and to everywhere are computed once, with all roads open. By the triangle
% inequality, with the landmark L,
%
%     time(J, Goal) >= time(J, L) - time(Goal, L)          time(J, Goal) >= time(L, Goal) - time(L, J)
%
% bounds(J, times(...)) holds, for each landmark, -time(L, J) and time(J, L), so that both read: that of J less
% that of Goal. What closes or slows down only makes ways longer, so the bounds hold on. No coordinates are needed.

landmarks(12).

make_landmarks :-
    landmarks(Count),
    times(roads_from, 1, Times),
    farthest(Times, First),
    columns(Count, First, none, Columns),
    rows(Columns, Rows),
    forall(nth1(Number, Rows, Row),
           ( Bounds =.. [times|Row], assertz(bounds(Number, Bounds)) )).

%   Two columns for a landmark, with a time for each junction; the next one is the farthest from all so far.

columns(0, _, _, []) :- !.
columns(Count, Landmark, Nearest, [Negative, To|Columns]) :-
    times(roads_from, Landmark, From),
    times(roads_to, Landmark, To),
    maplist(negative, From, Negative),
    (   Nearest == none
    ->  Nearest1 = From
    ;   maplist(smaller, From, Nearest, Nearest1)
    ),
    farthest(Nearest1, Next),
    Count1 is Count - 1,
    columns(Count1, Next, Nearest1, Columns).

rows([[]|_], []) :- !.
rows(Columns, [Row|Rows]) :-
    maplist(first_and_rest, Columns, Row, Rest),
    rows(Rest, Rows).

first_and_rest([First|Rest], First, Rest).

negative(Time, Less) :- Less is -Time.

smaller(A, B, Least) :- Least is min(A, B).

farthest(Times, Number) :-
    max_list(Times, Time),
    nth1(Number, Times, Time),
    !.

%   The times from a junction to all others (Dijkstra), a list in the order of their numbers.

times(Roads, Start, Times) :-
    junctions(Count),
    functor(Array, times, Count),
    arg(Start, Array, 0),
    singleton_heap(Heap, 0, Start),
    settle(Heap, Roads, Array),
    Array =.. [_|Times].

settle(Heap, Roads, Array) :-
    (   get_from_heap(Heap, Time, Here, Heap1)
    ->  call(Roads, Here, On),
        foldl(reach(Time, Array), On, Heap1, Heap2),
        settle(Heap2, Roads, Array)
    ;   true
    ).

reach(Time, Array, road(_, There, Takes), Heap, Heap1) :-
    Later is Time + Takes,
    arg(There, Array, Known),
    (   nonvar(Known), Known =< Later
    ->  Heap1 = Heap
    ;   setarg(There, Array, Later),
        add_to_heap(Heap, Later, There, Heap1)
    ).
