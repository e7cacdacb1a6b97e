:- module(etalis_iterations,
          [ iterations_in_order/2,      % +Rows, -Ordered
            iteration_value/3,          % +Aggregate, +Taken, -Value
            summed/3,                   % +Sum, +Value, -New
            carried/4,                  % +Sum, +Then, +Now, -New
            sum_since/3,                % +Then, +Now, -Value
            average_since/4,            % +Then, +Now, +Count, -Value
            lesser/3,                   % +Least, +Value, -New
            greater/3,                  % +Greatest, +Value, -New
            longer/3,                   % +Iterations, +Others, ?Is
            ends_with/3                 % +Others, +Iterations, ?Is
          ]).
:- use_module(library(lists), [append/3, member/2, reverse/2]).
:- use_module('../aggregates/aggregate_lists', [group_row_of_list/5]).
:- use_module('../aggregates/aggregate_values', [joined/4, order_of_terms/3]).
:- use_module('../sparql/arithmetic', [add/3, divide/3, numeric_value/3, subtract/3]).
:- use_module('../sparql/datatypes', [op(_, _, ^^)]).
:- use_module(library(macros)).

#import('../sparql/datatypes').

/** <module> Iterations of a REPEAT: their order, what is made of their values, and which runs are longer

A run keeps sums, least and greatest values as they are so far. What else is aggregated it keeps as a list of what it has
taken, the newest first, so that a longer run shares it. rules/native/iterations.c does the same where values are usual ones.
*/

:- det((iterations_in_order/2, iteration_value/3, summed/3, carried/4, sum_since/3, average_since/4, lesser/3, greater/3)).

%!  iterations_in_order(+Rows, -Ordered) is det.
%
%   Rows are row(Start, Column...) of what ends at one instant.

iterations_in_order(Rows, Ordered) :-
    msort(Rows, Ordered).

%!  iteration_value(+Aggregate, +Taken, -Value) is det.
%
%   Aggregate is agg(Function, Distinct, Argument), see declare_group/4, and Taken a list of args(Value...), the newest first.
%   Value is '$unbound' where it is an error. The Function `list` is a group_concat with blanks; both are in the order of the
%   iterations.

iteration_value(agg(list, Distinct, Place), Taken, Value) =>
    iteration_value(agg(group_concat(" "), Distinct, Place), Taken, Value).
iteration_value(Aggregate, Taken, Value) =>
    findall(key-Args, member(Args, Taken), Keyed),
    group_row_of_list(0, [Aggregate], Keyed, key, values(Found)),
    !,
    in_order(Aggregate, Taken, Found, Value).

in_order(agg(group_concat(Separator), Distinct, Place), Taken, Value, Wanted), Value \== '$unbound' =>
    findall(One, ( member(Args, Taken), arg(Place, Args, One) ), Newest),
    reverse(Newest, Values),
    joined(Separator, Distinct, Values, Wanted).
in_order(_, _, Value, Wanted) =>
    Wanted = Value.

% ---- what is kept of values so far --------------------------------------------------------------------------

%!  summed(+Sum, +Value, -New) is det.
%
%   One value more. A sum is so_far(Exact, Decimals, Others): a literal, the sum of integers and decimals; how many of them are
%   decimals; a list of the values that are neither, the newest first. A sum of longer runs shares it, and sums can be told
%   apart (since/3). It begins with so_far(0, 0, []), the zero one of xsd:integer.

summed(so_far(Exact0, Decimals0, Others0), Value, New) :-
    (   numeric_value(Value, Rank, _),
        Rank =< 1
    ->  add(Exact0, Value, Exact),
        Decimals is Decimals0 + Rank,
        New = so_far(Exact, Decimals, Others0)
    ;   New = so_far(Exact0, Decimals0, [Value|Others0])
    ).

%!  carried(+Sum, +Then, +Now, -New) is det.
%
%   Sum with the values that came between two other sums.

carried(so_far(Exact0, Decimals0, Others0), Then, Now, so_far(Exact, Decimals, Others)) :-
    since(Then, Now, Came, New),
    add(Exact0, Came, Exact),
    Then = so_far(_, Before, _),
    Now = so_far(_, After, _),
    Decimals is Decimals0 + After - Before,
    append(New, Others0, Others).

%!  sum_since(+Then, +Now, -Value) is det.
%
%   The SUM of the values that came between two sums, '$unbound' if it is an error.

sum_since(Then, Now, Value) :-
    since(Then, Now, Exact, Others),
    (   Others == []
    ->  Value = Exact
    ;   findall(args(One), member(One, [Exact|Others]), Taken),
        iteration_value(agg(sum, false, 1), Taken, Value)
    ).

%!  average_since(+Then, +Now, +Count, -Value) is det.
%
%   The same for AVG, where Count values came.

average_since(Then, Now, Count, Value) :-
    sum_since(Then, Now, Sum),
    (   Count =:= 0
    ->  Value = Sum
    ;   divide(Sum, Count^^ #xsd(integer), Average)
    ->  Value = Average
    ;   Value = '$unbound'
    ).

since(so_far(Exact0, Decimals0, Others0), so_far(Exact1, Decimals1, Others1), Exact, Others) :-
    subtract(Exact1, Exact0, Difference^^_),
    (   Decimals1 =:= Decimals0
    ->  Exact = Difference^^ #xsd(integer)
    ;   Exact = Difference^^ #xsd(decimal)
    ),
    length(Others0, Before),
    length(Others1, All),
    New is All - Before,
    length(Others, New),
    append(Others, _, Others1),
    !.

%!  lesser(+Least, +Value, -New) is det.
%!  greater(+Greatest, +Value, -New) is det.
%
%   The least and the greatest value so far, `none` before the first; '$unbound', an error, with one that is unbound. Of terms
%   of one value it is the first in the standard order.

lesser(Least, Value, New) :-
    extreme(Least, Value, -1, New).

greater(Greatest, Value, New) :-
    extreme(Greatest, Value, 1, New).

extreme(none, Value, _, New) =>
    New = Value.
extreme('$unbound', _, _, New) =>
    New = '$unbound'.
extreme(_, '$unbound', _, New) =>
    New = '$unbound'.
extreme(Best, Value, Wanted, New) =>
    order_of_terms(Value, Best, Order),
    (   ( Order =:= Wanted ; Order =:= 0, Value @< Best )
    ->  New = Value
    ;   New = Best
    ).

% ---- which runs are longer --------------------------------------------------------------------------------

%!  longer(+Iterations, +Others, ?Is) is semidet.
%
%   Is is `true` if the list Iterations, the newest first, has those of Others as its first ones, and more; else `false`.

longer(Iterations, Others, Is) :-
    (   append([_|_], Others, Iterations)
    ->  Is = true
    ;   Is = false
    ).

%!  ends_with(+Others, +Iterations, ?Is) is semidet.
%
%   A run of Others, the newest first, ends with all of Iterations, at least one, and begins before.

ends_with(Others, Iterations, Is) :-
    (   Iterations = [_|_],
        append(Iterations, [_|_], Others)
    ->  Is = true
    ;   Is = false
    ).
