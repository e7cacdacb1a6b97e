:- module(etalis_aggregate_values,
          [ order_of_terms/3,           % +A, +B, -Order
            joined/4                    % +Separator, +IsDistinct, +Values, -Literal
          ]).
:- use_module('../sparql/datatypes', [op(_, _, ^^)]).
:- use_module('../sparql/functions_term', [f_str/2]).
:- use_module('../sparql/order', [compare_terms/3]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [list_to_set/2]).
:- use_module(library(macros)).

#import('../sparql/datatypes').

/** <module> What aggregates ask of terms

rules/native/accumulators.c knows the order of usual values; what is rare, and texts, are as they are here.
*/

:- det((order_of_terms/3, joined/4)).

%!  order_of_terms(+A, +B, -Order) is det.
%
%   Order of ORDER BY: below 0, 0 or above 0.

order_of_terms(A, B, Order) :-
    compare_terms(A, B, Is),
    nth_order(Is, Order).

nth_order(<, -1).
nth_order(=, 0).
nth_order(>, 1).

%!  joined(+Separator, +IsDistinct, +Values, -Literal) is det.
%
%   GROUP_CONCAT (SPARQL 1.1, section 18.5.1.7): the STR of each value, in the order of the solutions, those without time
%   first; with DISTINCT, where the value stands first. All values have one.

joined(Separator, true, Values, Literal) =>
    list_to_set(Values, Different),
    joined(Separator, false, Different, Literal).
joined(Separator, false, Values, Literal) =>
    maplist(text, Values, Texts),
    separated(Texts, Separator, Parts),
    atomics_to_string(Parts, Text),
    Literal = Text^^ #xsd(string).

text(Value, Text) :-
    f_str(Value, Text^^_).

separated([First,Second|Texts], Separator, Parts) =>
    Parts = [First,Separator|Rest],
    separated([Second|Texts], Separator, Rest).
separated(Texts, _, Parts) =>
    Parts = Texts.
