:- module(etalis_state_declarations,
          [ begin_file/1,               % +Background
            is_declaration/1,           % +Term
            add_declaration/6,          % +Background, +File, +Line, +Term, +Names, +Positions
            is_state/3,                 % +Background, +Head, -File
            prefixed/3,                 % +Background, +Clause0, -Clause
            declared_states/2           % +Background, -States
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [last/2, member/2, same_length/2, select/3]).
:- use_module(library(pairs), [pairs_keys_values/3]).
:- use_module(library(readutil), [read_file_to_string/3]).
:- use_module(background_facts, [namespace/2]).
:- use_module(state, [declare_state/4]).

/** <module> What a rules file declares for the engine: prefixes and states

    :- prefix(traffic, 'http://example.org/traffic#').
    :- state(closed(Segment),
             begins("?Segment traffic:status traffic:Closed"),
             ends("?Segment traffic:status traffic:Open")).

A prefix holds from its line to the end of the file, in the patterns of states and in clauses, where traffic:status
as an argument is the IRI. Without `ends` a state never ends. The patterns are texts here; compiler/state.py
compiles them.
*/

:- det((begin_file/1, add_declaration/6, prefixed/3, declared_states/2)).

%!  begin_file(+Background) is det.
%
%   What follows is of a new file: the prefixes of the one before do not hold in it.

begin_file(B) :-
    retractall(B:'$prefix'(_, _)).

%!  is_declaration(+Term) is semidet.
%
%   Term is a directive of this module.

is_declaration((:- Directive)) :-
    nonvar(Directive),
    declares(Directive).

declares(prefix(_, _)).
declares(rdf_register_prefix(_, _)).
declares(state(_, _)).
declares(state(_, _, _)).

%!  add_declaration(+Background, +File, +Line, +Term, +Names, +Positions) is det.
%
%   Names and Positions are the `variable_names` and `subterm_positions` of Term.
%
%   @throws etalis_problem(Status, Line, Text), Status one of `prefix`, `state`, `state_name`, `state_arguments`

add_declaration(B, _, Line, (:- prefix(Prefix, Iri)), _, _) =>
    add_prefix(B, Line, Prefix, Iri).
add_declaration(B, _, Line, (:- rdf_register_prefix(Prefix, Iri)), _, _) =>
    add_prefix(B, Line, Prefix, Iri).
add_declaration(B, File, Line, (:- state(State, Begins)), Names, Positions) =>
    placed([Begins], Positions, Patterns),
    add_state(B, File, Line, State, Patterns, Names).
add_declaration(B, File, Line, (:- state(State, One, Other)), Names, Positions) =>
    placed([One,Other], Positions, Patterns),
    add_state(B, File, Line, State, Patterns, Names).

% ---- prefixes -----------------------------------------------------------------------------------------------

add_prefix(B, Line, Prefix, Iri0) :-
    (   atom(Prefix),
        is_prefix(Prefix)
    ->  true
    ;   problem(prefix, Line, "~q is not a prefix", [Prefix])
    ),
    (   ( atom(Iri0) ; string(Iri0) ),
        atom_string(Iri, Iri0),
        is_iri(Iri)
    ->  true
    ;   problem(prefix, Line, "~q is not an absolute IRI", [Iri0])
    ),
    retractall(B:'$prefix'(Prefix, _)),
    assertz(B:'$prefix'(Prefix, Iri)).

is_prefix('') :-
    !.
is_prefix(Prefix) :-
    atom_codes(Prefix, [First|Codes]),
    code_type(First, alpha),
    First =\= 0'_,
    forall(member(Code, Codes), ( code_type(Code, csym) ; Code =:= 0'- )).

is_iri(Iri) :-
    sub_atom(Iri, Before, 1, _, :),
    !,
    Before > 0,
    atom_codes(Iri, Codes),
    \+ ( member(Code, Codes), ( Code =< 0'\s ; memberchk(Code, `<>"{}|^\`\\`) ) ).

%!  prefixed(+Background, +Clause0, -Clause) is det.
%
%   Clause is Clause0 with IRIs in the place of prefix:name, but for goals of its body.

prefixed(B, Clause0, Clause), compound(Clause0) =>
    clause_parts(B, Clause0, Clause).
prefixed(_, Clause0, Clause) =>
    Clause = Clause0.

clause_parts(B, (Head0 :- Body0), Clause) =>
    Clause = (Head :- Body),
    goal_parts(B, Head0, Head),
    goal_parts(B, Body0, Body).
clause_parts(B, (Head0 => Body0), Clause) =>
    Clause = (Head => Body),
    goal_parts(B, Head0, Head),
    goal_parts(B, Body0, Body).
clause_parts(B, Head0, Head) =>
    goal_parts(B, Head0, Head).

goal_parts(B, Goal0, Goal), compound(Goal0), control(Goal0) =>
    mapped_arguments(goal_parts(B), Goal0, Goal).
goal_parts(B, Goal0, Goal), compound(Goal0), Goal0 \= _:_ =>
    mapped_arguments(term_parts(B), Goal0, Goal).
goal_parts(_, Goal0, Goal) =>
    Goal = Goal0.

control((_,_)).
control((_;_)).
control((_->_)).
control((_*->_)).
control(\+_).
control(_:Goal) :-
    compound(Goal).

term_parts(B, Prefix:Local, Iri), atom(Prefix), atom(Local), namespace_of(B, Prefix, Namespace) =>
    atom_concat(Namespace, Local, Iri).
term_parts(B, Term0, Term), compound(Term0) =>
    mapped_arguments(term_parts(B), Term0, Term).
term_parts(_, Term0, Term) =>
    Term = Term0.

mapped_arguments(Goal, Term0, Term) :-
    compound_name_arguments(Term0, Name, Arguments0),
    maplist(Goal, Arguments0, Arguments),
    compound_name_arguments(Term, Name, Arguments).

namespace_of(B, Prefix, Namespace) :-
    (   B:'$prefix'(Prefix, Namespace)
    ->  true
    ;   namespace(Prefix, Namespace)
    ).

% ---- states -------------------------------------------------------------------------------------------------

add_state(B, File, Line, State, Patterns, Names) :-
    check_name(B, Line, State),
    State =.. [Name|Arguments],
    variables(Arguments, Line, Names, Variables),
    pattern(begins, Patterns, Others, File, Line, Begins),
    (   Others == []
    ->  Ends = []
    ;   pattern(ends, Others, _, File, Line, Ends)
    ),
    length(Arguments, Arity),
    declare_state(B, Name, Arity, File),
    findall([Prefix,Iri], B:'$prefix'(Prefix, Iri), Prefixes),
    assertz(B:'$state_patterns'([File,Line,Name,Variables], Begins, Ends, Prefixes)).

check_name(_, Line, State), var(State) =>
    problem(state, Line, "a variable is not a state", []).
check_name(_, Line, State), \+ callable(State) =>
    problem(state, Line, "~q is not a state", [State]).
check_name(_, Line, _:_) =>
    problem(state, Line, "a state belongs to the module of its file", []).
check_name(B, Line, State), is_state(B, State, File) =>
    functor(State, Name, Arity),
    file_base_name(File, Base),
    problem(state_name, Line, "~q is declared already, in ~w", [Name/Arity,Base]).
check_name(B, Line, State), is_taken(B, State) =>
    functor(State, Name, Arity),
    problem(state_name, Line, "~q is a predicate already", [Name/Arity]).
check_name(B, Line, _), \+ B:'$state'(_, _, _), current_predicate(B:since/2) =>
    problem(state_name, Line, "since/2 is a predicate already, and tells of states since when they hold", []).
check_name(_, _, _) =>
    true.

is_taken(B, State) :-
    functor(State, Name, Arity),
    (   current_predicate(B:Name/Arity)
    ;   predicate_property(system:State, defined)
    ;   sub_atom(Name, 0, _, _, $)
    ;   Name/Arity == since/2
    ),
    !.

variables(Arguments, Line, Names, Variables) :-
    (   maplist(variable_name(Names), Arguments, Variables),
        sort(Variables, Different),
        same_length(Variables, Different)
    ->  true
    ;   problem(state_arguments, Line, "the arguments of a state must be different named variables", [])
    ).

variable_name(Names, Variable, Name) :-
    var(Variable),
    member(Name=Other, Names),
    Other == Variable,
    !.

%   pattern(+Kind, +Patterns, -Others, +File, +StateLine, -Pattern): Pattern is [Text,Line,Column], the place that
%   of the quote before the text.

pattern(Kind, Patterns, Others, File, StateLine, [Text,Line,Column]) :-
    Wanted =.. [Kind,Text0],
    select(Wanted-Position, Patterns, Others),
    ( string(Text0) ; atom(Text0), Text0 \== [] ),
    !,
    atom_string(Text, Text0),
    (   text_place(Position, File, Line, Column)
    ->  true
    ;   Line = StateLine, Column = 0
    ).
pattern(Kind, _, _, _, Line, _) :-
    problem(state, Line, "there is no ~w(\"...\") with the text of a pattern", [Kind]).

%   placed(+Arguments, +Positions, -Placed): the last arguments of the directive, each with its position.

placed(Arguments, Positions, Placed) :-
    (   Positions = term_position(_, _, _, _, [term_position(_, _, _, _, [_|Found])]),
        same_length(Arguments, Found)
    ->  pairs_keys_values(Placed, Arguments, Found)
    ;   findall(Argument-none, member(Argument, Arguments), Placed)
    ).

text_place(term_position(_, _, _, _, [Text]), File, Line, Column) :-
    arg(1, Text, From),
    read_file_to_string(File, Content, [encoding(utf8), bom(true)]),
    sub_string(Content, 0, From, _, Before),
    split_string(Before, "\n", "", Lines),
    length(Lines, Line),
    last(Lines, Start),
    string_length(Start, Length),
    Column is Length + 1.

%!  is_state(+Background, +Head, -File) is semidet.
%
%   Head is declared to be a state, in File.

is_state(B, Head, File) :-
    functor(Head, Name, Arity),
    B:'$state'(Name, Arity, File),
    !.

%!  declared_states(+Background, -States) is det.
%
%   Each state as [[File,Line,Name,Variables],Begins,Ends,Prefixes]: Begins and Ends are [Text,Line,Column]
%   (of a state without end []), Prefixes a list of [Prefix,Iri].

declared_states(B, States) :-
    findall([Head,Begins,Ends,Prefixes], B:'$state_patterns'(Head, Begins, Ends, Prefixes), States).

problem(Status, Line, Format, Arguments) :-
    format(atom(Text), Format, Arguments),
    throw(etalis_problem(Status, Line, Text)).
