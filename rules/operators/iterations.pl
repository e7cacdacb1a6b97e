:- module(etalis_iterations,
          [ iterations_in_order/2,      % +Rows, -Ordered
            iteration_values/3,         % +Aggregates, +Taken, -Values
            is_longer/2,                % +Iterations, +Others
            is_end_of/2                 % +Iterations, +Others
          ]).
:- use_module(library(apply), [maplist/3, maplist/4]).
:- use_module(library(lists), [append/3, member/2, reverse/2]).
:- use_module('../aggregates/aggregate_lists', [group_row_of_list/5]).
:- use_module('../aggregates/aggregate_values', [joined/4]).

/** <module> Iterations of a REPEAT: their order, what is made of their values, and which runs are longer

A run keeps what it has taken as a list, the newest first, so that a longer run shares it.
*/

:- det((iterations_in_order/2, iteration_values/3)).

%!  iterations_in_order(+Rows, -Ordered) is det.
%
%   Rows are row(Start, Column...) of what ends at one instant.

iterations_in_order(Rows, Ordered) :-
    msort(Rows, Ordered).

%!  iteration_values(+Aggregates, +Taken, -Values) is det.
%
%   Aggregates is a list of agg(Function, Distinct, Argument), see declare_group/4, and Taken a list of args(Value...), the
%   newest first. Values is values(Value...), '$unbound' where a value is an error. The Function `list` is a group_concat
%   with blanks; both are in the order of the iterations.

iteration_values(Aggregates, Taken, Values) :-
    findall(key-Args, member(Args, Taken), Keyed),
    maplist(counted, Aggregates, Counted),
    group_row_of_list(0, Counted, Keyed, key, Values0),
    !,
    Values0 =.. [_|Found],
    maplist(in_order(Taken), Aggregates, Found, Wanted),
    Values =.. [values|Wanted].

%   counted(+Aggregate, -Counted): what depends on the order of iterations is made of them, not by the group.

counted(agg(list, Distinct, Argument), Counted) =>
    Counted = agg(group_concat(" "), Distinct, Argument).
counted(Aggregate, Counted) =>
    Counted = Aggregate.

in_order(Taken, agg(list, Distinct, Place), Value, Wanted) =>
    in_order(Taken, agg(group_concat(" "), Distinct, Place), Value, Wanted).
in_order(Taken, agg(group_concat(Separator), Distinct, Place), Value, Wanted), Value \== '$unbound' =>
    findall(One, ( member(Args, Taken), arg(Place, Args, One) ), Newest),
    reverse(Newest, Values),
    joined(Separator, Distinct, Values, Wanted).
in_order(_, _, Value, Wanted) =>
    Wanted = Value.

%!  is_longer(+Iterations, +Others) is semidet.
%
%   The list Iterations, the newest first, has those of Others as its first ones, and more.

is_longer(Iterations, Others) :-
    append([_|_], Others, Iterations),
    !.

%!  is_end_of(+Iterations, +Others) is semidet.
%
%   A run of Others, the newest first, ends with all of Iterations, at least one, and begins before.

is_end_of(Iterations, Others) :-
    Iterations = [_|_],
    append(Iterations, [_|_], Others),
    !.
