:- module(test_heard_occurrences, []).
:- use_module('../../rules/background/background').
:- use_module('../../rules/background/rdfs').
:- use_module('../../rules/engine/heard_occurrences').
:- use_module('../../rules/sparql/datatypes', [op(_, _, ^^)]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [member/2]).
:- use_module(library(modules), [in_temporary_module/3]).
:- use_module(library(plunit)).
:- use_module(library(random), [random_between/3, random_member/2]).

word(type,   'http://www.w3.org/1999/02/22-rdf-syntax-ns#type').
word(sub,    'http://www.w3.org/2000/01/rdf-schema#subClassOf').
word(subp,   'http://www.w3.org/2000/01/rdf-schema#subPropertyOf').
word(domain, 'http://www.w3.org/2000/01/rdf-schema#domain').
word(range,  'http://www.w3.org/2000/01/rdf-schema#range').

iri(Word, Iri) :- ( word(Word, Iri) -> true ; Iri = Word ).

%   in_engine(+Schema, +Triggers, :Goal): Goal with a background `bg`, and an engine that hears the Triggers; Goal is
%   called with the engine's module.

:- meta_predicate in_engine(+, +, 1).

in_engine(Schema, Triggers, Goal) :-
    setup_call_cleanup(
        ( open_background(bg),
          forall(( member(Triple, Schema), Triple =.. [t|Words], maplist(iri, Words, [S,P,O]) ),
                 add_triple(bg, S, P, O)),
          prepare_background(bg, rdfs)
        ),
        in_temporary_module(
            M,
            ( dynamic(M:[trigger/6, type_trigger/5, any_trigger/6, tuple_trigger/5, heard_way/2, heard_class/7, heard_kind/8,
                         placed_trigger/7, placed_type_trigger/6, placed_any_trigger/7]),
              forall(member(Trigger, Triggers), assertz(M:Trigger))
            ),
            call(Goal, M)),
        close_background(bg)).

heard(M, t(S0,P0,O0), Set) :-
    maplist(iri, [S0,P0,O0], [S,P,O]),
    heard_occurrences(M, bg, S, P, O, 1, here, Occurrences),
    sort(Occurrences, Set),
    length(Occurrences, Length), length(Set, Length).

events_heard(Schema, Triggers, Events, Sets) :-
    in_engine(Schema, Triggers, each_heard(Events, Sets)).

each_heard(Events, Sets, M) :-
    maplist(heard(M), Events, Sets).

%   What is heard is entailed, and what is entailed and not heard has no trigger.

agrees(M, Triple) :-
    heard(M, Triple, Heard),
    Triple = t(S0,P0,O0),
    maplist(iri, [S0,P0,O0], [S,P,O]),
    findall(occ(S2,P2,O2,1,here), entailed_by_triple(bg, S, P, O, S2, P2, O2), All),
    forall(member(Occurrence, Heard), memberchk(Occurrence, All)),
    forall(( member(Occurrence, All), \+ memberchk(Occurrence, Heard) ),
           \+ taken(M, Occurrence)).

taken(M, occ(S,P,O,_,_)) :- clause(M:trigger(P, S, O, _, _, _), _), !.
taken(M, occ(S,P,O,_,_)) :- word(type, P), clause(M:type_trigger(O, S, _, _, _), _), !.
taken(M, occ(S,P,O,_,_)) :- clause(M:any_trigger(P, S, O, _, _, _), _), !.

tree([t(oak,sub,tree), t(tree,sub,plant), t(plant,sub,thing), t(cat,sub,animal)]).

:- begin_tests(heard_occurrences).

test(one_class_of_many, Sets == [[occ(e,Type,plant,1,here)],[occ(e,Type,plant,1,here)],[]]) :-
    word(type, Type), tree(Tree),
    events_heard(Tree, [type_trigger(plant,_,_,_,_)],
                 [t(e,type,oak),t(e,type,plant),t(e,type,cat)], Sets).
test(nothing_is_asked, Sets == [[],[occ(e,p,f,1,here)]]) :-
    tree(Tree),
    events_heard(Tree, [trigger(p,_,_,_,_,_)], [t(e,type,oak),t(e,p,f)], Sets).
test(any_class, Classes == [oak,plant,thing,tree]) :-
    tree(Tree),
    events_heard(Tree, [any_trigger(_,_,_,_,_,_)], [t(e,type,oak)], [Set]),
    findall(C, member(occ(e,_,C,1,_), Set), Classes).
test(a_circle, Sets == [[occ(e,Type,b,1,here)],[occ(e,Type,b,1,here)],[occ(e,Type,b,1,here)]]) :-
    word(type, Type),
    events_heard([t(a,sub,b),t(b,sub,c),t(c,sub,a)], [type_trigger(b,_,_,_,_)],
                 [t(e,type,c),t(e,type,b),t(e,type,a)], Sets).
test(two_of_one, Sets == [[occ(e,Type,person,1,here),occ(f,Type,person,1,here)],[occ(e,Type,person,1,here)]]) :-
    word(type, Type),
    events_heard([t(knows,domain,person),t(knows,range,person)], [type_trigger(person,_,_,_,_)],
                 [t(e,knows,f),t(e,knows,e)], Sets).
test(a_deep_chain, Sets == [[occ(e,Type,'0',1,here)]]) :-
    word(type, Type),
    findall(t(C,sub,D), ( between(1, 3000, C0), D0 is C0 - 1, atom_number(C, C0), atom_number(D, D0) ), Chain),
    events_heard(Chain, [type_trigger('0',_,_,_,_)], [t(e,type,'3000')], Sets).
test(added_later, Sets == [[],[occ(e,p,f,1,here)]]) :-
    in_engine([], [], heard_before_and_after(Sets)).

heard_before_and_after([Before,After], M) :-
    heard(M, t(e,p,f), Before),
    assertz(M:trigger(p,_,_,_,_,_)),
    forget_heard(M),
    heard(M, t(e,p,f), After).

%   Schemas with circles, classes that have several parents, and what makes rdf:type unlike other properties.

test(agrees_with_what_is_entailed, [forall(between(1, 300, Seed))]) :-
    set_random(seed(Seed)),
    random_between(0, 12, Size),
    length(Schema, Size), maplist(random_triple, Schema),
    random_between(0, 4, Count),
    length(Triggers, Count), maplist(random_trigger, Triggers),
    in_engine(Schema, Triggers, all_agree).

all_agree(M) :-
    forall(( member(P, [type,p,q]), member(O, [a,b,c,d,e,"x"^^text]) ), agrees(M, t(a,P,O))).

random_triple(t(A,Way,B)) :-
    random_member(Way, [sub,sub,sub,subp,domain,range]),
    ( Way == sub -> Left = [a,b,c,d,e] ; random_member(Left, [[p,q],[p,q],[type]]) ),
    ( Way == subp -> random_member(Right, [[p,q],[p,q],[type]]) ; Right = [a,b,c,d,e] ),
    random_member(A, Left),
    random_member(B, Right).

random_trigger(Trigger) :-
    random_member(C, [a,b,c,_]),
    random_member(P, [p,q]),
    word(type, Type),
    random_member(Trigger, [ type_trigger(C,_,_,_,_), type_trigger(C,_,_,_,_), trigger(P,_,C,_,_,_),
                             trigger(Type,_,_,_,_,_), any_trigger(_,_,C,_,_,_) ]).

:- end_tests(heard_occurrences).
