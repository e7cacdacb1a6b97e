:- module(etalis_aggregate_texts,
          [ no_texts/2,                 % +Queue, -Texts
            text_in/6,                  % +Distinct, +Store, +Place, +Value, +Texts0, -Texts
            text_out/4,                 % +Store, +Value, +Texts0, -Texts
            joined/5,                   % +Store, +Separator, +Distinct, +Texts, -Literal
            joined_list/4               % +Separator, +Distinct, +Values, -Literal
          ]).
:- use_module(aggregate_distinct, [value_comes/4]).
:- use_module(aggregate_queues, [queue_get/4, queue_items/5, queue_put/4, queue_take/4]).
:- use_module('../sparql/datatypes', [op(_, _, ^^)]).
:- use_module('../sparql/functions_term', [f_str/2]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [append/3, list_to_set/2]).
:- use_module(library(macros)).

#import('../sparql/datatypes').

/** <module> GROUP_CONCAT

SPARQL 1.1 section 18.5.1.7: the STR of each value, in the order of the solutions, those without time first;
with DISTINCT, where the value stands first. Joining them takes time for all that is in the window; that is
done when it is asked for.

texts(Queue, First, Last, Lasting, Errors): the queue of the values in the window, how many there are that
never leave, which are in the same queue at the places lasting(1), lasting(2) and so on, and how many have no
STR.
*/

:- det((no_texts/2, text_in/6, text_out/4, joined/5, joined_list/4)).

%!  no_texts(+Queue, -Texts) is det.

no_texts(Queue, texts(Queue, 1, 0, 0, 0)).

%!  text_in(+Distinct, +Store, +Place, +Value, +Texts0, -Texts) is det.
%
%   Place is `lasting` for a value that never leaves; with Distinct `true` each of those is kept once.

text_in(_, _, _, Value, texts(Q, First, Last, Lasting, Errors0), Texts), \+ has_text(Value) =>
    Errors is Errors0 + 1,
    Texts = texts(Q, First, Last, Lasting, Errors).
text_in(Distinct, Store, lasting, Value, texts(Q, First, Last, Lasting0, Errors), Texts) =>
    (   Distinct == true,
        \+ value_comes(Store, Q, lasting, Value)
    ->  Lasting = Lasting0
    ;   Lasting is Lasting0 + 1,
        queue_put(Store, Q, lasting(Lasting), Value)
    ),
    Texts = texts(Q, First, Last, Lasting, Errors).
text_in(_, Store, _, Value, texts(Q, First, Last0, Lasting, Errors), Texts) =>
    Last is Last0 + 1,
    queue_put(Store, Q, Last, Value),
    Texts = texts(Q, First, Last, Lasting, Errors).

has_text(Name), atom(Name) => f_str(Name, _).
has_text(_) => true.

%!  text_out(+Store, +Value, +Texts0, -Texts) is det.

text_out(_, Value, texts(Q, First, Last, Lasting, Errors0), Texts), \+ has_text(Value) =>
    Errors is Errors0 - 1,
    Texts = texts(Q, First, Last, Lasting, Errors).
text_out(Store, _, texts(Q, First0, Last, Lasting, Errors), Texts) =>
    queue_take(Store, Q, First0, _),
    First is First0 + 1,
    Texts = texts(Q, First, Last, Lasting, Errors).

%!  joined(+Store, +Separator, +Distinct, +Texts, -Literal) is det.
%
%   '$unbound' where a value has no text.

joined(_, _, _, texts(_, _, _, _, Errors), Literal), Errors > 0 =>
    Literal = '$unbound'.
joined(Store, Separator, Distinct, texts(Q, First, Last, Lasting, _), Literal) =>
    findall(Value, ( between(1, Lasting, Place), queue_get(Store, Q, lasting(Place), Value) ), Always),
    queue_items(Store, Q, First, Last, Passing),
    append(Always, Passing, Values),
    joined_list(Separator, Distinct, Values, Literal).

%!  joined_list(+Separator, +Distinct, +Values, -Literal) is det.

joined_list(Separator, true, Values, Literal) =>
    list_to_set(Values, Different),
    joined_list(Separator, false, Different, Literal).
joined_list(Separator, false, Values, Literal) =>
    (   maplist(text, Values, Texts)
    ->  separated(Texts, Separator, Parts),
        atomics_to_string(Parts, Text),
        Literal = Text^^ #xsd(string)
    ;   Literal = '$unbound'
    ).

text(Value, Text) :-
    f_str(Value, Text^^_).

separated([First,Second|Texts], Separator, Parts) =>
    Parts = [First,Separator|Rest],
    separated([Second|Texts], Separator, Rest).
separated(Texts, _, Parts) =>
    Parts = Texts.
