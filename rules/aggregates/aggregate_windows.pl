:- module(etalis_aggregate_windows,
          [ check_window/2,             % +Window, -Checked
            empty_window/1,             % +Store
            no_one_in_window/1,         % +Store
            solutions_kept/2,           % +Store, -Count
            wait_for_instant/2,         % +Store, +Solution
            window_change/5             % +Tables, +Plan, +Window, +Now, -Changes
          ]).
:- use_module(aggregate_groups, [group_of_key/4]).
:- use_module(aggregate_queues, [queue_get/4, queue_put/4, queue_take/4]).

/** <module> Which solutions are in a window

Solutions enter and leave in the order of end, start, key and arguments, over all groups of a declaration.
They stand in one queue, number 0; places(First, Newest, Last), kept in the trie Store, says where in it: from
First to Newest they are in the window, from there to Last they are not old enough yet. An item is member(End,
Group, Key, Args); Group is `none` of those that wait until they are old enough. A landmark window has no queue, only
counts.

At the instant t a window time(A, B) holds the ends in (t-A, t-B]; RANGE w is time(w, 0), and so is STEP,
which differs in the instants at which it is evaluated. What the open instant brings is in Store until then:
`pending` has no value, or the one solution there is, or how many there are at pending(Number).
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

:- det((empty_window/1, solutions_kept/2, wait_for_instant/2, check_window/2, window_change/5)).

%!  empty_window(+Store) is det.

empty_window(Store) :-
    trie_insert(Store, places, places(1, 0, 0)).

%!  no_one_in_window(+Store) is semidet.
%
%   But for solutions without time; nor does anyone wait to enter.

no_one_in_window(Store) :-
    \+ trie_lookup(Store, pending, _),
    trie_lookup(Store, places, places(First, Newest, _)),
    Newest < First.

%!  solutions_kept(+Store, -Count) is det.
%
%   How many are in the window, or will be.

solutions_kept(Store, Count) :-
    trie_lookup(Store, places, places(First, _, Last)),
    (   trie_lookup(Store, pending, Pending)
    ->  ( integer(Pending) -> Waiting = Pending ; Waiting = 1 )
    ;   Waiting = 0
    ),
    Count is Last - First + 1 + Waiting.

%!  wait_for_instant(+Store, +Solution) is det.
%
%   Solution is solution(End, Start, Key, Args), or timeless(Key, Args) before any of those.

wait_for_instant(Store, Solution) :-
    (   trie_lookup(Store, pending, Pending)
    ->  wait(Pending, Store, Solution)
    ;   trie_insert(Store, pending, Solution)
    ).

wait(Number0, Store, Solution), integer(Number0) =>
    Number is Number0 + 1,
    trie_insert(Store, pending(Number), Solution),
    trie_update(Store, pending, Number).
wait(First, Store, Solution) =>
    trie_insert(Store, pending(1), First),
    trie_insert(Store, pending(2), Solution),
    trie_update(Store, pending, 2).

%!  check_window(+Window, -Checked) is det.
%
%   Checked is one of landmark, time(Oldest, Newest) and rows(Count). See declare_group/4.

check_window(landmark, Checked) => Checked = landmark.
check_window(range(Width), Checked) => Checked = time(Width, 0).
check_window(step(Width, _), Checked) => Checked = time(Width, 0).
check_window(past(Oldest, Newest), Checked) => Checked = time(Oldest, Newest).
check_window(rows(Count), Checked) => Checked = rows(Count).

%!  window_change(+Tables, +Plan, +Window, +Now, -Changes) is det.
%
%   Move the window to the instant Now. Changes is what comes into it and goes, for change_groups/3.

window_change(Tables, Plan, Window, Now, Changes) :-
    Tables = tables(_, Store),
    come_until(Store, Now, Solutions),
    always(Solutions, Timed, Tables, Plan, Changes, More),
    trie_delete(Store, places, Places0),
    move(Window, Tables, Plan, Now, Timed, Places0, Places, More),
    trie_insert(Store, places, Places).

%   The new solutions that end by Now, in their order; those without time are first. Others wait for a later
%   call.

come_until(Store, Now, Solutions) :-
    (   trie_delete(Store, pending, Pending)
    ->  pending_until(Pending, Store, Now, Solutions)
    ;   Solutions = []
    ).

pending_until(Count, Store, Now, Solutions), integer(Count) =>
    take_pending(Count, Store, [], Unsorted),
    msort(Unsorted, Sorted),
    until(Sorted, Now, Solutions, Later),
    pending_again(Later, Store).
pending_until(Solution, Store, Now, Solutions) =>
    (   by(Solution, Now)
    ->  Solutions = [Solution]
    ;   Solutions = [],
        trie_insert(Store, pending, Solution)
    ).

take_pending(Number, Store, Solutions0, Solutions) :-
    (   Number =:= 0
    ->  Solutions = Solutions0
    ;   trie_delete(Store, pending(Number), Solution),
        Before is Number - 1,
        take_pending(Before, Store, [Solution|Solutions0], Solutions)
    ).

until([Solution|More], Now, Until, Later), by(Solution, Now) =>
    Until = [Solution|Rest],
    until(More, Now, Rest, Later).
until(Solutions, _, Until, Later) =>
    Until = [],
    Later = Solutions.

by(timeless(_, _), _).
by(solution(End, _, _, _), Now) :-
    End =< Now.

pending_again([], _).
pending_again([Solution|Later], Store) :-
    wait_for_instant(Store, Solution),
    pending_again(Later, Store).

always([timeless(Key, Args)|Solutions], Timed, Tables, Plan, Changes, More) =>
    Changes = [group(Group, Key)-come(lasting, Args)|Rest],
    group_of_key(Tables, Plan, Key, Group),
    always(Solutions, Timed, Tables, Plan, Rest, More).
always(Solutions, Timed, _, _, Changes, More) =>
    Timed = Solutions,
    More = Changes.

move(landmark, Tables, Plan, _, Solutions, places(First, Newest0, Last), Places, Changes) =>
    Places = places(First, Newest, Last),
    stay(Solutions, Tables, Plan, Newest0, Newest, Changes).
move(time(Oldest, Delay), Tables, Plan, Now, Solutions, places(First0, Newest0, Last0), Places, Changes),
        Delay > 0 =>
    Places = places(First, Newest, Last),
    Tables = tables(_, Store),
    join_queue(Solutions, Store, Last0, Last),
    LastOldEnough is Now - Delay,
    come(LastOldEnough, Tables, Plan, Last, Newest0, Newest, Changes, Going),
    go(time(Oldest, Delay), Tables, Plan, Now, Newest, First0, First, Going).
move(Window, Tables, Plan, Now, Solutions, places(First0, _, Last0), Places, Changes) =>
    Places = places(First, Last, Last),
    enter(Solutions, Tables, Plan, Last0, Last, Changes, Going),
    go(Window, Tables, Plan, Now, Last, First0, First, Going).

stay([], _, _, Newest, Newest, []).
stay([solution(_, _, Key, Args)|Solutions], Tables, Plan, Newest0, Newest, [Change|Changes]) :-
    Change = group(Group, Key)-come(lasting, Args),
    group_of_key(Tables, Plan, Key, Group),
    Newest1 is Newest0 + 1,
    stay(Solutions, Tables, Plan, Newest1, Newest, Changes).

%   enter(..., -Changes, ?MoreChanges): what comes is in the window at once.

enter([], _, _, Last, Last, Changes, Changes).
enter([solution(End, _, Key, Args)|Solutions], Tables, Plan, Last0, Last, [Change|Changes], More) :-
    Last1 is Last0 + 1,
    Change = group(Group, Key)-come(Last1, Args),
    group_of_key(Tables, Plan, Key, Group),
    Tables = tables(_, Store),
    queue_put(Store, 0, Last1, member(End, Group, Key, Args)),
    enter(Solutions, Tables, Plan, Last1, Last, Changes, More).

join_queue([], _, Last, Last).
join_queue([solution(End, _, Key, Args)|Solutions], Store, Last0, Last) :-
    Last1 is Last0 + 1,
    queue_put(Store, 0, Last1, member(End, none, Key, Args)),
    join_queue(Solutions, Store, Last1, Last).

%   come(+LastOldEnough, ..., +Last, +Newest0, -Newest, -Changes, ?MoreChanges): what has become old enough.

come(LastOldEnough, Tables, Plan, Last, Newest0, Newest, Changes, Rest) :-
    (   Newest0 < Last,
        Next is Newest0 + 1,
        Tables = tables(_, Store),
        queue_get(Store, 0, Next, member(End, _, Key, Args)),
        End =< LastOldEnough
    ->  Changes = [group(Group, Key)-come(Next, Args)|More],
        group_of_key(Tables, Plan, Key, Group),
        come(LastOldEnough, Tables, Plan, Last, Next, Newest, More, Rest)
    ;   Newest = Newest0,
        Changes = Rest
    ).

%   go(..., +Newest, +First0, -First, -Changes): what has become too old.

go(Window, Tables, Plan, Now, Newest, First0, First, Changes) :-
    (   First0 =< Newest,
        Tables = tables(_, Store),
        too_old(Window, Store, First0, Newest, Now)
    ->  queue_take(Store, 0, First0, member(_, Group0, Key, Args)),
        Changes = [group(Group, Key)-go(First0, Args)|More],
        ( Group0 == none -> group_of_key(Tables, Plan, Key, Group) ; Group = Group0 ),
        First1 is First0 + 1,
        go(Window, Tables, Plan, Now, Newest, First1, First, More)
    ;   First = First0,
        Changes = []
    ).

too_old(rows(Count), _, First, Newest, _) :-
    Newest - First >= Count.
too_old(time(Oldest, _), Store, First, _, Now) :-
    queue_get(Store, 0, First, member(End, _, _, _)),
    End =< Now - Oldest.
