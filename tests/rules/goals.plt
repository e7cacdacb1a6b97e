:- module(test_goals, []).
:- use_module('../../rules/stores/goal_parts').
:- use_module('../../rules/stores/goal_store').
:- use_module(library(apply)).
:- use_module(library(lists)).
:- use_module(library(plunit)).
:- use_module(library(random)).

% A store, and a list of its rows as the model of it.

with_store(Kind, Arity, Detail, Goal) :-
    setup_call_cleanup(
        begin(Kind, Arity, Detail),
        call(Goal),
        end).

begin(Kind, Arity, Detail) :-
    dynamic([changes_begun/0]),
    open_stores(test_goals),
    declare_store(test_goals, g, Kind, Arity, Detail).

end :-
    close_stores(test_goals),
    forall(goal_store(Name, Arity, _, _), abolish(Name/Arity)),
    retractall(goal_store(_, _, _, _)),
    retractall(goal_group(_, _)),
    retractall(next_turn(_)).

store(Store) :-
    goal_store(g, _, Store, _).

insert(Row) :-
    store(Store),
    etalis_goals:insert_row(Store, Row).

rows(Rows) :-
    store(Store),
    goal_store(g, Arity, _, _),
    functor(Row, row, Arity),
    findall(Row, etalis_goals:goal_rows(Store, Row), Rows).

% ---- values: few of each, so that rows share them ----------------------------------------------------------

value(V) :-
    random_between(1, 40, N),
    value(N, V).

value(N, V) :- N =< 6, !, atom_concat(a, N, V).
value(N, N) :- N =< 10, !.
value(11, V) :- !, V is 1<<60.
value(12, V) :- !, V is -(1<<61).
value(13, V) :- !, V is 1<<70.
value(14, 0.0) :- !.
value(15, -0.0) :- !.
value(16, V) :- !, V is nan.
value(17, V) :- !, V is inf.
value(18, "text") :- !.
value(19, "") :- !.
value(20, "t\u00e9xt \U0001F600") :- !.
value(21, 'p\u00ef\U0001F600') :- !.
value(22, []) :- !.
value(23, [a,b,[1]]) :- !.
value(24, 1r3) :- !.
value(25, f()) :- !.
value(26, [o(1,a1,a2,[o(1,2,3,4,5)],7)]) :- !.
value(N, V) :- N =< 30, !, M is N mod 3, V = '^^'(M, 'urn:type').
value(N, V) :- N =< 35, !, M is N mod 2, V = o(M, a1, "x", 2.5, [M]).
value(N, V) :- M is N mod 5, V = M.

row(Arity, Row) :-
    functor(Row, row, Arity),
    forall(arg(_, Row, _), true),
    numlist(1, Arity, Places),
    foldl([Place,In,In]>>( value(V), nb_setarg(Place, In, V) ), Places, Row, _).

% pattern(Row, Pattern): some columns of a row, as they are known when it is looked for.

pattern(Row, Pattern) :-
    Row =.. [_|Values],
    maplist([V,P]>>( maybe -> P = V ; true ), Values, Columns),
    Pattern =.. [row|Columns].

% ---- one step, in the store and in the model ---------------------------------------------------------------

step(Arity, Rows0, Rows) :-
    random_between(1, 12, What),
    step(What, Arity, Rows0, Rows).

step(What, Arity, Rows0, Rows) :-
    What =< 6,
    !,
    row(Arity, Row),
    insert(Row),
    append(Rows0, [Row], Rows).
step(What, Arity, Rows0, Rows) :-
    What =< 8,
    !,
    row(Arity, Row),
    ( random_member(Some, [Row|Rows0]), pattern(Some, Pattern) ),
    copy_term(Pattern, Asked),
    store(Store),
    (   etalis_goals:forget_row(Store, Pattern)
    ->  forget_first(Rows0, Asked, Rows)
    ;   \+ ( member(Each, Rows0), fits(Each, Asked) ),
        Rows = Rows0
    ).
step(What, Arity, Rows, Rows) :-
    What =< 11,
    !,
    row(Arity, Row),
    random_member(Some, [Row|Rows]),
    pattern(Some, Pattern),
    include([Each]>>fits(Each, Pattern), Rows, Wanted),
    store(Store),
    findall(Pattern, etalis_goals:goal_rows(Store, Pattern), Found),
    assertion(same(Found, Wanted)),
    findall(Pattern, etalis_goals:newest_rows(Store, Pattern), Newest),
    reverse(Newest, Reversed),
    assertion(same(Reversed, Wanted)).
step(_, _, Rows, Rows) :-
    store(Store),
    length(Rows, Length),
    etalis_goals:goal_count(Store, Count),
    assertion(Count =:= Length),
    rows(All),
    assertion(same(All, Rows)).

fits(Row, Pattern) :-
    copy_term(Pattern, Copy),
    Row =.. [_|Values],
    Copy =.. [_|Columns],
    maplist([V,C]>>( var(C) -> C = V ; C == V ), Values, Columns).

forget_first([Row|Rows], Asked, Rows) :-
    fits(Row, Asked),
    !.
forget_first([Row|Rows], Asked, [Row|Others]) :-
    forget_first(Rows, Asked, Others).

same(Some, Others) :-
    Some == Others.

steps(0, _, Rows, Rows) :- !.
steps(N, Arity, Rows0, Rows) :-
    step(Arity, Rows0, Rows1),
    N1 is N - 1,
    steps(N1, Arity, Rows1, Rows).

% ---- rows that come in the order of their times, but for the last ones ------------------------------------------

times(0, _, _) :- !.
times(N, Now0, Rows0) :-
    random_between(0, 2, Passed),
    Now is Now0 + Passed,
    ( N > 200 -> Time = Now ; random_between(0, 40, Ago), Time is Now - Ago ),
    value(V),
    insert(row(Time,V)),
    append(Rows0, [row(Time,V)], Rows1),
    random_between(-2, 40, Which),
    Asked is Now - Which,
    found_at(Asked, Rows1),
    (   random_between(1, 10, What),
        gone(What, Asked, Rows1, Rows2)
    ->  true
    ;   Rows2 = Rows1
    ),
    M is N - 1,
    times(M, Now, Rows2).

found_at(Time, Rows) :-
    store(Store),
    findall(V, member(row(Time,V), Rows), Wanted),
    findall(V, etalis_goals:goals(Store, Time, V), Found),
    assertion(same(Found, Wanted)),
    findall(V, etalis_goals:newest_goals(Store, Time, V), Newest),
    reverse(Newest, Reversed),
    assertion(same(Reversed, Wanted)).

%   gone(+What, +Time, +Rows0, -Rows): the oldest rows go, or one of a time, or all of it.

gone(What, _, [_,_|Rows], Rows) :-
    What =< 5,
    !,
    store(Store),
    etalis_goals:drop_goals(Store, 2).
gone(What, Time, Rows0, Rows) :-
    What =< 8,
    !,
    store(Store),
    forget_first(Rows0, row(Time,_), Rows),
    etalis_goals:forget_goal(Store, Time, _).
gone(9, Time, Rows0, Rows) :-
    store(Store),
    forall(etalis_goals:goals(Store, Time, _), etalis_goals:forget_goal(Store, Time, _)),
    exclude([row(T,_)]>>( T == Time ), Rows0, Rows).

% ---- all that changes a store whose goals go with their window and with what they are made of ---------------------

%   random_life(+Seed, +Steps, +Others): there are so many other stores of the window. The model is
%   life(Rows, Time, Until, Dropped, Removed), Rows of r(Row, Age, Since), Age how often the store turned since the row came,
%   Since `marked` or `new`. Until is when it turns next. Dropped and Removed are those that were marked and went since; Removed is `none` before the first mark.

random_life(Seed, Steps, Others) :-
    set_random(seed(Seed)),
    with_store(used_window, 3, 10,
               ( forall(between(1, Others, N),
                        ( atom_concat(other, N, Name), declare_store(test_goals, Name, window, 1, 10) )),
                 test_goals:life(Steps, life([], 0, none, 0, none))
               )).

%   turn(-Wait, -Step): how long it is to the next turn, and how much older rows are with each: many stores of one window turn
%   once in its time, few four times.

turn(Wait, Step) :-
    aggregate_all(count, goal_store(_, _, _, _), Count),
    ( Count < 64 -> Wait = 3, Step = 1 ; Wait = 10, Step = 4 ).

life(0, _) :- !.
life(N, Life0) :-
    random_between(1, 20, What),
    act(What, Life0, Life),
    assertion(is_like(Life)),
    M is N - 1,
    life(M, Life).

act(What, life(Rows0, T, Until, D, R), life(Rows, T, Until, D, R)) :-
    What =< 9,
    !,
    used_row(Row),
    insert(Row),
    ( R == none -> Since = none ; Since = new ),
    append(Rows0, [r(Row,0,Since)], Rows).
act(What, Life0, Life) :-
    What =< 12,
    !,
    random_between(1, 8, Which),
    store(Store),
    etalis_goals:consume(Store, o(Which)),
    Life0 = life(Rows, _, _, _, _),
    partition(is_made_of(o(Which)), Rows, Gone, Left),
    removed(Gone, Left, Life0, Life).
act(13, Life0, Life) :-
    !,
    used_row(Some),
    pattern(Some, Pattern),
    Pattern = row(_, _, _),
    copy_term(Pattern, Asked),
    store(Store),
    Life0 = life(Rows, _, _, _, _),
    (   etalis_goals:forget_row(Store, Pattern)
    ->  once(( append(Before, [Gone|After], Rows), Gone = r(Row,_,_), fits(Row, Asked) )),
        append(Before, After, Left),
        removed([Gone], Left, Life0, Life)
    ;   \+ ( member(r(Row,_,_), Rows), fits(Row, Asked) ),
        Life = Life0
    ).
act(14, Life0, Life) :-
    !,
    random_between(0, 3, Count),
    Life0 = life(Rows, _, _, _, _),
    length(Gone, Count),
    store(Store),
    (   append(Gone, Left, Rows)
    ->  etalis_goals:drop_goals(Store, Count),
        dropped(Gone, Left, Life0, Life)
    ;   Life = Life0
    ).
act(15, Life0, Life) :-
    !,
    store(Store),
    etalis_goals:forget_goals(Store),
    Life0 = life(Rows, _, _, _, _),
    dropped(Rows, [], Life0, Life).
act(16, life(Rows0, T, Until, _, _), life(Rows, T, Until, 0, [])) :-
    !,
    store(Store),
    etalis_goals:mark_goals(Store),
    maplist(marked, Rows0, Rows).
act(_, life(Rows0, T0, Until, D, R), Life) :-
    random_member(Most, [6,6,40]),
    random_between(0, Most, Later),
    T is T0 + Later,
    (   ( Until == none ; T >= Until )
    ->  etalis_goal_store:turn_stores(test_goals:T),
        turn(Wait, Step),
        ( Until == none -> Passed = 0 ; Passed is (T - Until) // Wait * Step ),
        partition(is_old(Passed), Rows0, Gone, Young),
        More is Step + Passed,
        maplist(aged(More), Young, Rows),
        Next is T + Wait,
        dropped(Gone, Rows, life(Rows0, T, Next, D, R), Life)
    ;   Life = life(Rows0, T, Until, D, R)
    ).

is_made_of(Occurrence, r(row(_,_,Used),_,_)) :-
    memberchk(Occurrence, Used).

is_old(Passed, r(_,Age,_)) :-
    Age + Passed >= 4.

is_marked(r(_,_,marked)).

aged(More, r(Row,Age0,Since), r(Row,Age,Since)) :-
    Age is Age0 + More.

marked(r(Row,Age,_), r(Row,Age,marked)).

used_row(row(K,V,Used)) :-
    random_between(1, 3, K),
    value(V),
    random_between(0, 3, Count),
    findall(o(N), ( between(1, Count, _), random_between(1, 8, N) ), Used0),
    sort(Used0, Used).

removed(Gone, Left, life(_, T, Until, D, R0), life(Left, T, Until, D, R)) :-
    (   R0 == none
    ->  R = none
    ;   findall(Row, member(r(Row,_,marked), Gone), New),
        append(R0, New, R)
    ).

dropped(Gone, Left, life(_, T, Until, D0, R), life(Left, T, Until, D, R)) :-
    include(is_marked, Gone, Marked),
    length(Marked, Count),
    D is D0 + Count.

is_like(life(Rows, _, _, D, R)) :-
    store(Store),
    findall(Row, member(r(Row,_,_), Rows), All),
    rows(Found),
    Found == All,
    length(All, Count),
    etalis_goals:goal_count(Store, Count),
    findall(Young,
            ( member(Most, [3,2,1,0]), aggregate_all(count, ( member(r(_,Age,_), Rows), Age =< Most ), Young) ),
            Counts),
    etalis_goals:young_goals(Store, Counts),
    (   R == none
    ->  true
    ;   etalis_goals:changed_goals(Store, D, Gone),
        msort(Gone, Sorted),
        msort(R, Sorted),
        findall(row(A,B,C), etalis_goals:new_rows(Store, row(A,B,C)), News),
        findall(Row, member(r(Row,_,new), Rows), News)
    ),
    forall(between(1, 3, K),
           ( findall(V, etalis_goals:newest_goals(Store, K, V, _), Newest),
             reverse(Newest, InOrder),
             findall(V, member(row(K,V,_), All), InOrder0),
             InOrder == InOrder0
           )).

% ---- tests -------------------------------------------------------------------------------------------------

:- begin_tests(goals).

test(random_steps, [forall(between(1, 8, Seed))]) :-
    set_random(seed(Seed)),
    Arity is Seed mod 4 + 1,
    with_store(lasting, Arity, 0, test_goals:steps(600, Arity, [], _)).

test(random_times, [forall(between(1, 4, Seed))]) :-
    set_random(seed(Seed)),
    with_store(lasting, 2, 0, test_goals:times(800, 1000, [])).

test(random_lives, [forall(( between(1, 6, Seed), member(Others, [0,62,63]) ))]) :-
    random_life(Seed, 250, Others).

test(what_comes_during_a_lookup_is_not_seen, Found-Count == [1,2]-4) :-
    with_store(lasting, 1, 0,
               ( maplist([N]>>insert(row(N)), [1,2]),
                 store(Store),
                 findall(N, ( etalis_goals:goals(Store, N), M is N + 2, insert(row(M)) ), Found),
                 etalis_goals:goal_count(Store, Count)
               )).

test(what_goes_during_a_lookup, Found-Left == [1,4]-[4]) :-
    with_store(lasting, 2, 0,
               ( maplist([N]>>insert(row(k,N)), [1,2,3,4]),
                 store(Store),
                 findall(N,
                         ( etalis_goals:goals(Store, k, N),
                           ( N =:= 1 -> forall(member(M, [1,2,3]), etalis_goals:forget_goal(Store, k, M)) ; true )
                         ),
                         Found),
                 findall(N, etalis_goals:goals(Store, k, N), Left)
               )).

test(many_come_and_go) :-
    with_store(lasting, 2, 0,
               ( insert(row(first,0)),
                 store(Store),
                 forall(between(1, 20000, N),
                        ( insert(row(N,N)),
                          M is N - 100,
                          ( M > 0 -> etalis_goals:forget_goal(Store, M, _) ; true )
                        )),
                 etalis_goals:goal_count(Store, 101),
                 etalis_goals:goals(Store, first, 0),
                 \+ etalis_goals:goals(Store, 500, _)
               )).

test(goals_out_of_their_window, Lives == [[1,2],[1,2,3],[1,2,3,4],[3,4,5],[],[6]]) :-
    with_store(window, 1, 10, maplist(turned, [0,5,13,20,40,49], [[1,2],[3],[4],[5],[],[6]], Lives)).

test(a_snapshot_of_an_earlier_version_knows_one_turn, Counts == [2,2,2,2]) :-
    with_store(window, 1, 10,
               ( maplist([N]>>insert(row(N)), [1,2,3]),
                 restore_goals(young_goals([g-2]), test_goals),
                 store(Store),
                 etalis_goals:young_goals(Store, Counts)
               )).

test(a_group_is_emptied_when_an_instant_begins, Lives == [[1,2],[3]]) :-
    with_store(instant, 1, group,
               ( goal_group(group, Group),
                 etalis_goals:begin_group_instant(Group, 5), insert(row(1)),
                 etalis_goals:begin_group_instant(Group, 5), insert(row(2)), rows(First),
                 etalis_goals:begin_group_instant(Group, 6), insert(row(3)), rows(Then),
                 maplist(maplist([row(X),X]>>true), [First,Then], Lives)
               )).

test(goals_go_with_what_they_are_made_of, Left == [c,a]) :-
    with_store(used_lasting, 2, 0,
               ( maplist([N-Used]>>insert(row(N,Used)), [a-[o(1),o(2)],b-[o(2),o(3)],c-[o(4)],a-[o(1)]]),
                 store(Store),
                 etalis_goals:consume(Store, o(2)),
                 etalis_goals:consume(Store, o(9)),
                 findall(N, etalis_goals:goals(Store, N, _), Left)
               )).

test(changes_bring_another_store_to_the_same_rows, [forall(between(1, 6, Seed))]) :-
    set_random(seed(Seed)),
    with_store(lasting, 2, 0,
               ( steps(80, 2, [], Rows0),
                 watch_goals(test_goals),
                 findall(Part, goal_part(test_goals, Part), Before),
                 steps(120, 2, Rows0, Rows),
                 findall(Part, goal_change(test_goals, Part), After),
                 forget_goal_state(test_goals),
                 rows([]),
                 append(Before, After, Parts),
                 forall(member(Part, Parts), restore_goals(Part, test_goals)),
                 rows(Restored),
                 msort(Restored, Sorted),
                 msort(Rows, Sorted)
               )).

test(long_lists) :-
    numlist(1, 300000, Long),
    append(Long, [end], Longer),
    with_store(lasting, 1, 0,
               ( insert(row(Long)),
                 insert(row(Longer)),
                 store(Store),
                 etalis_goals:goals(Store, Longer),
                 rows([row(Long),row(Longer)]),
                 etalis_goals:forget_goal(Store, Long),
                 rows([row(Longer)])
               )).

test(terms_within_terms) :-
    nested(4000, Term),
    with_store(lasting, 1, 0,
               ( insert(row(Term)),
                 store(Store),
                 etalis_goals:goals(Store, Term),
                 rows([row(Term)])
               )).

test(terms_that_are_too_deep, error(resource_error(c_stack))) :-
    nested(100000, Term),
    with_store(lasting, 1, 0, insert(row(Term))).

test(all_terms_are_given_back, Counts == [0,3,2,0]) :-
    with_store(lasting, 2, 0,
               ( goal_stores(Stores),
                 store(Store),
                 findall(Count,
                         ( member(Change, [true, insert(row("a",f("a",g(1)))), insert(row("a",g(1))),
                                           etalis_goals:forget_goal(Store, _, f(_,_)), etalis_goals:forget_goals(Store)]),
                           call(Change),
                           etalis_goals:terms_held(Stores, Count)
                         ),
                         [None,Three,Three,Two,Left]),
                 Counts = [None,Three,Two,Left]
               )).

:- end_tests(goals).

nested(0, end) :- !.
nested(N, f(Term,1)) :-
    M is N - 1,
    nested(M, Term).

turned(Time, New, Rows) :-
    (   next_turn(Next), Next =< Time
    ->  etalis_goal_store:turn_stores(test_goals:Time)
    ;   true
    ),
    maplist([N]>>insert(row(N)), New),
    findall(N, ( rows(All), member(row(N), All) ), Rows).
