:- module(etalis_question_terms,
          [ expand_prefixes/3,          % +Term, +Prefixes, -Expanded
            given_value/2,              % +Given, -Term
            solution_shown/5            % +Shown, +Bindings, -Answer, -Values, -Residuals
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [append/2, append/3, member/2]).
:- use_module(library(ordsets), [ord_subtract/3, ord_union/3]).
:- use_module(library(pairs), [pairs_values/2]).
:- use_module('../engine/terms', [decode_term/2, encode_term/2]).
:- use_module('../engine/user_predicates', [rdf_value/2]).

/** <module> The terms of a question on their way in and out
*/

:- det((expand_prefixes/3, given_value/2, solution_shown/5)).

%!  expand_prefixes(+Term, +Prefixes, -Expanded) is det.
%
%   Expanded is Term with the IRI in the place of each `prefix:local`. Prefixes lists [Prefix,Namespace]; a local
%   name is an atom or an integer. All else that has a colon is left: `lists:member(X, L)` names a module.

expand_prefixes(Term, _, Expanded), var(Term) =>
    Expanded = Term.
expand_prefixes(Prefix:Local, Prefixes, Expanded),
    atom(Prefix), ( atom(Local) ; integer(Local) ), member([Prefix,Namespace], Prefixes) =>
    atomic_list_concat([Namespace,Local], Expanded).
expand_prefixes(Term, Prefixes, Expanded), compound(Term) =>
    compound_name_arguments(Term, Name, Arguments),
    expand_each(Arguments, Prefixes, Others),
    compound_name_arguments(Expanded, Name, Others).
expand_prefixes(Term, _, Expanded) =>
    Expanded = Term.

expand_each([], _, []).
expand_each([Term|Terms], Prefixes, [Expanded|Others]) :-
    expand_prefixes(Term, Prefixes, Expanded),
    expand_each(Terms, Prefixes, Others).

%!  given_value(+Given, -Term) is det.
%
%   Given is rdf-Encoded, or plain-Value.

given_value(rdf-Encoded, Term) =>
    decode_term(Encoded, Term).
given_value(plain-(@(Truth)), Term) =>
    Term = Truth.
given_value(plain-Value, Term), atom(Value) =>
    atom_string(Value, Term).
given_value(plain-Value, Term) =>
    Term = Value.

%!  solution_shown(+Shown, +Bindings, -Answer, -Values, -Residuals) is det.
%
%   Answer is [Values,Residuals]: Values lists [Name,Value] for the named variables with a value, Residuals the
%   constraints that remain on others, as text, and which of them are the same. With Shown terms(Module) a Value is the
%   encoded form of an RDF term or of a plain number, string or atom, and ['$text',Written] for any other; with
%   text(Module,Prefixes) it is Written, with Prefixes for the beginnings of IRIs.

solution_shown(Shown, Bindings0, [Values,Residuals], Values, Residuals) :-
    exclude_hidden(Bindings0, Bindings1),
    (   term_attvars(Bindings1, [])
    ->  Bindings = Bindings1, Goals = []
    ;   copy_term(Bindings1, Bindings, Goals)
    ),
    named(Bindings, Named, Same),
    other_names(Bindings-Goals, Named, Names),
    shown_values(Bindings, Shown, Names, Values),
    maplist(without_library, Goals, Constraints),
    append(Same, Constraints, Remaining),
    maplist(residual_text(Shown, Names), Remaining, Residuals).

exclude_hidden([], []).
exclude_hidden([Name=Value|Bindings], Shown) :-
    (   sub_atom(Name, 0, _, _, '_')
    ->  Shown = More
    ;   Shown = [Name=Value|More]
    ),
    exclude_hidden(Bindings, More).

%   named(+Bindings, -Named, -Same): Name=Variable for each variable that remains, once; Same has the other
%   names of one.

named(Bindings, Named, Same) :-
    named(Bindings, [], Named, Same).

named([], Named, Named, []).
named([Name=Value|Bindings], Known, Named, Same) :-
    (   nonvar(Value)
    ->  named(Bindings, Known, Named, Same)
    ;   member(First=Variable, Known), Variable == Value
    ->  Same = ['$same'(First, Name)|More],
        named(Bindings, Known, Named, More)
    ;   named(Bindings, [Name=Value|Known], Named, Same)
    ).

%   Variables without a name are called _A, _B and so on; one that comes once only is _.

other_names(Term, Named, Names) :-
    term_variables(Term, Variables),
    term_singletons(Term, Singletons),
    maplist(arg(2), Named, Known),
    sort(Singletons, Single0),
    sort(Known, Given),
    sort(Variables, All),
    ord_subtract(Single0, Given, Single),
    ord_union(Single, Given, Settled),
    ord_subtract(All, Settled, Repeated),
    in_order_of(Variables, Repeated, Ordered),
    lettered(Ordered, 0, Lettered),
    maplist(nameless, Single, Dashes),
    append([Named,Lettered,Dashes], Names).

nameless(Variable, '_'=Variable).

%   in_order_of(+Variables, +Some, -Ordered): the variables of the ordered set Some, as they stand in Variables. It takes
%   no longer than sorting them.

in_order_of(Variables, Some, Ordered) :-
    placed(Variables, 1, Placed),
    keysort(Placed, Sorted),
    places_of(Some, Sorted, Found),
    keysort(Found, InOrder),
    pairs_values(InOrder, Ordered).

placed([], _, []).
placed([Variable|Variables], Place, [Variable-Place|Placed]) :-
    Next is Place + 1,
    placed(Variables, Next, Placed).

places_of([], _, []).
places_of([Variable|Variables], [Key-Place|Placed], Found) :-
    (   Key == Variable
    ->  Found = [Place-Variable|More],
        places_of(Variables, Placed, More)
    ;   places_of([Variable|Variables], Placed, Found)
    ).

lettered([], _, []).
lettered([Variable|Variables], Number, [Name=Variable|Names]) :-
    letters(Number, Letters),
    atom_concat('_', Letters, Name),
    Next is Number + 1,
    lettered(Variables, Next, Names).

letters(Number, Letters) :-
    Code is 0'A + Number mod 26,
    Round is Number // 26,
    (   Round =:= 0
    ->  char_code(Letters, Code)
    ;   format(atom(Letters), '~c~d', [Code, Round])
    ).

shown_values([], _, _, []).
shown_values([Name=Value|Bindings], Shown, Names, Values) :-
    (   var(Value)
    ->  Values = More
    ;   Values = [[Name,Given]|More],
        shown_value(Shown, Value, Names, Given)
    ),
    shown_values(Bindings, Shown, Names, More).

shown_value(terms(_), Value, _, Encoded), rdf_value(Value, Term) =>
    encode_term(Term, Encoded).
shown_value(terms(Module), Value, Names, Shown) =>
    Shown = ['$text',Written],
    written(Value, Module, [], Names, Written).
shown_value(text(Module, Prefixes), Value, Names, Shown) =>
    written(Value, Module, Prefixes, Names, Written),
    (   string_length(Written, Length),
        longest(Length)
    ->  written(Value, Module, Prefixes, Names, [max_depth(100)], Shown)
    ;   Shown = Written
    ).

residual_text(_, _, '$same'(First, Name), Text) =>
    format(string(Text), '~w = ~w', [First, Name]).
residual_text(terms(Module), Names, Goal, Text) =>
    written(Goal, Module, [], Names, Text).
residual_text(text(Module, Prefixes), Names, Goal, Text) =>
    written(Goal, Module, Prefixes, Names, Text).

without_library(_:Goal, Constraint) => Constraint = Goal.
without_library(Goal, Constraint) => Constraint = Goal.

%   A text for a reader that would be longer than this has dots in it.

longest(Length) :-
    Length > 10_000.

written(Term, Module, Prefixes, Names, Text) :-
    written(Term, Module, Prefixes, Names, [], Text).

written(Term, Module, Prefixes, Names, Options, Text) :-
    with_output_to(string(Text),
        write_term(Term,
                   [ quoted(true), numbervars(true), spacing(next_argument), module(Module),
                     variable_names(Names), portray_goal(etalis_question_terms:portray_iri(Prefixes)), portrayed(true)
                   | Options
                   ])).

:- public portray_iri/3.

%   portray_iri(+Prefixes, +Term, +Options): write an IRI that one of the prefixes begins; the longest one.

portray_iri(Prefixes, IRI, _) :-
    atom(IRI),
    findall(Length-Prefix:Local,
            (   member([Prefix,Namespace], Prefixes),
                atom_concat(Namespace, Local, IRI),
                plain_local(Local),
                atom_length(Namespace, Length)
            ),
            Found),
    Found = [_|_],
    sort(1, @>=, Found, [_-Prefix:Local|_]),
    Prefix \== '',
    format('~q:~q', [Prefix, Local]).

plain_local(Local) :-
    Local \== '',
    atom_codes(Local, Codes),
    forall(member(Code, Codes), ( code_type(Code, csym) ; Code == 0'- )).
