:- module(etalis_trace,
          [ start_trace/1,              % +Engine
            trace_event/7,              % :Subject, +Predicate, +Object, +Start, +End, +Place, -Leaf
            trace_witness/3,            % ?Told, :Goal, -Column
            trace_walk/8,               % :Step, :Edge, +Repeat, +X, +Y, +Begin, +End, -Walk
            trace_timeless_walk/6,      % :Edge, +Repeat, +Zero, +X, +Y, -Walk
            pack_trace/2,               % +Columns, -Text
            distinct_traced_solution/3, % ?Row, ?Why, :Goal
            traced_answer/6,            % :Query, +Why, +End, :Goal, ?Answer, -Told
            traced_construct/7,         % :Query, +Stream, +Why, +End, :Goal, ?Answer, -Told
            note_occurrences/2,         % +Engine, +Occurrences
            derivation/3                % +Engine, +Number, -Derivation
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(assoc), [empty_assoc/1, get_assoc/3, put_assoc/4]).
:- use_module(library(lists), [append/3, last/2, member/2, reverse/2]).
:- use_module(library(macros)).
:- use_module('../sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module('../engine/places', [default_stream/1]).
:- use_module('../background/rdfs_stream', [entailed_by_triple/7]).
:- use_module(trace_text, [json_text/2]).

#import('../sparql/datatypes').
#import('../background/rdfs_names').

/** <module> What answers are made of, for engines that trace

The hidden columns of a traced plan (compiler/plan/trace_plan.py) hold, for the leaf of the plan that they belong to,

  - event(S, P, O, Start, End, Place, Origin): an occurrence matched, from a Place where the pattern asks for it
    (places.pl), else `anywhere`. Origin is `said` if the stream said so,
    entailed(S0, P0, O0, Origin0) if it follows from another triple with the same interval by the schema,
    derived(Number) if a CONSTRUCT made it: derivation/3 tells how
  - background(S, P, O), graph(G, S, P, O), graph(G): a background triple, one of a named graph, a named graph
  - goal(Arguments): an answer of a predicate of the user's
  - walk(X, Y, Steps): a path from X to Y, its steps as pack_trace/2 made them
  - row(Number) of VALUES, and `unit`, the empty group

An engine that traces plans each instant ahead (instant.pl), and so comes by its occurrences. It keeps them as they
came in raw_occurrence(Node, S, P, O, Start, Place), Node being S or O, those that queries made there in
made_occurrence(Node, S, P, O, Start, Stream, Number), and in
answered(Hash, Answer) the answers of those forms that give equal ones once. What a CONSTRUCT made is of use for as long
as anything that is made of it, so derived(Number, Query, Why) stays.
*/

:- meta_predicate
    trace_event(:, +, +, +, +, +, -),
    about(0, +, +, ?, ?),
    trace_witness(?, 0, -),
    trace_walk(:, :, +, +, +, +, +, -),
    trace_timeless_walk(:, +, +, +, +, -),
    distinct_traced_solution(?, ?, 0),
    traced_answer(:, +, +, 0, ?, -),
    traced_construct(:, +, +, +, 0, ?, -).

:- det((start_trace/1, trace_event/7, trace_witness/3, trace_walk/8, pack_trace/2, note_occurrences/2)).

%!  start_trace(+Engine) is det.
%
%   To be called before queries are added.

start_trace(M) :-
    add_import_module(M, etalis_trace, end),
    dynamic(M:[ raw_occurrence/6, made_occurrence/7, answered/2, derived/3, derived_so_far/1 ]),
    assertz(M:derived_so_far(0)),
    assertz((M:plans_ahead(Occurrences) :- etalis_trace:note_occurrences(M, Occurrences))).

%!  note_occurrences(+Engine, +Occurrences) is det.
%
%   An instant begins with these occurrences.

note_occurrences(M, Occurrences) :-
    retractall(M:raw_occurrence(_, _, _, _, _, _)),
    retractall(M:made_occurrence(_, _, _, _, _, _, _)),
    retractall(M:answered(_, _)),
    forall(( member(occ(S,P,O,Start,Place), Occurrences), node(S, O, Node) ),
           assertz(M:raw_occurrence(Node, S, P, O, Start, Place))).

%   node(+Subject, +Object, -Node): an occurrence is found by either of its nodes.

node(S, _, S).
node(S, O, O) :-
    O \== S.

% ---- leaves ---------------------------------------------------------------------------------------------

%!  trace_event(:Subject, +Predicate, +Object, +Start, +End, +Place, -Leaf) is det.
%
%   Leaf tells of an occurrence that ends with the open instant. What made it first is told, so nothing is
%   made of itself.

trace_event(M:S, P, O, Start, End, Place, event(S, P, O, Start, End, Place, Origin)) :-
    (   origin(M, S, P, O, Start, Place, Found)
    ->  Origin = Found
    ;   Origin = said
    ).

origin(M, S, P, O, Start, Place, said) :-
    raw(M, S, S, P, O, Start, Place).
origin(M, S, P, O, Start, Place, Origin) :-
    (   M:entailment(Background)
    ->  (   about(raw(M, Key, S0, P0, O0, Start, Place), Background, S, Key, S0, O0),
            entails(Background, S0, P0, O0, S, P, O)
        ->  Origin = entailed(S0, P0, O0, said)
        ;   first_made(M, Background, S, P, O, Start, Place, Origin)
        )
    ;   made(M, S, S, P, O, Start, Place, Number)
    ->  Origin = derived(Number)
    ).

first_made(M, Background, S, P, O, Start, Place, Origin) :-
    findall(Number-t(S0,P0,O0),
            about(made(M, Key, S0, P0, O0, Start, Place, Number), Background, S, Key, S0, O0),
            All),
    sort(All, Candidates),
    member(Number-t(S0,P0,O0), Candidates),
    (   t(S0,P0,O0) == t(S,P,O)
    ->  Origin = derived(Number)
    ;   entails(Background, S0, P0, O0, S, P, O),
        Origin = entailed(S0, P0, O0, derived(Number))
    ),
    !.

%   An occurrence that the stream said, and one that was made, at a Place as a pattern asks for it.

raw(M, Node, S, P, O, Start, Place) :-
    M:raw_occurrence(Node, S, P, O, Start, At),
    once(is_at(Place, At, t(S,P,O))).

made(M, Node, S, P, O, Start, Place, Number) :-
    M:made_occurrence(Node, S, P, O, Start, Stream, Number),
    (   Place == anywhere
    ->  Stream == ''
    ;   ( Stream == '' -> default_stream(At) ; At = Stream ),
        is_at(Place, place(At, ''), t(S,P,O))
    ).

is_at(anywhere, _, _).
is_at(stream(Stream), place(Stream, _), _).
is_at(element(Stream, Graph, _), place(Stream, Graph), _).
is_at(triple(Stream, Graph, triple(_, Triple)), place(Stream, Graph), Triple).

%   about(:Occurrence, +Background, +Node, ?Key, ?Subject, ?Object): only what has Node as its Subject or Object entails
%   something of Node (rdfs2, rdfs3, rdfs7, rdfs9). Where rdf:type has a range, a class of something has a class too.
%   Key is what the occurrence is found by.

about(Occurrence, _, Node, Node, _, _) :-
    call(Occurrence).
about(Occurrence, Background, Node, Subject, Subject, Object) :-
    classes_have_classes(Background),
    call(Occurrence),
    Subject \== Node,
    Object \== Node.

classes_have_classes(Background) :-
    entailed_by_triple(Background, instance, #rdf(type), class, class, #rdf(type), _),
    !.

entails(Background, S0, P0, O0, S, P, O) :-
    entailed_by_triple(Background, S0, P0, O0, S1, P1, O1),
    S1 == S, P1 == P, O1 == O,
    !.

%!  trace_witness(?Told, :Goal, -Column) is det.
%
%   Column is what the first solution of Goal binds Told to, or unbound. Binds nothing else.

trace_witness(Told, Goal, Column) :-
    findall(Told, once(Goal), Found),
    (   Found = [First]
    ->  Column = First
    ;   Column = '$unbound'
    ).

% ---- walks ----------------------------------------------------------------------------------------------

%!  trace_walk(:Step, :Edge, +Repeat, +X, +Y, +Begin, +End, -Walk) is det.
%
%   Walk is walk(X, Y, Texts), a shortest walk from X to Y with the interval [Begin,End]. call(Step, From, To, Start,
%   End, Text) gives the steps of the stream; call(Edge, From, To, Text) gives timeless ones, where Edge is not `none`. Repeat is `many`, or `once` for a walk of one step.

trace_walk(Step, Edge, Repeat, X, Y, Begin, End, walk(X, Y, Texts)) :-
    Ways = ways(Step, Edge, Begin, End),
    (   Repeat == once
    ->  next(Ways, at(X, false, false), at(Y, true, true), Text),
        Texts = [Text]
    ;   search(Ways, at(X, false, false), at(Y, true, true), Texts)
    ),
    !.

%!  trace_timeless_walk(:Edge, +Repeat, +Zero, +X, +Y, -Walk) is det.
%
%   The same of timeless edges alone; with Zero `true` a term has a walk of no steps to itself.

trace_timeless_walk(_, _, true, X, Y, walk(X, Y, [])) :-
    X == Y,
    !.
trace_timeless_walk(Edge, Repeat, _, X, Y, walk(X, Y, Texts)) :-
    Ways = ways(none, Edge, none, none),
    (   Repeat == once
    ->  next(Ways, at(X, false, false), at(Y, false, false), Text),
        Texts = [Text]
    ;   search(Ways, at(X, false, false), at(Y, false, false), Texts)
    ),
    !.

%   A place is at(Term, Begun, Ended): whether a step was taken that starts when the walk does, and one that ends
%   when it does. Places are visited in the order of their distance, each once.

search(Ways, From, To, Texts) :-
    empty_assoc(Seen),
    level([From-[]], Ways, To, Seen, Reversed),
    reverse(Reversed, Texts).

level(Level, Ways, To, Seen0, Found) :-
    Level \== [],
    findall(Place-[Text|Before],
            ( member(Here-Before, Level), next(Ways, Here, Place, Text) ),
            All),
    unseen(All, Seen0, Seen, New),
    (   member(Place-Texts, New),
        Place == To
    ->  Found = Texts
    ;   level(New, Ways, To, Seen, Found)
    ).

unseen([], Seen, Seen, []).
unseen([Place-Texts|All], Seen0, Seen, New) :-
    (   get_assoc(Place, Seen0, _)
    ->  unseen(All, Seen0, Seen, New)
    ;   put_assoc(Place, Seen0, true, Seen1),
        New = [Place-Texts|More],
        unseen(All, Seen1, Seen, More)
    ).

next(ways(Step, _, Begin, End), at(Here, Begun0, Ended0), at(There, Begun, Ended), Text) :-
    Step \== none,
    call(Step, Here, There, StepStart, StepEnd, Text),
    StepStart >= Begin,
    StepEnd =< End,
    ( StepStart =:= Begin -> Begun = true ; Begun = Begun0 ),
    ( StepEnd =:= End -> Ended = true ; Ended = Ended0 ).
next(ways(_, Edge, _, _), at(Here, Begun, Ended), at(There, Begun, Ended), Text) :-
    Edge \= _:none,
    call(Edge, Here, There, Text).

% ---- columns become text ----------------------------------------------------------------------------------

%!  pack_trace(+Columns, -Text) is det.
%
%   Text is an RDF literal with a JSON array of what Columns hold, each of them leaf(Value), value(Value),
%   members(Value) or packed(Value); null stands for what is unbound.

pack_trace(Columns, Text^^ #xsd(string)) :-
    maplist(packed, Columns, Parts),
    json_text(list(Parts), Text).

packed(Column, Part), arg(1, Column, '$unbound') => Part = null.
packed(leaf(Value), Part) => leaf(Value, Part).
packed(value(Value), Part) => Part = term(Value).
packed(witness(Text^^_), Part) => Part = verbatim(Text).
packed(members(""^^_), Part) => Part = list([text("members")]).
packed(members(Text^^_), Part) => Part = list([text("members"), verbatim(Text)]).

leaf(event(S, P, O, Start, End, Place, Origin), Part) =>
    origin_part(Origin, From),
    place_part(Place, At),
    Part = list([text("event"), term(S), term(P), term(O), number(Start), number(End), From|At]).
leaf(background(S, P, O), Part) =>
    Part = list([text("background"), term(S), term(P), term(O)]).
leaf(graph(G, S, P, O), Part) =>
    Part = list([text("graph"), term(S), term(P), term(O), term(G)]).
leaf(goal(Arguments), Part) =>
    Part = list([text("goal"), list(Terms)]),
    findall(term(Argument), member(Argument, Arguments), Terms).
leaf(graph(G), Part) =>
    Part = list([text("name"), term(G)]).
leaf(walk(X, Y, Texts), Part) =>
    maplist(verbatim, Texts, Steps),
    Part = list([text("walk"), term(X), term(Y), list(Steps)]).
leaf(row(Number), Part) =>
    Part = list([text("row"), number(Number)]).
leaf(_, Part) =>
    Part = list([text("unit")]).

verbatim(Text^^_, verbatim(Text)).

place_part(anywhere, []).
place_part(stream(Stream), [text(Stream)]).
place_part(element(Stream, Graph, _), [text(Stream), text(Graph)]).
place_part(triple(Stream, Graph, _), [text(Stream), text(Graph)]).

origin_part(said, Part) =>
    Part = null.
origin_part(derived(Number), Part) =>
    Part = number(Number).
origin_part(entailed(S, P, O, Origin), Part) =>
    origin_part(Origin, Before),
    Part = list([term(S), term(P), term(O), Before]).

% ---- equal solutions, equal answers -----------------------------------------------------------------------

%!  distinct_traced_solution(?Row, ?Why, :Goal) is nondet.
%
%   Goal, with each instance of Row once, and what one of the solutions that give it is made of.

distinct_traced_solution(Row, Why, Goal) :-
    findall(Row-Why, Goal, All),
    sort(1, @<, All, Set),
    member(Row-Why, Set).

%!  traced_answer(:Query, +Why, +End, :Goal, ?Answer, -Told) is nondet.
%!  traced_construct(:Query, +Stream, +Why, +End, :Goal, ?Answer, -Told) is nondet.
%
%   Goal gives, as Answer, the answer of a solution of Query (its number) that is made of Why. Told is the same, the answer with Why in it: `row(Why)` of an ASK, one more triple
%   t('', '', Why) behind those of a CONSTRUCT or DESCRIBE, where it sorts as no triple would. Of equal answers the
%   first is told.

traced_answer(M:Query, Why, End, Goal, Answer, Told) :-
    call(Goal),
    (   own_answer(Answer, Query, Why, Marked)
    ->  is_first(M, End, Answer),
        Told = Marked
    ;   Told = Answer
    ).

traced_construct(M:Query, Stream, Why, End, Goal, Answer, Told) :-
    call(Goal),
    (   own_answer(Answer, Query, Why, Marked)
    ->  note_made(M, Query, Stream, Answer, Why),
        is_first(M, End, Answer),
        Told = Marked
    ;   Told = Answer
    ).

own_answer(a(Start,Query,ask), Query, Why, a(Start,Query,row(Why))).
own_answer(a(Start,Query,triples(Set)), Query, Why, a(Start,Query,triples(Marked))) :-
    \+ last(Set, t('',_,_)),
    append(Set, [t('','',Why)], Marked).

note_made(M, Query, Stream, a(Start,_,triples(Set)), Why) :-
    retract(M:derived_so_far(Number0)),
    Number is Number0 + 1,
    !,
    assertz(M:derived_so_far(Number)),
    assertz(M:derived(Number, Query, Why)),
    forall(( member(t(S,P,O), Set), node(S, O, Node) ),
           assertz(M:made_occurrence(Node, S, P, O, Start, Stream, Number))).

is_first(M, End, Answer) :-
    Given = End-Answer,
    term_hash(Given, Hash),
    (   M:answered(Hash, Other),
        Other == Given
    ->  fail
    ;   assertz(M:answered(Hash, Given))
    ).

%!  derivation(+Engine, +Number, -Derivation) is det.
%
%   Derivation is [Query,Text]: the number of the CONSTRUCT query that made the occurrences of this Number, and the text
%   of what its solution is made of.

derivation(M, Number, [Query,Text]) :-
    M:derived(Number, Query, Text^^_),
    !.
