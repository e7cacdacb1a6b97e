:- module(etalis_answers,
          [ encoded_answers/3,          % +Found, -Encoded, -Problem
            encoded_columns/2,          % +Others, -Encoded
            encoded_rows/5,             % +End, +Queries, +Starts, +Values, -Encoded
            error_text/2,               % +Error, -Text
            load_native/1               % +File
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(macros)).
:- use_module('../sparql/datatypes', [op(_, _, ^^)]).
:- use_module(limits, [rule_at_work/2]).
:- use_module(messages, [message_text/2]).
:- use_module(terms, [encode_term/2]).

#import('../sparql/datatypes').

:- dynamic is_native/0.

/** <module> Answers on their way out: in order, each once, in their encoded form

An answer is a(Start, Query, Row), Row one of row(Column...), triples(List) and `ask`; or o(Query, Rank, Start,
Row).
*/

%!  encoded_answers(+Found, -Encoded, -Problem) is det.
%
%   Found has the answer(End, Answer) of one instant after the other, and at its end maybe problem(Error).
%   Encoded has them in the order of end, start, query and bindings, column by column: [Queries,Starts,Ends,Values].
%   Values are those of all rows one after the other; the triples of a CONSTRUCT are one value, `ask` has none.
%   With the native library Encoded is [Others]: the columns wait in native arrays, and Others are the values that
%   are neither atoms nor usual numbers. Problem is '', or what is to be said of the error. Does not call itself: a
%   profile wraps it.

encoded_answers(Found, Encoded, Problem) :-
    (   is_native,
        \+ are_few(Found),
        put_answers(Found, Others0, Caught)     % fails where a time is beyond 64 bits
    ->  encoded_columns(Others0, Encoded),
        ( Caught = problem(Error) -> error_text(Error, Problem) ; Problem = '' )
    ;   Encoded = [Queries,Starts,Ends,Values],
        encode_found(Found, Queries, Starts, Ends, Values, Problem)
    ).

%!  encoded_columns(+Others, -Encoded) is det.
%
%   The same of answers that are in native columns, but for the terms Others.

encoded_columns(Others0, [Others]) :-
    maplist(encode_value, Others0, Others).

%!  encoded_rows(+End, +Queries, +Starts, +Values, -Encoded) is det.
%
%   The same of rows that end at End, the Values of all of them one after the other.

encoded_rows(End, Queries, Starts, Values0, [Queries,Starts,Ends,Values]) :-
    ends(Queries, End, Ends),
    encode_values(Values0, Values, []).

ends([], _, []).
ends([_|Queries], End, [End|Ends]) :-
    ends(Queries, End, Ends).

%   For few answers it does not pay to fetch columns.

are_few(Found) :-
    \+ Found = [_,_,_,_,_,_,_,_|_].

%!  load_native(+File) is det.
%
%   Load the native library (rules/native/answers.c).

load_native(File) :-
    load_foreign_library(File),
    assertz(is_native).

encode_found([], [], [], [], [], '').
encode_found([problem(Error)|_], [], [], [], [], Text) :-
    error_text(Error, Text).
encode_found([answer(End,Answer)|Found], Queries, Starts, [End|Ends], Values, Problem) :-
    (   Found = [answer(End,_)|_]
    ->  instant_answers(Found, End, Others, Later),
        in_order([Answer|Others], [First|Ordered]),
        encode_answer(First, Queries, Starts, Values, Queries1, Starts1, Values1),
        encode_instant(Ordered, End, Queries1, Starts1, Ends, Values1, Queries2, Starts2, Ends2, Values2),
        encode_found(Later, Queries2, Starts2, Ends2, Values2, Problem)
    ;   encode_answer(Answer, Queries, Starts, Values, Queries1, Starts1, Values1),
        encode_found(Found, Queries1, Starts1, Ends, Values1, Problem)
    ).

instant_answers([answer(End,Answer)|Found], End, [Answer|Answers], Later) :-
    !,
    instant_answers(Found, End, Answers, Later).
instant_answers(Later, _, [], Later).

encode_instant([], _, Queries, Starts, Ends, Values, Queries, Starts, Ends, Values).
encode_instant([Answer|Answers], End, Queries, Starts, [End|Ends], Values, Queries2, Starts2, Ends2, Values2) :-
    encode_answer(Answer, Queries, Starts, Values, Queries1, Starts1, Values1),
    encode_instant(Answers, End, Queries1, Starts1, Ends, Values1, Queries2, Starts2, Ends2, Values2).

in_order(Unsorted, Answers) :-
    msort(Unsorted, Sorted),
    merge_graphs(Sorted, Answers).

%   A CONSTRUCT gives sets of triples: the same triples with the same interval are one answer; an ASK says it
%   once. Rows whose order counts, o(Query, Rank, Start, Row), come after all others.

merge_graphs([], []).
merge_graphs([Answer|Sorted], Answers) :-
    Answer = a(_, _, What),
    ( What = triples(_) -> true ; What == ask ),
    Sorted = [Next|_],
    Answer == Next,
    !,
    merge_graphs(Sorted, Answers).
merge_graphs([Answer|Sorted], [Answer|Answers]) :-
    merge_graphs(Sorted, Answers).

%   encode_answer(+Answer, -Queries, -Starts, -Values, ?MoreQueries, ?MoreStarts, ?MoreValues): one row of the columns.

encode_answer(a(Start,Query,Row), [Query|Queries], [Start|Starts], Values, Queries, Starts, MoreValues) :-
    encode_row(Row, Values, MoreValues).
encode_answer(o(Query,_,Start,Row), [Query|Queries], [Start|Starts], Values, Queries, Starts, MoreValues) :-
    encode_row(Row, Values, MoreValues).

encode_row(triples(Triples), Values, More) =>
    Values = [Encoded|More],
    encode_value(triples(Triples), Encoded).
encode_row(Row, Values, More), atom(Row) =>
    Values = More.
encode_row(Row, Values, More) =>
    compound_name_arguments(Row, row, Terms),
    encode_values(Terms, Values, More).

%   The literals that come most often go out as plain numbers: integers are xsd:integer, floats xsd:double.

encode_values([], More, More).
encode_values([Term|Terms], [Value|Values], More) :-
    (   atom(Term),
        Term \== '$unbound'
    ->  Value = Term
    ;   encode_value(Term, Value)
    ),
    encode_values(Terms, Values, More).

encode_value(Number^^ #xsd(integer), Value), integer(Number) =>
    Value = Number.
encode_value(Number^^ #xsd(double), Value), float(Number) =>
    Value = Number.
encode_value(triples(Triples), Value) =>
    maplist(encode_triple, Triples, Value).
encode_value(Term, Value) =>
    encode_term(Term, Value).

encode_triple(t(S,P,O), [EncodedS,EncodedP,EncodedO]) :-
    encode_term(S, EncodedS),
    encode_term(P, EncodedP),
    encode_term(O, EncodedO).

%!  error_text(+Error, -Text) is det.

error_text(error(etalis_limit(runs, Limit), _), Text) :-
    !,
    format(atom(Text), 'run-limit ~d', [Limit]).
error_text(error(etalis_limit(derivations, Limit), _), Text) :-
    !,
    format(atom(Text), 'derivation-limit ~d', [Limit]).
error_text(error(etalis_pause(Before, Time, Most), _), Text) :-
    !,
    format(atom(Text), 'pause ~d ~d ~d', [Before, Time, Most]).
error_text(error(etalis_limit(answers(Query), Limit), _), Text) :-
    !,
    format(atom(Text), 'answer-limit ~d ~d', [Query, Limit]).
error_text(error(etalis_limit(time, Limit), Context), Text) :-
    !,
    rule_at_work(Context, Rule),
    format(atom(Text), 'time-limit ~w ~w', [Rule, Limit]).
error_text(error(etalis_limit(memory, Limit), Context), Text) :-
    !,
    rule_at_work(Context, Rule),
    format(atom(Text), 'memory-limit ~w ~w', [Rule, Limit]).
error_text(error(resource_error(Resource), Context), Text) :-
    !,
    rule_at_work(Context, Rule),
    format(atom(Text), 'out-of-memory ~w ~w', [Rule, Resource]).
error_text(error(etalis_user_predicate(_, _, Error), _), Text) :-
    Error = error(Formal, _),
    nonvar(Formal),
    about_limits(Formal),
    !,
    error_text(Error, Text).
error_text(error(etalis_user_predicate(Name, Arity, Error), _), Text) :-
    !,
    cause_text(Error, Cause),
    format(atom(Text), 'user-predicate ~w/~d ~w', [Name, Arity, Cause]).
error_text(Error, Text) :-
    cause_text(Error, Text).

%   about_limits(+Formal): the error is not the user's predicate's.

about_limits(etalis_limit(time, _)).
about_limits(etalis_limit(memory, _)).
about_limits(resource_error(_)).

cause_text(error(etalis_limit(inferences, Limit), _), Text) :-
    !,
    format(atom(Text), 'it does not come to an end within ~D inferences', [Limit]).
cause_text(error(Formal, Context), Text) :-
    nonvar(Formal),
    !,
    message_text(error(Formal, Context), Text).
cause_text(Thrown, Text) :-
    format(atom(Text), 'it throws ~q', [Thrown]).
