:- module(etalis_driver,
          [ way/2,                      % +Engine, -Way
            set_up_driver/2             % +Engine, +Way
          ]).
:- use_module(instant, [new_instant/3]).
:- use_module(library(apply), [foldl/4]).
:- use_module(library(lists), [member/2]).
:- use_module(link, [assert_compiled/2]).
:- use_module(library(macros)).

#import(fields).

/** <module> The part of the run-time library that each engine's module has a copy of

What runs for every row calls rules of the engine. A call into a module that is known at run time only takes three
times as long as one that stays in its module, so these few clauses are added to the module itself, in the form
that suits its rules: driver(Way, Kinds, ReadsInstant, Settles) says for which rules they were made.

The rows of a batch are walked on backtracking, six lists at a time: ends, subjects, predicates, objects, starts and
places, the terms and places as positions in Terms. Where no query asks for places, their list is empty. What has to
be known when the next row comes is changed in place, in Walk (fields.pl). The rest of the walk is in feed.pl.
*/

%!  way(+Engine, -Way) is det.
%
%   Way is `direct` if an instant of one occurrence needs nothing but its triggers and what they leave to be settled,
%   heard(Background) if also what it entails is to be found, else `general`: something may be due though nothing
%   happens.

way(M, general) :-
    clause(M:plans_ahead(_), _),
    !.
way(M, heard(Background)) :-
    M:entailment(Background),
    !.
way(_, direct).

%!  set_up_driver(+Engine, +Way) is det.
%
%   Give the module Engine the clauses below, for its Way. M:asks_places holds where a pattern asks for the stream or the element of an occurrence,
%   M:asks_triples where one asks for the triple that was sent.

set_up_driver(M, Way) :-
    findall(Kind, kind_of_trigger(M, Kind), Kinds),
    ( M:reads_instant -> Reads = true ; Reads = false ),
    ( M:settlement_order(_, _) -> Settles = true ; Settles = false ),
    Driver = driver(Way, Kinds, Reads, Settles),
    (   M:Driver
    ->  true
    ;   retractall(M:driver(_,_,_,_)),
        retractall(M:fire(_,_,_,_,_,_)),
        retractall(M:fire_placed(_,_,_,_,_,_,_)),
        retractall(M:fired(_,_,_)),
        retractall(M:happened(_,_,_)),
        retractall(M:asks_places),
        retractall(M:asks_triples),
        retractall(M:row_answer(_,_,_,_,_,_,_,_,_,_)),
        retractall(M:instant_answers(_,_,_,_,_,_)),
        forall(( member(Kind, Kinds), fire_clause(Kind, Kinds, Clause) ), assertz(M:Clause)),
        forall(driver_clause(M, Driver, Clause), assert_compiled(M:Clause, _)),
        ( asks_places(Kinds) -> assertz(M:asks_places) ; true ),
        ( memberchk(of_triples, Kinds) -> assertz(M:asks_triples) ; true ),
        assertz(M:Driver)
    ).

kind_of_trigger(M, Name/Arity) :-
    member(Name/Arity, [ trigger/6, type_trigger/5, any_trigger/6, tuple_trigger/5,
                         placed_trigger/7, placed_type_trigger/6, placed_any_trigger/7 ]),
    functor(Head, Name, Arity),
    predicate_property(M:Head, number_of_clauses(Count)),
    Count > 0.

kind_of_trigger(M, Kind) :-
    member(Kind-Place, [of_streams-stream(_), of_elements-element(_,_,_), of_triples-triple(_,_,_)]),
    once(( clause(M:placed_trigger(_, _, _, _, _, Place, _), _)
         ; clause(M:placed_type_trigger(_, _, _, _, Place, _), _)
         ; clause(M:placed_any_trigger(_, _, _, _, _, Place, _), _)
         )).

asks_places(Kinds) :-
    member(Kind, [of_streams,of_elements,of_triples]),
    memberchk(Kind, Kinds),
    !.

%   An occurrence finds its patterns by clause indexing on its predicate, or its class: fire(P, S, O, Start, End,
%   Answer) tries the kinds of triggers that there are. A solution of an earlier stage comes as tuple(Number,Value...)
%   in the place of the object, with its stream in that of the predicate; it is no triple, so no pattern sees it.

fire_clause(trigger/6, _, (
    fire(P, S, O, Start, End, Answer) :-
        trigger(P, S, O, Start, End, Answer)
)).
fire_clause(type_trigger/5, _, (
    fire('http://www.w3.org/1999/02/22-rdf-syntax-ns#type', S, Class, Start, End, Answer) :-
        type_trigger(Class, S, Start, End, Answer)
)).
fire_clause(any_trigger/6, Kinds, (
    fire(P, S, O, Start, End, Answer) :-
        IsTriple,
        any_trigger(P, S, O, Start, End, Answer)
)) :-
    is_triple(Kinds, O, IsTriple).
fire_clause(tuple_trigger/5, _, (
    fire(Stream, _, Tuple, Start, End, Answer) :-
        tuple_trigger(Stream, Tuple, Start, End, Answer)
)).
fire_clause(placed_trigger/7, _, (
    fire_placed(P, S, O, Start, End, Place, Answer) :-
        placed_trigger(P, S, O, Start, End, Place, Answer)
)).
fire_clause(placed_type_trigger/6, _, (
    fire_placed('http://www.w3.org/1999/02/22-rdf-syntax-ns#type', S, Class, Start, End, Place, Answer) :-
        placed_type_trigger(Class, S, Start, End, Place, Answer)
)).
fire_clause(placed_any_trigger/7, Kinds, (
    fire_placed(P, S, O, Start, End, Place, Answer) :-
        IsTriple,
        placed_any_trigger(P, S, O, Start, End, Place, Answer)
)) :-
    is_triple(Kinds, O, IsTriple).

is_triple(Kinds, O, IsTriple) :-
    (   memberchk(tuple_trigger/5, Kinds)
    ->  IsTriple = ( \+ ( compound(O), functor(O, tuple, _) ) )
    ;   IsTriple = true
    ).

%   happened(+Set, +End, -Answer): the set of occurrences of an instant.

driver_clause(_, driver(_, Kinds, _, _), (
    happened(Set, End, Answer) :-
        Fired
)) :-
    happening(Kinds, Set, End, Answer, Fired).

%   fired(+Occurrences, +End, -Answer): occurrences of an instant, where queries ask for places those of located/2.

driver_clause(_, driver(_, Kinds, _, _), (
    fired([Occurrence|Occurrences], End, Answer) :-
        (   Fire
        ;   fired(Occurrences, End, Answer)
        )
)) :-
    Occurrence = occ(_,_,_,_,_),
    fire_goal(Kinds, Occurrence, End, Answer, Fire).

%   row_answer(+Ends, +Ss, +Ps, +Os, +Starts, +Places, +Row, +Terms, +Walk, -Found): Found is answer(End, Answer), or
%   late(Row) with rows from 0. The first row, number Row from 1, begins an instant; most often it is all of it.

driver_clause(_, driver(general, _, _, _), (
    row_answer(Ends, Ss, Ps, Os, Starts, Places, Row, Terms, Walk, Found) :-
        Ends = [End|_],
        instant_answers(rows(Ends, Ss, Ps, Os, Starts, Places, Row), Terms, Walk, End, [], Found)
)).
driver_clause(M, driver(Way, Kinds, Reads, Settles), (
    row_answer([End|Ends], [S0|Ss], [P0|Ps], [O0|Os], [Start|Starts], Places0, Row, Terms, Walk, Found) :-
        (   Ends = [Next|_],
            Next > End
        ->  (   arg(S0, Terms, S),
                arg(P0, Terms, P),
                arg(O0, Terms, O),
                Placed,
                arg(#walk(turn), Walk, Turn),
                (   End < Turn
                ->  true
                ;   etalis_feed:turn(Walk, End)
                ),
                nb_setarg(#walk(clock), Walk, End),
                Fire,
                Found = answer(End, Answer)
            ;   After is Row + 1,
                row_answer(Ends, Ss, Ps, Os, Starts, Places, After, Terms, Walk, Found)
            )
        ;   instant_answers(rows([End|Ends], [S0|Ss], [P0|Ps], [O0|Os], [Start|Starts], Places0, Row),
                            Terms, Walk, End, [], Found)
        )
)) :-
    Way \== general,
    firing(Way, M, Kinds, Occurrence, End, Answer, Before, Fire0),
    Occurrence = occ(S,P,O,Start,Place),
    (   asks_places(Kinds)
    ->  Places0 = [Place0|Places],
        Placed = arg(Place0, Terms, Place)
    ;   Places0 = Places,
        Place = [],
        Placed = true
    ),
    (   ( Settles == true ; Reads == true )
    ->  Fire1 = (Fire0 ; etalis_instant:settled_answer(M, End, Answer))
    ;   Fire1 = Fire0
    ),
    (   Way == direct,
        Reads == false,
        Settles == false
    ->  Fire = Fire1
    ;   Fire = (Before, Fire1)
    ).

%   instant_answers(+Rows, +Terms, +Walk, +Clock, +Open, -Found): the first of Rows may belong to the instant Clock, of
%   which the occurrences Open are known. Its own last call, so that no row is left on the stack.

driver_clause(_, _, (
    instant_answers(Rows, Terms, Walk, Clock, Open, Found) :-
        etalis_feed:gathered(Rows, Terms, Walk, Clock, Open, Occurrences, Late, Rest),
        (   etalis_feed:found_at_instant(Occurrences, Late, Rest, Walk, Found)
        ;   arg(#walk(stop), Walk, 0),
            Rest = rows([End|Ends], Ss, Ps, Os, Starts, Places, Row),
            row_answer([End|Ends], Ss, Ps, Os, Starts, Places, Row, Terms, Walk, Found)
        )
)).
%   firing(+Way, +M, +Kinds, +Occurrence, +End, +Answer, -Before, -Goal): Goal is what an occurrence brings about, after
%   the instant is made known.

firing(direct, _, Kinds, Occurrence, End, Answer, Before, Goal) :-
    Occurrence = occ(S,P,O,Start,_),
    Before = b_setval(etalis_instant, Instant),
    new_instant(End, [Occurrence], Instant),
    (   Kinds = [trigger/6]
    ->  Goal = trigger(P, S, O, Start, End, Answer)
    ;   fire_goal(Kinds, Occurrence, End, Answer, Goal)
    ).
firing(heard(Background), M, Kinds, occ(S,P,O,Start,Place), End, Answer, Before, Goal) :-
    (   memberchk(of_triples, Kinds)
    ->  From = place(_, _, t(S,P,O)),
        Put = etalis_places:with_triple(occ(S,P,O,Start,Place), occ(_,_,_,_,From))
    ;   From = Place,
        Put = true
    ),
    Before = (
        Put,
        etalis_heard_occurrences:heard_occurrences(M, Background, S, P, O, Start, From, Heard),
        Heard \== [],
        b_setval(etalis_instant, Instant)
    ),
    new_instant(End, Heard, Instant),
    happening(Kinds, Heard, End, Answer, Goal).

%   happening(+Kinds, +Set, +End, +Answer, -Goal): Goal fires for a set of occurrences.

happening(Kinds, Set, End, Answer, Goal) :-
    (   asks_places(Kinds)
    ->  Goal = ( etalis_places:located(Set, Located), fired(Located, End, Answer) )
    ;   Goal = fired(Set, End, Answer)
    ).

%   fire_goal(+Kinds, +Occurrence, +End, +Answer, -Goal): Goal tries the triggers for one occurrence: those that take it
%   from anywhere, those that ask for its stream, its element, or the triple that was sent, as far as it is new to them.

fire_goal(Kinds, occ(S,P,O,Start,Place), End, Answer, Goal) :-
    asks_places(Kinds),
    !,
    Anywhere = ( etalis_places:is_first(Place), fire(P, S, O, Start, End, Answer) ),
    InStream = ( etalis_places:stream_of(Place, Stream), fire_placed(P, S, O, Start, End, Stream, Answer) ),
    InElement = ( etalis_places:element_of(Place, Start, End, Element),
                  fire_placed(P, S, O, Start, End, Element, Answer) ),
    OfTriple = ( etalis_places:triple_of(Place, t(S,P,O), Start, End, Triple),
                 fire_placed(P, S, O, Start, End, Triple, Answer) ),
    foldl(placed_goal(Kinds), [of_streams-InStream,of_elements-InElement,of_triples-OfTriple], Anywhere, Goal).
fire_goal(_, occ(S,P,O,Start,_), End, Answer, fire(P, S, O, Start, End, Answer)).

placed_goal(Kinds, Kind-Placed, Goals0, Goals) :-
    ( memberchk(Kind, Kinds) -> Goals = ( Goals0 ; Placed ) ; Goals = Goals0 ).
