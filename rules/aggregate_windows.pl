:- module(etalis_aggregate_windows,
          [ check_window/2,             % +Window, -Checked
            window_change/6             % +Engine, +Name, +Window, +Queue, +Now, -Changes
          ]).
:- use_module(aggregate_groups, [group_of_key/4]).
:- use_module(aggregate_queues, [queue_get/4, queue_put/4, queue_take/4]).

/** <module> Which solutions are in a window

Solutions enter and leave in the order of end, start, key and arguments, over all groups of a declaration. They
stand in one queue; M:aggregate_places(Name, First, Newest, Last) says where in it: from First to Newest they are in the
window, from there to Last they are not old enough yet. A landmark window has no queue, only counts.

At the instant t a window time(A, B) holds the ends in (t-A, t-B]; RANGE w is time(w, 0), and so is STEP, which differs in
the instants at which it is evaluated. What the open instant brings is in M:aggregate_pending/5 until then.
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

:- det((check_window/2, window_change/6)).

%!  check_window(+Window, -Checked) is det.
%
%   Checked is one of landmark, time(Oldest, Newest) and rows(Count). See declare_group/4.

check_window(landmark, Checked) => Checked = landmark.
check_window(range(Width), Checked) => Checked = time(Width, 0).
check_window(step(Width, _), Checked) => Checked = time(Width, 0).
check_window(past(Oldest, Newest), Checked) => Checked = time(Oldest, Newest).
check_window(rows(Count), Checked) => Checked = rows(Count).

%!  window_change(+Engine, +Name, +Window, +Queue, +Now, -Changes) is det.
%
%   Move the window to the instant Now. Changes is what comes into it and goes, for change_groups/4.

window_change(M, Name, Window, Queue, Now, Changes) :-
    come_until(M, Name, Now, Solutions),
    M:aggregate_places(Name, First0, Newest0, Last0),
    !,
    move(Window, M, Name, Queue, Now, Solutions,
         places(First0, Newest0, Last0), places(First, Newest, Last), Changes),
    (   First == First0, Newest == Newest0, Last == Last0
    ->  true
    ;   retractall(M:aggregate_places(Name, _, _, _)),
        assertz(M:aggregate_places(Name, First, Newest, Last))
    ).

%   The new solutions that end by Now, in their order. Others wait for a later call.

come_until(M, Name, Now, Solutions) :-
    findall(solution(End, Start, Key, Args), M:aggregate_pending(Name, End, Start, Key, Args), Unsorted),
    (   Unsorted == []
    ->  Solutions = []
    ;   retractall(M:aggregate_pending(Name, _, _, _, _)),
        msort(Unsorted, Sorted),
        until(Sorted, Now, Solutions, Later),
        pending_again(Later, M, Name)
    ).

until([Solution|More], Now, Until, Later), Solution = solution(End, _, _, _), End =< Now =>
    Until = [Solution|Rest],
    until(More, Now, Rest, Later).
until(Solutions, _, Until, Later) =>
    Until = [],
    Later = Solutions.

pending_again([], _, _).
pending_again([solution(End, Start, Key, Args)|Later], M, Name) :-
    assertz(M:aggregate_pending(Name, End, Start, Key, Args)),
    pending_again(Later, M, Name).

move(landmark, M, Name, _, _, Solutions, places(First, Newest0, Last), Places, Changes) =>
    Places = places(First, Newest, Last),
    stay(Solutions, M, Name, Newest0, Newest, Changes).
move(Window, M, Name, Queue, Now, Solutions, places(First0, Newest0, Last0), Places, Changes) =>
    Places = places(First, Newest, Last),
    join_queue(Solutions, M, Queue, Last0, Last),
    come(Window, M, Name, Queue, Now, Last, Newest0, Newest, Changes, Going),
    go(Window, M, Name, Queue, Now, Newest, First0, First, Going).

stay([], _, _, Newest, Newest, []).
stay([solution(_, _, Key, Args)|Solutions], M, Name, Newest0, Newest, [Change|Changes]) :-
    Change = group(Group, Key)-come(lasting, Args),
    group_of_key(M, Name, Key, Group),
    Newest1 is Newest0 + 1,
    stay(Solutions, M, Name, Newest1, Newest, Changes).

join_queue([], _, _, Last, Last).
join_queue([solution(End, _, Key, Args)|Solutions], M, Queue, Last0, Last) :-
    Last1 is Last0 + 1,
    queue_put(M, Queue, Last1, member(End, Key, Args)),
    join_queue(Solutions, M, Queue, Last1, Last).

%   come(..., +Last, +Newest0, -Newest, -Changes, ?MoreChanges): what has become old enough.

come(Window, M, Name, Queue, Now, Last, Newest0, Newest, Changes, Rest) :-
    (   Newest0 < Last,
        Next is Newest0 + 1,
        queue_get(M, Queue, Next, member(End, Key, Args)),
        old_enough(Window, End, Now)
    ->  Changes = [group(Group, Key)-come(Next, Args)|More],
        group_of_key(M, Name, Key, Group),
        come(Window, M, Name, Queue, Now, Last, Next, Newest, More, Rest)
    ;   Newest = Newest0,
        Changes = Rest
    ).

old_enough(rows(_), _, _).
old_enough(time(_, Newest), End, Now) :-
    End =< Now - Newest.

%   go(..., +Newest, +First0, -First, -Changes): what has become too old.

go(Window, M, Name, Queue, Now, Newest, First0, First, Changes) :-
    (   First0 =< Newest,
        too_old(Window, M, Queue, First0, Newest, Now)
    ->  queue_take(M, Queue, First0, member(_, Key, Args)),
        Changes = [group(Group, Key)-go(First0, Args)|More],
        group_of_key(M, Name, Key, Group),
        First1 is First0 + 1,
        go(Window, M, Name, Queue, Now, Newest, First1, First, More)
    ;   First = First0,
        Changes = []
    ).

too_old(rows(Count), _, _, First, Newest, _) :-
    Newest - First >= Count.
too_old(time(Oldest, _), M, Queue, First, _, Now) :-
    queue_get(M, Queue, First, member(End, _, _)),
    End =< Now - Oldest.
