:- module(etalis_instant,
          [ instant_answer/4,           % +Engine, +Time, +Occurrences, -Answer
            certain_answer/4,           % +Engine, +Time, +Occurrences, -Answer
            settled_answer/3,           % +Engine, +Time, -Answer
            new_instant/3,              % +Time, +Occurrences, -Instant
            is_due/2,                   % +Engine, +Time
            settle_later/1,             % :Settlement
            settle_always/1,            % :Settlement
            settle_on_grid/5,           % :Settlement, +Period, +First, +Held, +Lasts
            settle_on_changes/2,        % :Settlement, +Query
            change_instants/4,          % :Settlement, +Query, +Store, +Lasts
            note_change/3,              % :Query, +Store, +Time
            never/1,                    % -Time
            settle_at_deadlines/4,      % :Settlement, +Store, +Column, +Length
            forget_due/1,               % :Settlement
            next_at_end/3,              % +Engine, +Time, -Next
            plans_time/1,               % +Engine
            use_occurrences/2,          % :Query, +Used
            used_occurrences/2,         % +Query, -Used
            plan_ahead/1,               % +Engine
            next_step/3,                % +Engine, +Time, -Step
            next_rank/1,                % -Rank
            settle_at_end/1,            % :Settlement
            input_ends/1,               % :Any
            given_element/3,            % :Any, +Start, +Streams
            instant_triple/3,           % :Subject, +Predicate, +Object
            instant_triple/4,           % :Subject, +Predicate, +Object, +Stream
            instant_node/1,             % :Node
            construct/6,                % :Query, +Stream, +Start, +End, +Triples, -Answer
            fresh_blank_node/1,         % :BlankNode
            instant_trie/2              % :Any, -Trie
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [member/2, min_list/2]).
:- use_module('../stores/goal_store', [turn_stores/1]).
:- use_module(evaluations, [evaluated_at/3, is_evaluated_at/2, next_evaluation/3]).
:- use_module(heard_occurrences, [heard_occurrences/8]).
:- use_module('../background/rdfs', [entailed_by_triple/7]).
:- use_module(places, [default_stream/1, with_triple/2]).
:- use_module(library(macros)).

#import(fields).

/** <module> One instant: everything that ends at the same time

The occurrences of an instant are known in full before any rule fires, so nothing depends on the order in
which they arrived. They fire the triggers, and so do those that answers of CONSTRUCT queries add (each occurrence once);
then what had to wait for the instant is settled, inner operators first. Answers come on backtracking; see answers.pl
for their form.

An occurrence is occ(Subject, Predicate, Object, Start, Place); its end is the instant's time. Place is where it is from
(places.pl), [] where no query asks.

What is known of the instant alone is in the global variable `etalis_instant`, and changed in place: facts that come
and go with every instant would leave their erased clauses to be looked at. Its arguments are those of fields.pl.
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

:- meta_predicate
    settle_later(:),
    settle_always(:),
    settle_on_grid(:, +, +, +, +),
    settle_on_changes(:, +),
    change_instants(:, +, +, +),
    note_change(:, +, +),
    settle_at_deadlines(:, +, +, +),
    forget_due(:),
    settle_at_end(:),
    input_ends(:),
    given_element(:, +, +),
    use_occurrences(:, +),
    instant_triple(:, +, +),
    instant_triple(:, +, +, +),
    instant_node(:),
    construct(:, +, +, +, +, -),
    fresh_blank_node(:),
    instant_trie(:, -).

%!  instant_answer(+Engine, +Time, +Occurrences, -Answer) is nondet.
%
%   Everything that the instant brings about, in no order.
%
%   @throws error(etalis_limit(derivations, Limit), _) where CONSTRUCT queries do not come to an end

instant_answer(M, Time, Occurrences, Answer) :-
    begin_instant(M, Time, Occurrences, Set),
    (   M:happened(Set, Time, Answer)
    ;   settled_answer(M, Time, Answer)
    ).

%!  certain_answer(+Engine, +Time, +Occurrences, -Answer) is nondet.
%
%   As instant_answer/4, for an instant that will never be complete: only answers that no further
%   occurrence of the instant could take back.

certain_answer(M, Time, Occurrences, Answer) :-
    begin_instant(M, Time, Occurrences, Set),
    (   M:happened(Set, Time, Answer)
    ;   added_answer(M, Time, Answer)
    ).

begin_instant(M, Time, Occurrences, Set) :-
    (   M:next_turn(Turn),
        Turn =< Time
    ->  turn_stores(M:Time)
    ;   true
    ),
    occurrence_set(M, Occurrences, Set),
    new_instant(Time, Set, Instant),
    b_setval(etalis_instant, Instant),
    (   M:plans_ahead(Occurrences)
    ->  plan_settlements(M, Time)
    ;   true
    ).

%!  new_instant(+Time, +Occurrences, -Instant) is det.
%
%   What is in `etalis_instant` when nothing has happened yet.

new_instant(Time, Occurrences, #new_instant(Time, Occurrences)).

%   The set of occurrences that hold: the given ones and those they entail, each once. In a run at one instant
%   all of them may be looked at (instant_triple/3); else only what some pattern hears of them is made.

occurrence_set(M, Occurrences, Set) :-
    M:asks_triples,
    M:entailment(_),
    !,
    maplist(with_triple, Occurrences, WithTriples),
    occurrences_heard(M, WithTriples, Set).
occurrence_set(M, Occurrences, Set) :-
    occurrences_heard(M, Occurrences, Set).

occurrences_heard(M, Occurrences, Set) :-
    M:entailment(Background),
    !,
    (   M:at(_)
    ->  findall(occ(S2,P2,O2,Start,Place),
                (   member(occ(S,P,O,Start,Place), Occurrences),
                    entailed_by_triple(Background, S, P, O, S2, P2, O2)
                ),
                Entailed),
        sort(Entailed, Set)
    ;   Occurrences = [occ(S,P,O,Start,Place)]
    ->  heard_occurrences(M, Background, S, P, O, Start, Place, Set)
    ;   findall(Heard,
                (   member(occ(S,P,O,Start,Place), Occurrences),
                    heard_occurrences(M, Background, S, P, O, Start, Place, Some),
                    member(Heard, Some)
                ),
                All),
        sort(All, Set)
    ).
occurrences_heard(_, [Occurrence], [Occurrence]) :-
    !.
occurrences_heard(_, Occurrences, Set) :-
    sort(Occurrences, Set).

% ---- what waits for the end of the instant ------------------------------------------------------------

%!  settle_later(:Settlement) is det.
%
%   The operator has solutions that wait: Settlement(Time) is called once all that comes before it in
%   M:settlement_order/2 is settled.

settle_later(M:Settlement) :-
    M:settlement_order(Settlement, Order),
    b_getval(etalis_instant, Instant),
    due_bit(Order, Place, Bit),
    arg(Place, Instant, Due0),
    Due is Due0 \/ Bit,
    (   Due =:= Due0
    ->  true
    ;   nb_setarg(Place, Instant, Due)
    ).

%   What is due is a set of bits: those of orders above 0 come first, then those of the others.

due_bit(Order, Place, Bit) :-
    (   Order > 0
    ->  Place = #instant(due),
        Bit is 1<<Order
    ;   Place = #instant(due_last),
        Bit is 1<<(-Order)
    ).

%!  settle_always(:Settlement) is det.
%
%   Settlement is due at every instant, also where nothing waits.

settle_always(M:Settlement) :-
    assertz(M:always_due(Settlement)),
    plan_ahead(M).

%!  settle_on_grid(:Settlement, +Period, +First, +Held, +Lasts) is det.
%
%   Settlement is due at First and every Period microseconds after it, at the multiples of Period where First is `none`, also
%   where nothing happens then; nothing need be done while Held, the name of a store or a group, is empty, if it is not `none`.
%   Lasts says how long it is due when the input has ended:
%
%     - input: no longer
%     - passing: until the store is empty
%     - lasting: once more
%     - always(Times): until after the time that a goal of the store Times has first

settle_on_grid(M:Settlement, Period, First, Held, Lasts) :-
    (   Lasts = always(Times),
        M:goal_store(Times, _, Goals, _)
    ->  etalis_goals:order_goals(Goals, 1)
    ;   true
    ),
    assertz(M:due_on_grid(Settlement, Period, First, Held, Lasts)),
    plan_ahead(M).

%!  settle_on_changes(:Settlement, +Query) is det.
%
%   Settlement is due at all instants of the query of that number, which note_change/3 tells.

settle_on_changes(M:Settlement, Query) :-
    assertz(M:due_on_change(Settlement, Query)),
    plan_ahead(M).

%!  change_instants(:Settlement, +Query, +Store, +Lasts) is det.
%
%   The goals of Store, its name, are instants to come of the query, at which Settlement is due, too. When the input has
%   ended all are gone through, or where Lasts is `lasting` the first.

change_instants(M:Settlement, Query, Name, Lasts) :-
    M:goal_store(Name, 1, Store, _),
    !,
    etalis_goals:order_goals(Store, 1),
    assertz(M:change_store(Settlement, Query, Store, Lasts)),
    plan_ahead(M).

%!  note_change(:Query, +Store, +Time) is det.
%
%   The query is evaluated at Time, this instant or a later one, as Store has it.

note_change(M:Query, Name, Time) :-
    b_getval(etalis_instant, Instant),
    arg(#instant(time), Instant, Now),
    M:goal_store(Name, 1, Store, _),
    (   Time =:= Now
    ->  settle_changed(M, Query, Store, Now)
    ;   never(Never),
        Time < Never
    ->  ( etalis_goals:goals(Store, Time) -> true ; etalis_goals:insert_goal(Store, Time) )
    ;   true
    ),
    !.

%!  never(-Time) is det.
%
%   The end of a life without one.

never(Time) :-
    Time is 1<<60.                      % as FOREVER in compiler/algebra/stream_windows.py

settle_changed(M, Query, Store, Now) :-
    forall(M:change_store(Settlement, Query, Store, _), settle_later(M:Settlement)),
    forall(M:due_on_change(Settlement, Query), settle_later(M:Settlement)),
    retractall(M:changed(Query, _)),
    assertz(M:changed(Query, Now)).

%!  settle_at_deadlines(:Settlement, +Store, +Column, +Length) is det.
%
%   Settlement is due at the deadlines of the goals in Store, a term Name/Arity: each is Length microseconds after the time
%   in that Column.

settle_at_deadlines(M:Settlement, Name/Arity, Column, Length) :-
    M:goal_store(Name, Arity, Store, _),
    !,
    etalis_goals:order_goals(Store, Column),
    assertz(M:due_at(Settlement, Store, Length)),
    plan_ahead(M).

%!  next_at_end(+Engine, +Time, -Next) is semidet.
%
%   When the input has ended at Time, Next is the first instant at which something is still due: a deadline, or an evaluation
%   of what windows hold.

next_at_end(M, Time, Next) :-
    findall(At,
            (   deadline(M, _, At)
            ;   integer(Time), next_evaluation(M, Time, At)
            ;   change_at(M, _, _, At)
            ),
            All),
    min_list(All, Next).

%   deadline(+M, ?Settlement, -Deadline): the first deadline of each operator.

deadline(M, Settlement, Deadline) :-
    M:due_at(Settlement, Store, Length),
    etalis_goals:earliest_goal(Store, Time),
    Deadline is Time + Length.

%!  settle_at_end(:Settlement) is det.
%
%   Settlement is due when the input has ended, at its last instant, with input_ends/1 true.

settle_at_end(M:Settlement) :-
    assertz(M:due_at_end(Settlement)),
    plan_ahead(M).

%!  input_ends(:Any) is semidet.
%
%   The input has ended: what is settled now can wait no longer.

input_ends(M:_) :-
    M:is_ending.

%!  given_element(:Any, +Start, +Streams) is semidet.
%
%   An element of the input, that no CONSTRUCT made, has the interval from Start to this instant. Streams are those that
%   count, all where there are none.

given_element(_, Start, Streams) :-
    b_getval(etalis_instant, Instant),
    arg(#instant(occurrences), Instant, Given),
    (   Streams == []
    ->  memberchk(occ(_,_,_,Start,_), Given)
    ;   member(Stream, Streams),
        member(Place, [place(Stream,_),place(Stream,_,_)]),
        memberchk(occ(_,_,_,Start,Place), Given)
    ),
    !.

%!  plans_time(+Engine) is semidet.
%
%   Something may be due at instants at which nothing happens.

plans_time(M) :-
    M:due_on_grid(_, _, _, _, _),
    !.
plans_time(M) :-
    M:change_store(_, _, _, _),
    !.
plans_time(M) :-
    M:due_at(_, _, _),
    !.

%!  plan_ahead(+Engine) is det.
%
%   Instants have something to do though nothing happens: each begins with M:plans_ahead(Occurrences), which a trace
%   makes use of (trace.pl).

plan_ahead(M) :-
    (   clause(M:plans_ahead(_), _)
    ->  true
    ;   assertz(M:plans_ahead(_))
    ).

%!  forget_due(:Settlement) is det.
%
%   What is called Settlement is never due again; where nothing is, no instant plans ahead.

forget_due(M:Settlement) :-
    retractall(M:always_due(Settlement)),
    retractall(M:due_on_grid(Settlement, _, _, _, _)),
    retractall(M:due_on_change(Settlement, _)),
    retractall(M:change_store(Settlement, _, _, _)),
    retractall(M:due_at(Settlement, _, _)),
    retractall(M:due_at_end(Settlement)),
    (   ( M:always_due(_) ; M:due_at_end(_) ; plans_time(M) )
    ->  true
    ;   forall(( clause(M:plans_ahead(_), Body, Ref), Body == true ), erase(Ref))
    ).

%   change_at(+M, -Query, -Store, -Time): the first instant in each store of instants.

change_at(M, Query, Store, Time) :-
    M:change_store(_, Query, Store, Lasts),
    \+ ( Lasts == lasting, M:ended_at(End), M:changed(Query, Last), Last >= End ),
    etalis_goals:earliest_goal(Store, Time).

plan_settlements(M, Time) :-
    (   M:at(Time)
    ->  b_getval(etalis_instant, Instant),
        load_seen(M, Instant)
    ;   true
    ),
    forall(M:always_due(Settlement), settle_later(M:Settlement)),
    (   M:is_ending
    ->  forall(M:due_at_end(Settlement), settle_later(M:Settlement))
    ;   true
    ),
    forall(change_at(M, Query, Store, Time),
           ( etalis_goals:forget_goal(Store, Time),
             settle_changed(M, Query, Store, Time)
           )),
    evaluated_at(M, Time, Evaluated),
    forall(member(Settlement, Evaluated), settle_later(M:Settlement)),
    forall(( deadline(M, Settlement, Deadline), Deadline =:= Time ),
           settle_later(M:Settlement)).

%!  next_step(+Engine, +Time, -Step) is semidet.
%
%   Step is the first instant after Time at which something is due though nothing may happen.

next_step(M, Time, Next) :-
    findall(At,
            (   deadline(M, _, At)
            ;   next_evaluation(M, Time, At)
            ;   change_at(M, _, _, At)
            ),
            All),
    min_list(All, Next).

%!  is_due(+Engine, +Time) is semidet.
%
%   Something is due at the instant Time though nothing happens.

is_due(M, Time) :-
    M:at(Time),
    !.
is_due(M, Time) :-
    deadline(M, _, Time),
    !.
is_due(M, Time) :-
    change_at(M, _, _, Time),
    !.
is_due(M, Time) :-
    integer(Time),
    is_evaluated_at(M, Time).

%!  settled_answer(+Engine, +Time, -Answer) is nondet.
%
%   What comes of the occurrences that were added, and of settling all that waits for the end of the instant, inner
%   operators first.

settled_answer(M, Time, Answer) :-
    b_getval(etalis_instant, Instant),
    settled_answer(M, Time, Instant, Answer).

settled_answer(M, Time, Instant, Answer) :-
    arg(#instant(added), Instant, Added),
    (   Added == []
    ->  due_answer(M, Time, Instant, Answer)
    ;   fired_answer(Added, M, Time, Instant, Answer)
    ;   settled_answer(M, Time, Instant, Answer)
    ).

added_answer(M, Time, Answer) :-
    b_getval(etalis_instant, Instant),
    arg(#instant(added), Instant, Added),
    Added \== [],
    (   fired_answer(Added, M, Time, Instant, Answer)
    ;   added_answer(M, Time, Answer)
    ).

fired_answer(Added, M, Time, Instant, Answer) :-
    nb_setarg(#instant(added), Instant, []),
    member(Occurrences, Added),
    M:fired(Occurrences, Time, Answer).

due_answer(M, Time, Instant, Answer) :-
    next_due(Instant, Order),
    M:settlement_order(Settlement, Order),
    !,
    (   call(M:Settlement, Time, Answer)
    ;   settled_answer(M, Time, Instant, Answer)
    ).

%   next_due(+Instant, -Order) is semidet: it is due no more.

next_due(Instant, Order) :-
    arg(#instant(due), Instant, Due),
    (   Due =\= 0
    ->  Order is lsb(Due),
        Others is Due xor (1<<Order),
        nb_setarg(#instant(due), Instant, Others)
    ;   arg(#instant(due_last), Instant, Last),
        Last =\= 0,
        Order is -lsb(Last),
        Others is Last xor (1<<(-Order)),
        nb_setarg(#instant(due_last), Instant, Others)
    ).

% ---- what answers use up ----------------------------------------------------------------------------------

%!  use_occurrences(:Query, +Used) is det.
%
%   An answer is made of the occurrences Used: when the instant closes, Query consumes them (policies.pl).

use_occurrences(Query, Used) :-
    settle_later(Query),
    b_getval(etalis_instant, Instant),
    arg(#instant(used), Instant, All),
    strip_module(Query, _, Name),
    duplicate_term(Name-Used, Kept),
    nb_linkarg(#instant(used), Instant, [Kept|All]).

%!  used_occurrences(+Query, -Used) is det.
%
%   The set of occurrences that answers of the instant are made of.

used_occurrences(Query, Used) :-
    b_getval(etalis_instant, Instant),
    arg(#instant(used), Instant, All),
    (   All = [Query-Used0]
    ->  Used = Used0
    ;   findall(Occurrence,
                (   member(Query-Some, All),
                    member(Occurrence, Some)
                ),
                Occurrences),
        sort(Occurrences, Used)
    ).

% ---- occurrences that CONSTRUCT adds --------------------------------------------------------------------

%!  construct(:Query, +Stream, +Start, +End, +Triples, -Answer) is semidet.
%
%   Add the triples of one solution to Stream, '' for the default stream, unless M:only_query: there is one query and one instant, and
%   nobody to see them; t(S,P,O) that are no RDF triple are left out (SPARQL 1.1, section 16.2). Answer is the set of
%   them. What is added to a named stream is seen by those patterns alone that ask for streams.

construct(M:Query, Stream, Start, _, Template, a(Start, Query, triples(Set))) :-
    triples_of(Template, Triples),
    Triples \== [],
    sort(Triples, Set),
    b_getval(etalis_instant, Instant),
    load_seen(M, Instant),
    arg(#instant(adding), Instant, Way),
    add_triples(Way, Set, M, Stream, Start, Instant).

triples_of([], []).
triples_of([T|Template], Triples) :-
    (   is_triple(T)
    ->  Triples = [T|More]
    ;   Triples = More
    ),
    triples_of(Template, More).

is_triple(t(S,P,O)) :-
    atom(S), S \== '$unbound',
    atom(P), P \== '$unbound', \+ sub_atom(P, 0, _, _, '_:'),
    O \== '$unbound'.

%   way_of_adding(+M, -Way): what is done with the triples of a solution: they are seen by nobody, they are new if their
%   triple and interval are, or more is to be known of each.

way_of_adding(M, Way) :-
    (   M:only_query
    ->  Way = nobody
    ;   \+ M:entailment(_), \+ M:asks_places, \+ M:at(_)
    ->  Way = as_they_are
    ;   Way = general
    ).

add_triples(nobody, _, _, _, _, _) =>
    true.
add_triples(as_they_are, Set, M, '', Start, Instant) =>
    arg(#instant(trie), Instant, Seen),
    new_triples(Set, Start, Seen, New, 0, Count, 0, CountAgain),
    count_new(Count, Instant, M),
    count_again(CountAgain, Instant, M),
    fire_later(New, Instant).
add_triples(as_they_are, _, _, _, _, _) =>
    true.                               % to a stream that no pattern asks for
add_triples(general, Set, M, Stream, Start, Instant) =>
    findall(occ(S,P,O,Start,Place),
            (   member(t(S0,P0,O0), Set),
                entailed(M, S0, P0, O0, S, P, O),
                is_new(M, Stream, S, P, O, Start, t(S0,P0,O0), Instant, Place)
            ),
            New),
    fire_later(New, Instant).

new_triples([], _, _, [], Count, Count, Again, Again).
new_triples([t(S,P,O)|Set], Start, Seen, New, Count0, Count, Again0, Again) :-
    (   trie_insert(Seen, seen(S,P,O,Start))
    ->  New = [occ(S,P,O,Start,[])|More],
        Count1 is Count0 + 1,
        new_triples(Set, Start, Seen, More, Count1, Count, Again0, Again)
    ;   Again1 is Again0 + 1,
        new_triples(Set, Start, Seen, New, Count0, Count, Again1, Again)
    ).

%   Occurrences to be fired are kept solution by solution.

fire_later([], _) :-
    !.
fire_later(Occurrences, Instant) :-
    arg(#instant(added), Instant, Added),
    duplicate_term(Occurrences, Kept),
    nb_linkarg(#instant(added), Instant, [Kept|Added]).

entailed(M, S, P, O, S2, P2, O2) :-
    M:entailment(Background),
    !,
    (   M:at(_)
    ->  entailed_by_triple(Background, S, P, O, S2, P2, O2)
    ;   heard_occurrences(M, Background, S, P, O, 0, [], Heard),
        member(occ(S2,P2,O2,_,_), Heard)
    ).
entailed(_, S, P, O, S, P, O).

%   is_new(+M, +Stream, +S, +P, +O, +Start, +Of, +Instant, -Place) is semidet: the triple, which is or follows from Of, is
%   not in the stream yet. Place says which patterns see a new occurrence, as located/2 (places.pl) does. Derived triples have
%   no graph.

is_new(M, Stream, S, P, O, Start, _, Instant, Place) :-
    \+ M:asks_places,
    !,
    Stream == '',
    is_new(M, S, P, O, Start, Instant),
    Place = [].
is_new(M, '', S, P, O, Start, Of, Instant, Place) :-
    !,
    default_stream(Stream),
    derived_place(M, Stream, Of, Whole),
    (   is_new(M, S, P, O, Start, Instant)
    ->  New = first,
        know_place(Instant, S, P, O, Start, Whole, _)
    ;   know_place(Instant, S, P, O, Start, Whole, New),
        New \== known
    ),
    placed_as(New, Whole, Place).
is_new(M, Stream, S, P, O, Start, Of, Instant, Place) :-
    derived_place(M, Stream, Of, Whole),
    know_place(Instant, S, P, O, Start, Whole, New),
    (   memberchk(New, [copy,again])
    ->  count_new(1, Instant, M)
    ;   count_again(1, Instant, M)
    ),
    New \== known,
    placed_as(New, Whole, Place).

derived_place(M, Stream, Of, Place) :-
    (   M:asks_triples,
        M:entailment(_)
    ->  Place = place(Stream, '', Of)
    ;   Place = place(Stream, '')
    ).

placed_as(New, Whole, Place) :-
    Whole =.. [_|Parts],
    Place =.. [New|Parts].

is_new(M, S, P, O, Start, Instant) :-
    arg(#instant(trie), Instant, Seen),
    (   trie_lookup(Seen, seen(S,P,O,Start), _)
    ->  count_again(1, Instant, M),
        fail
    ;   M:at(_),
        M:background(S, P, O)
    ->  fail
    ;   trie_insert(Seen, seen(S,P,O,Start)),
        count_new(1, Instant, M)
    ).

%   know_place(+Instant, +S, +P, +O, +Start, +Place, -New): the triple is known in Place, and was not in its stream, a copy, in
%   its element, again, or in all of Place, more; or it was known.

know_place(Instant, S, P, O, Start, Place, New) :-
    arg(#instant(trie), Instant, Seen),
    findall(As, ( part_of_place(Place, As, Part), trie_insert(Seen, seen(S,P,O,Start,Part)) ), All),
    ( All = [First|_] -> New = First ; New = known ).

part_of_place(Place, copy, Stream) :-
    arg(1, Place, Stream).
part_of_place(Place, again, place(Stream,Graph)) :-
    arg(1, Place, Stream),
    arg(2, Place, Graph).
part_of_place(Place, more, Place) :-
    Place = place(_, _, _).

%   New triples are counted, and so are those that are made again: a program that makes each triple in ever
%   more ways does not come to an end either.

count_new(Count, Instant, M) :-
    count_derivations(Count, #instant(derived), 1, Instant, M).

count_again(Count, Instant, M) :-
    count_derivations(Count, #instant(derived_again), 10, Instant, M).

count_derivations(0, _, _, _, _) :-
    !.
count_derivations(Count, Which, Times, Instant, M) :-
    arg(Which, Instant, N0),
    N is N0 + Count,
    nb_setarg(Which, Instant, N),
    M:derivation_limit(Limit),
    (   N > Times * Limit
    ->  throw(error(etalis_limit(derivations, Limit), _))
    ;   true
    ).

%   load_seen(+M, +Instant): the occurrences of the instant are known as soon as one of them was derived, or may be asked
%   for. They are keys of the instant's trie: seen(S,P,O,Start), and where queries
%   ask for places also seen(S,P,O,Start,In), with the stream, the element and the place.

load_seen(M, Instant) :-
    arg(#instant(adding), Instant, none),
    !,
    instant_trie(M, Instant, Seen),
    way_of_adding(M, Way),
    nb_setarg(#instant(adding), Instant, Way),
    arg(#instant(occurrences), Instant, Set),
    forall(member(occ(S,P,O,Start,Place), Set),
           (   add_key(Seen, seen(S,P,O,Start)),
               (   Place == []
               ->  true
               ;   know_place(Instant, S, P, O, Start, Place, _)
               )
           )).
load_seen(_, _).

%!  instant_trie(:Any, -Trie) is det.
%
%   What is looked up of the instant alone is in a trie of its own, so that nothing is left of the terms of earlier
%   ones. It is M:instant_trie(Trie), and in the instant once it is needed. See load_seen/2.

instant_trie(M:_, Trie) :-
    b_getval(etalis_instant, Instant),
    instant_trie(M, Instant, Trie).

instant_trie(M, Instant, Trie) :-
    arg(#instant(trie), Instant, Trie0),
    (   Trie0 \== none
    ->  Trie = Trie0
    ;   forall(retract(M:instant_trie(Old)), trie_destroy(Old)),
        trie_new(Trie),
        assertz(M:instant_trie(Trie)),
        nb_setarg(#instant(trie), Instant, Trie)
    ).

add_key(Trie, Key) :-
    ( trie_insert(Trie, Key) -> true ; true ).

%!  instant_triple(:Subject, +Predicate, +Object) is semidet.
%
%   In a run at one instant: an occurrence of the stream has this triple.

instant_triple(M:S, P, O) :-
    M:at(Time),
    M:instant_trie(Seen),
    trie_lookup(Seen, seen(S,P,O,Time), _).

%!  instant_triple(:Subject, +Predicate, +Object, +Stream) is semidet.
%
%   The same of an occurrence of Stream, where queries ask for streams.

instant_triple(M:S, P, O, Stream) :-
    M:at(Time),
    M:instant_trie(Seen),
    trie_lookup(Seen, seen(S,P,O,Time,Stream), _).

%!  instant_node(:Node) is nondet.
%
%   In a run at one instant: a subject or object of the stream.

instant_node(M:Node) :-
    M:instant_trie(Seen),
    findall(S-O, trie_gen(Seen, seen(S,_,O,_), _), Nodes),
    member(One-Other, Nodes),
    ( Node = One ; Node = Other ).

%!  fresh_blank_node(:BlankNode) is det.
%
%   A blank node that the engine has not used yet.

fresh_blank_node(M:BlankNode) :-
    retract(M:blank_nodes(Prefix, N0)),
    !,
    N is N0 + 1,
    assertz(M:blank_nodes(Prefix, N)),
    atomic_list_concat(['_:', Prefix, N], BlankNode).

%!  next_rank(-Rank) is det.
%
%   Number the rows of the instant whose order counts.

next_rank(Rank) :-
    b_getval(etalis_instant, Instant),
    arg(#instant(rank), Instant, Rank),
    Next is Rank + 1,
    nb_setarg(#instant(rank), Instant, Next).
