:- module(etalis_portions,
          [ portion/6                   % :Goal, +Walk, +Most, -Answers, -Late, -Is
          ]).
:- use_module(library(lists), [append/3, member/2]).
:- use_module(limits, [limited/2, too_many/6]).
:- use_module(library(macros)).

#import(fields).

/** <module> Answers leave in portions

What a walk (feed.pl) brings about comes on backtracking. It is collected as findall/3 does it, but whenever there is
enough the walk stands still, and goes on on backtracking into it: so memory is bounded by a portion, however many
answers one batch, one instant, or one event has.

A portion ends where an instant does. An instant that alone has more than a portion's answers is cut: each part of it
is in order by itself (answers.pl), and where it is cut depends on nothing but its answers. That those of an ASK or a
CONSTRUCT come once then takes a table of what was given.
*/

:- meta_predicate
    portion(1, +, +, -, -, -),
    collected(1, +, +, -, -).

%!  portion(:Goal, +Walk, +Most, -Answers, -Late, -Is) is multi.
%
%   Answers are a portion of the answer(End, Answer) that Goal gives, in the order of their instants, and Late the Row
%   of each late(Row) among them; Is is `last` or `more`. After an error in Goal the last portion ends with
%   problem(Error), and has nothing of the instant that failed. Walk is changed in place, see fields.pl.

portion(Goal, Walk, Most, Answers, Late, Is) :-
    arg(#walk(engine), Walk, M),
    catch(limited(M, setup_call_cleanup('$new_findall_bag',
                                        collected(Goal, Walk, Most, All, Ends),
                                        '$destroy_findall_bag')),
          Error, ( failed(Walk, Error, Caught), All = [Caught], Ends = last )),
    late_rows(All, Found, Late),
    (   too_many(M, Walk, Ends, Found, End, TooMany)
    ->  nb_setarg(#walk(clock), Walk, End),
        failed(Walk, TooMany, Problem),
        of_finished(Walk, Found, Before),
        append(Before, [Problem], Answers),
        Is = last
    ;   given_once(Ends, Walk, Found, Answers),
        is_last(Ends, Is)
    ).

is_last(last, Is) => Is = last.
is_last(_, Is) => Is = more.

%   collected(:Goal, +Walk, +Most, -Found, -Ends): as findnsols/4. Ends is `last`; `whole`: the last instant of Found is
%   all there; or cut(End).

collected(Goal, Walk, Most, Found, Ends) :-
    Mark = mark(Most),
    (   catch(call(Goal, Each), Error, failed(Walk, Error, Each)),
        '$add_findall_bag'(Each, Count),
        arg(1, Mark, Enough),
        Count >= Enough,
        Each = answer(End, _),
        '$collect_findall_bag'(All, []),
        whole_instants(All, End, Found, Rest, Ends),
        (   '$suspend_findall_bag'
        ;   Next is Count + Most,
            nb_setarg(1, Mark, Next),
            member(One, Rest),
            '$add_findall_bag'(One)     % fails
        )
    ;   '$collect_findall_bag'(All, []),
        (   arg(#walk(stop), Walk, failed)
        ->  of_finished(Walk, All, Found)
        ;   Found = All
        ),
        Ends = last
    ).

failed(Walk, Error, problem(Error)) :-
    nb_setarg(#walk(stop), Walk, failed).

%   of_finished(+Walk, +All, -Some): without the answers of the instant that failed.

of_finished(Walk, All, Some) :-
    arg(#walk(clock), Walk, Clock),
    not_of(All, Clock, Some).

not_of([], _, []).
not_of([answer(End,_)|All], Clock, Some) :-
    End >= Clock,
    !,
    not_of(All, Clock, Some).
not_of([Each|All], Clock, [Each|Some]) :-
    not_of(All, Clock, Some).

%   whole_instants(+All, +End, -Whole, -Rest, -Ends): Rest is what ends at End, the last instant, and may not be all
%   of it; unless there is nothing else.

whole_instants(All, End, Whole, Rest, Ends) :-
    split_at(All, End, Whole0, Rest0),
    (   member(answer(_,_), Whole0)
    ->  Whole = Whole0, Rest = Rest0, Ends = whole
    ;   Whole = All, Rest = [], Ends = cut(End)
    ).

split_at([Each|All], End, [Each|Whole], Rest) :-
    \+ Each = answer(End, _),
    !,
    split_at(All, End, Whole, Rest).
split_at(Rest, _, [], Rest).

late_rows([], [], []).
late_rows([late(Row)|Found], Others, [Row|Rows]) :-
    !,
    late_rows(Found, Others, Rows).
late_rows([Other|Found], [Other|Others], Rows) :-
    late_rows(Found, Others, Rows).

%   given_once(+Ends, +Walk, +Found, -Answers): Answers are Found without what parts of the same instant had before, of
%   those forms that give equal answers once. The table of what they had is in the walk while the instant is open.

given_once(Ends, Walk, Found, Answers) :-
    arg(#walk(cut), Walk, End),
    (   End == none
    ->  Answers = Found,
        begin_cut(Ends, Walk, Found)
    ;   arg(#walk(given), Walk, Given),
        not_given(Found, End, Given, Answers),
        (   Ends == cut(End)
        ->  true
        ;   trie_destroy(Given),
            nb_setarg(#walk(cut), Walk, none),
            begin_cut(Ends, Walk, Found)
        )
    ).

%   What is set is atomic: a compound would keep all that is on the stack until it is collected.

begin_cut(cut(End), Walk, Found) =>
    trie_new(Given),
    not_given(Found, End, Given, _),
    nb_setarg(#walk(cut), Walk, End),
    nb_setarg(#walk(given), Walk, Given).
begin_cut(_, _, _) =>
    true.

not_given([], _, _, []).
not_given([answer(End,Answer)|Found], End, Given, Answers) :-
    comes_once(Answer),
    \+ trie_insert(Given, Answer),
    !,
    not_given(Found, End, Given, Answers).
not_given([Each|Found], End, Given, [Each|Answers]) :-
    not_given(Found, End, Given, Answers).

comes_once(a(_,_,ask)).
comes_once(a(_,_,triples(_))).
