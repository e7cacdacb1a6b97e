% Ways over the roads that are open now: what the queries call as prolog:blocked(...) and prolog:new_way(...).
%
% closed(Segment), speed(Segment, Speed) and way(Leg, From, Way) are remembered of the stream: see traffic.pl. A way is a
% string: the names of its segments, "s0017 s0018". The roads are those of roads.pl.

:- use_module(library(apply), [maplist/3]).
:- use_module(library(heaps), [add_to_heap/4, get_from_heap/4, singleton_heap/3]).
:- use_module(library(lists), [append/3, member/2]).

:- prefix(city, 'urn:etalis:delivery:').

% ---- what the queries ask -------------------------------------------------------------------------------------

%!  blocked(+Leg, +Here) is semidet.
%
%   What is left of the leg's way, from the junction Here on, has a closed segment (or does not pass Here).

blocked(Leg, Here) :-
    leg_way(Leg, From, Segments),
    (   rest_of_way(Segments, From, Here, Rest)
    ->  member(Segment, Rest),
        closed(Segment),
        !
    ;   true
    ).

leg_way(Leg, From, Segments) :-
    (   way(Leg, Junction, Way)             % found anew before
    ->  From = Junction
    ;   rdf(Leg, city:planned, Way),
        rdf(Leg, city:start, From)
    ),
    Way = Text^^_,
    way_segments(Text, Segments).

way_segments(Text, Segments) :-
    split_string(Text, " ", " ", Names),
    maplist(segment_name, Segments, Names).

%   A name stands for an IRI of the demo; a name with a colon is an IRI itself.

segment_name(Segment, Name) :-
    nonvar(Name),
    !,
    (   sub_string(Name, _, _, _, ":")
    ->  atom_string(Segment, Name)
    ;   atom_concat('urn:etalis:delivery:', Name, Segment)
    ).
segment_name(Segment, Name) :-
    (   atom_concat('urn:etalis:delivery:', Name, Segment)
    ->  true
    ;   Name = Segment
    ).

rest_of_way(Segments, Here, Here, Segments) :- !.
rest_of_way([Segment|Segments], From, Here, Rest) :-
    other_end(Segment, From, Next),
    rest_of_way(Segments, Next, Here, Rest).

other_end(Segment, From, To) :-
    rdf(Segment, city:from, A),
    rdf(Segment, city:to, B),
    (   From == A
    ->  To = B
    ;   From == B
    ->  To = A
    ).

%!  new_way(+Leg, +Here, -Way) is semidet.
%
%   The shortest open way from the junction Here to the goal of the leg.

new_way(Leg, Here, Way) :-
    rdf(Leg, city:goal, Goal),
    open_way(Here, Goal, Way).

%!  open_way(+From, +To, -Way) is semidet.
%
%   The shortest way by time over open segments; fails if there is none: To is cut off from From.

open_way(From, To, Way) :-
    shortest(From, To, Segments, _),
    maplist(segment_name, Segments, Names),
    atomic_list_concat(Names, ' ', Text),
    atom_string(Text, Way).

%!  seconds(+From, +To, -Seconds) is semidet.
%
%   What the shortest open way takes now.

seconds(From, To, Seconds) :-
    shortest(From, To, _, Time),
    Seconds is Time / 1_000_000.

% ---- the search: A* --------------------------------------------------------------------------------------------
%
% Labels is an array with a place for each junction: unbound, or label(Time, Segment, Before, Done), the quickest
% way to it so far: by that segment, from the junction Before. The heap has the junctions that were
% reached, by the time to them and the lower bound of what is left.

%!  shortest(+From, +To, -Segments, -Time) is semidet.

shortest(From, To, Segments, Time) :-
    junction(From, Start),
    junction(To, Goal),
    junctions(Count),
    \+ surrounded(Start, Goal),
    functor(Labels, labels, Count),
    arg(Start, Labels, label(0, none, none, no)),
    best_bounds(Start, Goal, Bounds),
    singleton_heap(Heap, 0, Start),
    search(Heap, Goal, Bounds, Labels),
    arg(Goal, Labels, label(Time, _, _, _)),
    walk_back(Goal, Labels, [], Segments).

search(Heap, Goal, Bounds, Labels) :-
    get_from_heap(Heap, _, Here, Heap1),
    (   Here == Goal
    ->  true
    ;   arg(Here, Labels, Label),
        Label = label(Time, _, _, Done),
        (   Done == yes
        ->  search(Heap1, Goal, Bounds, Labels)
        ;   setarg(4, Label, yes),
            roads_from(Here, Roads),
            go_on(Roads, Here, Time, Bounds, Labels, Heap1, Heap2),
            search(Heap2, Goal, Bounds, Labels)
        )
    ).

go_on([], _, _, _, _, Heap, Heap).
go_on([road(Segment, There, Takes)|Roads], Here, Time, Bounds, Labels, Heap, Heap2) :-
    (   closed(Segment)
    ->  Heap1 = Heap
    ;   time_now(Segment, Takes, Now),
        Later is Time + Now,
        arg(There, Labels, Label),
        (   nonvar(Label), Label = label(Known, _, _, _), Known =< Later
        ->  Heap1 = Heap
        ;   setarg(There, Labels, label(Later, Segment, Here, no)),
            time_left(Bounds, There, Left),
            Estimate is Later + Left,
            add_to_heap(Heap, Estimate, There, Heap1)
        )
    ),
    go_on(Roads, Here, Time, Bounds, Labels, Heap1, Heap2).

time_now(Segment, Takes, Now) :-
    (   speed(Segment, Driven),
        number_of(Driven, Slow),
        Slow > 0
    ->  segment(Segment, Length, Permitted, Number),
        Speed is min(Slow, Permitted),
        travel_time(Length, Speed, Number, Now)
    ;   Now = Takes
    ).

walk_back(Here, Labels, Segments, All) :-
    arg(Here, Labels, label(_, Segment, Before, _)),
    (   Segment == none
    ->  All = Segments
    ;   walk_back(Before, Labels, [Segment|Segments], All)
    ).

%   Most often a goal is cut off because all roads to it are closed. Then a walk back from it ends after a few
%   junctions, and the search need not look at the whole city first.

surrounded(Start, Goal) :-
    walk_from([Goal], [Goal], Start, 30).

walk_from([], _, _, _).
walk_from([Here|Others], Seen, Start, Few) :-
    Here \== Start,
    Few > 0,
    Fewer is Few - 1,
    roads_to(Here, Roads),
    findall(Before,
            ( member(road(Segment, Before, _), Roads), \+ closed(Segment), \+ memberchk(Before, Seen) ),
            New),
    append(New, Seen, Seen1),
    append(Others, New, Others1),
    walk_from(Others1, Seen1, Start, Fewer).

%   The four bounds that tell most about this start and goal, each as its place and its value at the goal.

best_bounds(Start, Goal, Bounds) :-
    bounds(Start, AtStart),
    bounds(Goal, AtGoal),
    findall(Left-bound(Place, There),
            ( arg(Place, AtGoal, There), arg(Place, AtStart, Here), Left is Here - There ),
            All),
    sort(1, @>=, All, [_-A, _-B, _-C, _-D|_]),
    Bounds = [A, B, C, D].

time_left(Bounds, Here, Left) :-
    bounds(Here, Times),
    largest(Bounds, Times, 0, Left).

largest([], _, Left, Left).
largest([bound(Place, AtGoal)|Bounds], Times, Left0, Left) :-
    arg(Place, Times, Here),
    Left1 is max(Left0, Here - AtGoal),
    largest(Bounds, Times, Left1, Left).
