:- module(etalis_paths,
          [ declare_path/2,             % :Name, +Window
            forget_path/1,              % :Name
            path_solution/10            % :Name, +Repeat, :Edge, +From, +To, +Start, +End, -X, -Y, -PathStart
          ]).
:- use_module(library(lists), [last/2, member/2]).
:- use_module(library(ordsets), [ord_union/3]).
:- use_module(library(pairs), [group_pairs_by_key/2]).
:- use_module('../background/background_paths', [reachable/4]).
:- use_module('../stores/path_tuples',
              [add_solution/5, begin_instant/2, declare_tuples/2, forget_tuples/1, known_solution/4, tuple_from/4, tuple_to/4]).

/** <module> Property paths over stream and background

A path solution (X, Y, Start, End) stands for all walks from X to Y whose events are within [Start,End], Start
being the least start and End the greatest end; timeless edges may be anywhere in a walk. Edges arrive one by
one, in order of their ends. When the edge e from U to V does, the walks that use it are

    before e after      and      before e round e after

where `before` (to U), `after` (from V) and `round` (from V to U) are no walk at all, a timeless walk, or a walk
of events that arrived earlier. Those have been found already, and their tuples (X, Y, Start) are stored, whatever
their ends. A walk that uses e more often starts when one of these does: of several rounds, the one that
starts first counts. So no edge is looked at twice, and cycles need no search.
*/

:- meta_predicate
    declare_path(:, +),
    forget_path(:),
    path_solution(:, +, :, +, +, +, +, -, -, -).

:- det((declare_path/2, forget_path/1)).

%!  declare_path(:Name, +Window) is det.
%
%   Make the stores of a path. Solutions that last as long as Window (microseconds), or longer, do not matter;
%   Window is `none` where all do.

declare_path(M:Name, Window) :-
    declare_tuples(M:Name, Window),
    dynamic(M:path_window/2),
    assertz(M:path_window(Name, Window)).

%!  forget_path(:Name) is det.
%
%   No rule speaks of the path any more, if there is one of this name.

forget_path(M:Name) :-
    (   predicate_property(M:path_window(_, _), dynamic),
        retract(M:path_window(Name, _))
    ->  forget_tuples(M:Name)
    ;   true
    ).

%!  path_solution(:Name, +Repeat, :Edge, +From, +To, +Start, +End, -X, -Y, -PathStart) is nondet.
%
%   An edge arrived that leads From a term To another, with the interval [Start,End], End being the instant that is
%   open. Enumerates the solutions (X, Y, PathStart, End) that this brings about, each once within the
%   instant. Repeat is `many` (one or more edges) or `once` (one edge). Edge is a closure as in
%   background_path/6, or `none` where background has no such edge.
%
%   All are found and stored before the first is given, so what is done with one may bring about other edges of
%   the same path.

path_solution(M:Name, Repeat, Edge, From, To, Start, End, X, Y, PathStart) :-
    M:path_window(Name, Window),
    oldest(Window, End, Oldest),
    Start >= Oldest,
    begin_instant(M:Name, End),
    (   Repeat == once
    ->  X = From, Y = To, PathStart = Start,
        add_solution(M:Name, From, To, Start, End)
    ;   \+ known_solution(M:Name, From, To, Start),     % else that walk does for this edge, wherever it is
        walks(backward, M:Name, Edge, From, Start, Oldest, Befores0),
        walks(forward, M:Name, Edge, To, Start, Oldest, Afters),
        go_round(Afters, From, Befores0, Befores),
        findall(p(X1,Y1,Start1),
                ( joined(Befores, Afters, X1, Y1, Start1), add_solution(M:Name, X1, Y1, Start1, End) ),
                New),
        member(p(X,Y,PathStart), New)
    ).

%   Oldest is the least start that matters.

oldest(none, _, Oldest)     => Oldest is -(1<<62).
oldest(Window, End, Oldest) => Oldest is End - Window + 1.

%   walks(+Direction, :Name, :Edge, +Node, +Start, +Oldest, -Walks): Walks has Term-Starts for each Term from
%   which one comes to Node (`backward`), or to which one comes from it; Starts is an ordered set, each the
%   least of a walk's start and of Start.

walks(Direction, Name, Edge, Node, Start, Oldest, Walks) :-
    timeless(Edge, Direction, Node, Terms),
    findall(Term-Least,
            (   member(Term, [Node|Terms]), Least = Start
            ;   stored(Direction, Name, Node, Term, Earlier),
                Earlier >= Oldest,
                Least is min(Earlier, Start)
            ),
            All),
    sort(All, Pairs),
    group_pairs_by_key(Pairs, Walks).

timeless(_:none, _, _, Terms) =>
    Terms = [].
timeless(Edge, Direction, Node, Terms) =>
    reachable(Direction, Edge, Node, Terms).

stored(backward, Name, Node, Term, Start) :- tuple_to(Name, Node, Term, Start).
stored(forward, Name, Node, Term, Start)  :- tuple_from(Name, Node, Term, Start).

%   The walks to From that use the edge once already, besides those that do not.

go_round(Afters, From, Befores0, Befores) :-
    (   member(Term-Rounds, Afters),
        Term == From
    ->  findall(X-Starts, ( member(X-Starts0, Befores0), least(Starts0, Rounds, Starts1),
                            ord_union(Starts0, Starts1, Starts) ),
                Befores)
    ;   Befores = Befores0
    ).

joined(Befores, Afters, X, Y, Start) :-
    member(X-Starts1, Befores),
    member(Y-Starts2, Afters),
    least(Starts1, Starts2, Starts),
    member(Start, Starts).

%   least(+Set1, +Set2, -Set): the lesser of each pair of starts. It is a start of either set that is not above
%   all of the other.

least([Start], [Start], Starts) =>
    Starts = [Start].
least(Set1, Set2, Starts) =>
    last(Set1, Greatest1),
    last(Set2, Greatest2),
    Most is min(Greatest1, Greatest2),
    ord_union(Set1, Set2, Set),
    up_to(Set, Most, Starts).

up_to([Start|Starts0], Most, Starts), Start =< Most =>
    Starts = [Start|Starts1],
    up_to(Starts0, Most, Starts1).
up_to(_, _, Starts) =>
    Starts = [].
