:- module(etalis_aggregate_plan,
          [ aggregate_plan/2            % +Aggregates, -Plan
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [list_to_set/2, nth1/3]).

/** <module> What a list of aggregates has to keep

SUM and AVG of one argument are read off the same accumulator, and an aggregate that stands in several places
has one. Least and greatest values, and a sample, are the same with DISTINCT.

A plan is plan(Kept, Outputs): Kept a list of keep(Kind, Distinct, Argument), Kind one of count, numbers, min,
max, first, texts, first_row(Keys) and last_row(Keys); Outputs a list of output(Function, Place), Place that of its keep in Kept, from 1.
*/

:- det(aggregate_plan/2).

%!  aggregate_plan(+Aggregates, -Plan) is det.
%
%   Aggregates is a list of agg(Function, Distinct, Argument), see declare_group/4.

aggregate_plan(Aggregates, plan(Kept, Outputs)) :-
    maplist(kept, Aggregates, All),
    list_to_set(All, Kept),
    maplist(output(Kept), Aggregates, Outputs).

kept(agg(Function, Distinct, Argument), Keep) :-
    kept_by(Function, Distinct, Argument, Keep).

kept_by(count, Distinct, Argument, Keep) => Keep = keep(count, Distinct, Argument).
kept_by(sum, Distinct, Argument, Keep) => Keep = keep(numbers, Distinct, Argument).
kept_by(avg, Distinct, Argument, Keep) => Keep = keep(numbers, Distinct, Argument).
kept_by(min, _, Argument, Keep) => Keep = keep(min, false, Argument).
kept_by(max, _, Argument, Keep) => Keep = keep(max, false, Argument).
kept_by(sample, _, Argument, Keep) => Keep = keep(first, false, Argument).
kept_by(first_row(Keys), _, Argument, Keep) => Keep = keep(first_row(Keys), false, Argument).
kept_by(last_row(Keys), _, Argument, Keep) => Keep = keep(last_row(Keys), false, Argument).
kept_by(group_concat(_), Distinct, Argument, Keep) => Keep = keep(texts, Distinct, Argument).

output(Kept, Aggregate, output(Function, Place)) :-
    Aggregate = agg(Function, _, _),
    kept(Aggregate, Keep),
    nth1(Place, Kept, Keep),
    !.
