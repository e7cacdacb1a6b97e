:- module(etalis_state,
          [ declare_state/4,            % +Background, +Name, +Arity, +File
            use_states/3,               % +Engine, +Background, +States
            begin_state/2,              % :State, +Time
            end_state/2,                % :State, +Time
            apply_changes/1             % +Engine
          ]).
:- use_module(library(lists), [append/3, member/2]).
:- use_module(library(macros)).
:- use_module(library(pairs), [pairs_keys/2]).
:- use_module(library(rbtrees), [ord_list_to_rbtree/2, rb_lookup/3]).

#import('../engine/fields').

/** <module> State: what events have begun and not ended

A rules file declares a state, such as closed(Segment), with a pattern that begins it and one that ends it
(state_declarations.pl). In the module of the background, the facts '$state closed'(Segment, Time) tell what is
closed and since when; closed(Segment) and since(closed(Segment), Time) are views on them for the user's rules and for
questions, which so cannot change them by accident.

What the patterns give within an instant is noted in the engine's module, beginning(State) and ending(State),
and changes_at(Time) the instant. Before anything of the next instant fires, and at the end of each batch, the
facts change: first what `ends` gave goes, then what `begins` gave comes. So all that runs within an
instant sees what held after all instants before it, and nothing depends on order. A state that ends and begins
again at one instant goes on: it has held since it began the first time.

Whoever walks through rows looks at each instant whether stores turn (feed.pl), which is M:next_turn(Time); a change
makes that the next instant, so that instants without one pay nothing.
*/

:- meta_predicate
    begin_state(:, +),
    end_state(:, +).

:- det((declare_state/4, use_states/3, begin_state/2, end_state/2, apply_changes/1)).

%!  declare_state(+Background, +Name, +Arity, +File) is det.
%
%   Make the predicates of a state that a file of the user's declares. Tables that the user wants `as incremental`
%   follow its changes.

declare_state(B, Name, Arity, File) :-
    functor(State, Name, Arity),
    fact(State, Time, Fact),
    functor(Fact, FactName, FactArity),
    dynamic([B:FactName/FactArity], [incremental(true)]),
    assertz(B:(State :- Fact)),
    compile_predicates([B:Name/Arity]),
    dynamic(B:since/2),
    assertz(B:(since(State, Time) :- Fact)),
    assertz(B:'$state'(Name, Arity, File)).

fact(State, Time, Fact) :-
    State =.. [Name|Arguments],
    atom_concat('$state ', Name, FactName),
    append(Arguments, [Time], FactArguments),
    Fact =.. [FactName|FactArguments].

%!  use_states(+Engine, +Background, +States) is det.
%
%   The rules of the engine change States, a list of [Name,Arity] that Background declares. A query that asks for
%   one as `prolog:name(...)` hands over terms in the form of the engine, as they are in the state.

use_states(M, B, States) :-
    dynamic(M:[beginning/1, ending/1]),
    forall(bagof(Arity, member([Name,Arity], States), Arities),
           asserta(M:user_call(Name, B, state(Arities)))).

%!  begin_state(:State, +Time) is det.
%
%   A match of the pattern that begins State ends at the instant Time. With an unbound argument there is no state.

begin_state(M:State, Time) :-
    State =.. [_|Arguments],
    (   memberchk('$unbound', Arguments)
    ->  true
    ;   assertz(M:beginning(State)),
        note_change(M, Time)
    ).

%!  end_state(:State, +Time) is det.
%
%   The same for the pattern that ends it; an argument that it leaves unbound is any.

end_state(M:State0, Time) :-
    State0 =.. [Name|Arguments0],
    any_for_unbound(Arguments0, Arguments),
    State =.. [Name|Arguments],
    assertz(M:ending(State)),
    note_change(M, Time).

any_for_unbound([], []).
any_for_unbound([Argument0|Arguments0], [Argument|Arguments]) :-
    (   Argument0 == '$unbound'
    ->  true
    ;   Argument = Argument0
    ),
    any_for_unbound(Arguments0, Arguments).

note_change(M, Time) :-
    M:changes_at(Time),
    !.
note_change(M, Time) :-
    assertz(M:changes_at(Time)),
    Turn is Time + 1,
    (   M:next_turn(Next),
        Next =< Turn
    ->  true
    ;   retractall(M:next_turn(_)),
        assertz(M:next_turn(Turn)),
        b_getval(etalis_walk, Walk),
        arg(#walk(turn), Walk, Known),
        (   Turn < Known
        ->  nb_setarg(#walk(turn), Walk, Turn)
        ;   true
        )
    ).

%!  apply_changes(+Engine) is det.
%
%   The instant in which something changed is closed: change the facts.

apply_changes(M) :-
    retract(M:changes_at(Time)),
    !,
    M:user_predicates(B),
    findall(State, retract(M:beginning(State)), Beginning0),
    findall(State, retract(M:ending(State)), Ending0),
    sort(Beginning0, Beginning),
    sort(Ending0, Ending),
    pairs_keys(Pairs, Beginning),
    ord_list_to_rbtree(Pairs, Begun),
    forall(( member(State, Ending), call(B:State), \+ rb_lookup(State, _, Begun) ),
           remove_state(B, State)),
    forall(( member(State, Beginning), \+ call(B:State) ),
           add_state(B, State, Time)).
apply_changes(_).

remove_state(B, State) :-
    fact(State, _, Fact),
    retractall(B:Fact).

add_state(B, State, Time) :-
    fact(State, Time, Fact),
    assertz(B:Fact).
