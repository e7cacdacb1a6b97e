:- module(test_aggregates_random, []).
:- use_module(aggregate_streams).
:- use_module(notation).
:- use_module('../../rules/aggregates/aggregates').
:- use_module('../../rules/aggregates/group_parts', [forget_group_state/1, group_part/2, restore_groups/2]).
:- use_module('../../rules/sparql/arithmetic', [add/3, divide/3, numeric_value/3]).
:- use_module('../../rules/sparql/floats', [float_add/3, nearest_float/2]).
:- use_module('../../rules/sparql/functions_term', [f_str/2]).
:- use_module('../../rules/sparql/order', [compare_terms/3]).
:- use_module('../../rules/sparql/singles', [nearest_single/2]).
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(apply), [exclude/3, foldl/4, include/3]).
:- use_module(library(lists), [append/3, member/2, selectchk/3]).
:- use_module(library(plunit)).
:- use_module(library(random), [maybe/1, random_between/3, random_permutation/2]).

% Random solutions in random windows: after each instant the rows must be those of all solutions so far that
% the definition of the window puts into it, computed anew from the list.

value(unbound, 1).      value("x":integer, 1).      value("NaN":double, 1).     value("INF":float, 1).
value("-INF":double, 1). value("0":integer, 5).     value("-3":integer, 5).     value("03":int, 2).
value("7":byte, 5).     value("0.1":decimal, 5).    value("-2.50":decimal, 4).  value("1e16":double, 3).
value("-1e16":double, 3). value("0.1":double, 5).   value("0.1":float, 3).      value("-0.0E0":double, 2).
value("1e308":double, 2). value("a", 2).            value("a"@en, 2).           value('urn:a', 2).
value('_:b', 1).        value("true":boolean, 1).
% Too long for what C sums, or for its units.
value("170141183460469231731687303715884105727":integer, 2).    value("-99999999999999999999999999999999999":decimal, 2).
value("0.0000000000000000000001":decimal, 2).                   value("4.9e-324":double, 2).
value("123456789012345678.123456789012345678":decimal, 3).      value("1180591620717411303424":integer, 2).

%   Of few kinds in each stream, so that there are streams without errors.

random_pool(Pool) :-
    findall(Value, ( value(Value, N), between(1, N, _) ), All),
    random_between(1, 6, Size),
    findall(Value, ( between(1, Size, _), random_member(Value, All) ), Pool).

random_window(Window) :-
    random_between(1, 12, A),
    random_between(0, A, B0),
    B is min(B0, A - 1),
    random_between(1, 8, N),
    random_member(Window, [landmark, range(A), past(A, B), rows(N)]).

%   A step is step(Time, Solutions); a solution is solution(Start, Key, Args).

random_steps(KeyCount, Pool, Steps) :-
    random_between(5, 30, Count),
    steps(Count, 0, KeyCount, Pool, Steps).

steps(0, _, _, _, []) :-
    !.
steps(Count, Time0, KeyCount, Pool, [step(Time, Solutions)|Steps]) :-
    random_member(Gap, [1, 1, 1, 2, 3, 7]),
    Time is Time0 + Gap,
    random_member(Many, [0, 1, 1, 1, 2, 4]),
    findall(Solution, ( between(1, Many, _), random_solution(Time, KeyCount, Pool, Solution) ), Solutions),
    Count1 is Count - 1,
    steps(Count1, Time, KeyCount, Pool, Steps).

random_solution(Time, KeyCount, Pool, solution(Start, Key, args(A,B))) :-
    Earliest is Time - 2,
    random_between(Earliest, Time, Start),
    random_member(ShortA, Pool),
    random_member(ShortB, Pool),
    term(ShortA, A),
    term(ShortB, B),
    (   KeyCount =:= 0
    ->  Key = key
    ;   random_member(K, ['urn:x', '_:y', 1^^'urn:t', '$unbound']),
        Key = key(K)
    ).

aggregates([agg(count, false, all), agg(count, true, all)|More]) :-
    findall(agg(Function, Distinct, Argument),
            ( member(Function, [count, sum, avg, min, max, sample, group_concat(",")]),
              member(Distinct, [false, true]),
              member(Argument, [1, 2])
            ),
            More).

% ---- the definition -----------------------------------------------------------------------------------------

%   expected_rows(+KeyCount, +Window, +Now, +Timeless, +Solutions, -Rows): Solutions are all that ended by Now,
%   each at(End, Start, Key, Args).

expected_rows(KeyCount, Window, Now, Timeless, Solutions, Rows) :-
    msort(Solutions, Sorted),
    once(in_window(Window, Now, Sorted, In)),
    findall(Key-Args, member(at(_,_,Key,Args), In), Passing),
    msort(Timeless, Lasting),
    append(Lasting, Passing, Members),
    (   KeyCount =:= 0
    ->  Keys = [key]
    ;   findall(Key, member(Key-_, Members), AllKeys),
        sort(AllKeys, Keys)
    ),
    findall(Key-Values, ( member(Key, Keys), expected_values(Key, Members, Values) ), Rows).

in_window(landmark, _, Solutions, Solutions).
in_window(range(Width), Now, Solutions, In) :-
    in_window(past(Width, 0), Now, Solutions, In).
in_window(past(A, B), Now, Solutions, In) :-
    findall(at(End,Start,Key,Args),
            ( member(at(End,Start,Key,Args), Solutions), Now - A < End, End =< Now - B ),
            In).
in_window(rows(N), _, Solutions, In) :-
    length(Solutions, Length),
    Kept is min(N, Length),
    length(In, Kept),
    append(_, In, Solutions).

expected_values(Key, Members, Values) :-
    findall(Args, member(Key-Args, Members), Group),
    aggregates(Aggregates),
    findall(Value,
            ( member(agg(Function, Distinct, Argument), Aggregates),
              ( Argument == all -> All = Group ; findall(V, ( member(Args, Group), arg(Argument, Args, V) ), All) ),
              ( Distinct == true -> list_to_set(All, Used) ; Used = All ),
              ( once(naive(Function, Used, Value0)) -> Value = Value0 ; Value = '$unbound' )
            ),
            List),
    Values =.. [values|List].

integer_type('http://www.w3.org/2001/XMLSchema#integer').

naive(count, Terms, Count^^Type) :-
    integer_type(Type),
    exclude(==('$unbound'), Terms, Bound),
    length(Bound, Count).
naive(sum, Terms, Sum) :-
    integer_type(Type),
    sum_in_order(Terms, 0^^Type, Sum).
naive(avg, [], 0^^Type) :-
    integer_type(Type).
naive(avg, Terms, Average) :-
    integer_type(Type),
    naive(sum, Terms, Sum),
    length(Terms, Count),
    divide(Sum, Count^^Type, Average).
naive(min, Terms, Least) :-
    extreme(<, Terms, Least).
naive(max, Terms, Greatest) :-
    extreme(>, Terms, Greatest).
naive(sample, Terms, Term) :-
    member(Term, Terms),
    Term \== '$unbound'.
naive(group_concat(Separator), Terms, Text^^'http://www.w3.org/2001/XMLSchema#string') :-
    maplist(text, Terms, Texts),
    atomic_list_concat(Texts, Separator, Atom),
    atom_string(Atom, Text).

extreme(Order, Terms, Term) :-
    \+ memberchk('$unbound', Terms),
    sort(Terms, Sorted),                    % of equal ones, the first in standard order
    member(Term, Sorted),
    \+ ( member(Other, Sorted), compare_terms(Other, Term, Found), Found == Order ).

text(Term, Text) :-
    f_str(Term, Text^^_).

%   The finite values in one exact sum, which has the type that adding them up one by one has.

sum_in_order(Terms, Zero, Value^^Type) :-
    foldl(add, Terms, Zero, _^^Type),
    maplist(number_of, Terms, Numbers),
    partition(special, Numbers, Special, Finite),
    (   Special == []
    ->  foldl(add_exactly, Finite, 0, Exact),
        of_type(Type, Exact, Value)
    ;   foldl(float_add, Special, 0.0, Value)
    ).

number_of(Term, Number) :-
    numeric_value(Term, _, Number).

special(Number) :-
    float(Number),
    float_class(Number, Class),
    memberchk(Class, [nan, infinite]).

add_exactly(Number, Sum0, Sum) :-
    Sum is Sum0 + rational(Number).

of_type(Type, Exact, Value) :-
    (   atom_concat(_, '#double', Type)
    ->  nearest_float(Exact, Value)
    ;   atom_concat(_, '#float', Type)
    ->  nearest_single(Exact, Value)
    ;   Value = Exact
    ).

% ---- the comparison -----------------------------------------------------------------------------------------

agrees(Seed) :-
    set_random(seed(Seed)),
    random_between(0, 1, KeyCount),
    random_pool(Pool),
    random_window(Window),
    random_steps(KeyCount, Pool, Steps),
    random_between(0, 3, Many),
    findall(Key-Args,
            ( between(1, Many, _), random_solution(0, KeyCount, Pool, solution(_, Key, Args)) ),
            Timeless),
    setup_call_cleanup(
        new_engine(M),
        ( aggregates(Aggregates),
          declare_group(M:means, KeyCount, Aggregates, Window),
          forall(member(Key-Args, Timeless), group_load(M:means, Key, Args)),
          same_rows(Steps, M, KeyCount, Window, Timeless, [])
        ),
        drop_engine(M)).

same_rows([], _, _, _, _, _).
same_rows([step(Time, Solutions)|Steps], M, KeyCount, Window, Timeless, Before) :-
    ( maybe(0.2) -> restart(M) ; true ),
    forall(member(solution(Start, Key, Args), Solutions), group_add(M:means, Start, Time, Key, Args)),
    ( maybe(0.1) -> restart(M) ; true ),
    group_settle(M:means, Time),
    findall(at(Time,Start,Key,Args), member(solution(Start, Key, Args), Solutions), Now),
    append(Before, Now, SoFar),
    findall(Key-Values, group_row(M:means, Key, Values), Rows),
    msort(Rows, Given),
    expected_rows(KeyCount, Window, Time, Timeless, SoFar, Expected),
    assertion(Given == Expected),
    forall(member(Key-Values, Expected), group_row(M:means, Key, Values)),
    same_rows(Steps, M, KeyCount, Window, Timeless, SoFar).

%   Changes: what is there at an instant is what came until then, without what went, in any order. Of no solution there is no row.

changes_agree(Seed) :-
    set_random(seed(Seed)),
    random_between(0, 1, KeyCount),
    random_pool(Pool),
    aggregates(All),
    exclude(of_order, All, Aggregates),
    setup_call_cleanup(
        new_engine(M),
        ( declare_group(M:means, KeyCount, Aggregates, changes),
          same_after_changes(30, M, KeyCount, Pool, Aggregates, [])
        ),
        drop_engine(M)).

of_order(agg(Function, _, _)) :-
    ( Function == sample ; Function = group_concat(_) ),
    !.

same_after_changes(0, _, _, _, _, _) :-
    !.
same_after_changes(Time, M, KeyCount, Pool, Aggregates, There0) :-
    ( maybe(0.2) -> restart(M) ; true ),
    random_between(0, 3, Many),
    findall(Key-Args,
            ( between(1, Many, _), random_solution(0, KeyCount, Pool, solution(_, Key, Args)) ),
            Coming),
    append(There0, Coming, All),
    ( maybe(0.1) -> Going = All ; include(random_one, All, Going) ),
    foldl(selectchk, Going, All, There),
    findall(1-Solution, member(Solution, Going), Changes0, Changes1),
    findall(0-Solution, member(Solution, Coming), Changes1),
    random_permutation(Changes0, Changes),
    forall(member(Goes-(Key-Args), Changes), group_change(M:means, Goes, Time, Key, Args)),
    ( maybe(0.1) -> restart(M) ; true ),
    group_settle(M:means, Time),
    findall(Key-Values, group_row(M:means, Key, Values), Rows),
    msort(Rows, Given),
    (   There == []
    ->  Expected = []
    ;   findall(Key-Values, group_row_of_list(KeyCount, Aggregates, There, Key, Values), Expected0),
        msort(Expected0, Expected)
    ),
    assertion(Given == Expected),
    Next is Time - 1,
    same_after_changes(Next, M, KeyCount, Pool, Aggregates, There).

random_one(_) :-
    maybe(0.3).

%   What a snapshot has of the groups, between any two changes, is all that there is to know.

restart(M) :-
    findall(Part, group_part(M, Part), Parts),
    forget_group_state(M),
    forall(member(Part, Parts), restore_groups(Part, M)).

:- begin_tests(aggregates_random).

test(as_defined, forall(between(1, 200, Seed))) :-
    agrees(Seed).

test(changes, forall(between(1, 200, Seed))) :-
    changes_agree(Seed).

%   A list of solutions without time is a landmark window of them at one instant.
test(list, forall(between(1, 100, Seed))) :-
    set_random(seed(Seed)),
    random_pool(Pool),
    random_between(0, 1, KeyCount),
    random_between(0, 9, Many),
    findall(Key-Args,
            ( between(1, Many, _), random_solution(0, KeyCount, Pool, solution(_, Key, Args)) ),
            Solutions),
    aggregates(Aggregates),
    findall(Key-Values, group_row_of_list(KeyCount, Aggregates, Solutions, Key, Values), Rows),
    msort(Rows, Given),
    expected_rows(KeyCount, landmark, 0, Solutions, [], Expected),
    assertion(Given == Expected).

:- end_tests(aggregates_random).
