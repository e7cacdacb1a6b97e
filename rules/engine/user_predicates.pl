:- module(etalis_user_predicates,
          [ call_user_predicate/3,      % :Name, +Arguments, -Value
            test_user_predicate/3,      % :Name, +Arguments, ?Truth
            user_solution/2,            % :Name, ?Arguments
            spread_solution/2,          % +Arity, -Name
            defined_predicates/2,       % +Module, -Predicates
            rdf_value/2,                % +Value, -Term
            distinct_solution/2         % ?Row, :Goal
          ]).
:- use_module('../sparql/decimals', [decimal_quotient/3]).
:- use_module(terms, [lexical_form/2, typed_literal/3]).
:- use_module(library(lists), [append/3, member/2]).

/** <module> Prolog predicates of the user in FILTER and BIND, and as patterns

`prolog:name(A, B)` as a condition calls name(A, B): it is true or false as that succeeds or fails. As a value
it calls name(A, B, Value). As a pattern it is called for all its answers. Numbers, text and IRIs are handed over as plain Prolog numbers, strings and atoms;
all other terms in the form of the engine, and to a state (state.pl) all of them. A value comes back in either form.
*/

:- op(650, xfx, ^^).
:- op(110, xfx, @).
:- meta_predicate
    call_user_predicate(:, +, -),
    test_user_predicate(:, +, ?),
    user_solution(:, ?),
    distinct_solution(?, 0).

%!  call_user_predicate(:Name, +Arguments, -Value) is semidet.
%
%   Value is the RDF term that the first solution of Name gives.

call_user_predicate(M:Name, Arguments, Value) :-
    user_goal(M, Name, Arguments, [Result], Module, Goal),
    guarded(Module, Goal),
    rdf_value(Result, Value).

%!  test_user_predicate(:Name, +Arguments, ?Truth) is semidet.
%
%   Truth is `true` if Name succeeds on Arguments, else `false`.

test_user_predicate(M:Name, Arguments, Truth) :-
    user_goal(M, Name, Arguments, [], Module, Goal),
    (   \+ \+ guarded(Module, Goal)
    ->  Truth = true
    ;   Truth = false
    ).

%!  user_solution(:Name, ?Arguments) is nondet.
%
%   Name succeeds on Arguments; those that are variables are bound, by each answer whose values are all RDF terms.

user_solution(M:Name, Arguments) :-
    asked(Arguments, Asked, Outputs),
    user_goal(M, Name, Asked, [], Module, Goal),
    Goal =.. [_|Full],
    guarded_all(Module, Goal, Full, Answers),
    member(Answer, Answers),
    given(Outputs, Answer).

%!  spread_solution(+Arity, -Name) is det.
%
%   There is a predicate Name of this module whose first argument is that of user_solution/2 (with the engine's module), and
%   the others its Arguments, so many.

spread_solution(Arity, Name) :-
    atom_concat(user_solution_, Arity, Name),
    All is Arity + 1,
    (   current_predicate(etalis_user_predicates:Name/All)
    ->  true
    ;   functor(Head, Name, All),
        Head =.. [_,User|Arguments],
        assertz((Head :- user_solution(User, Arguments)))
    ).

%   asked(+Arguments, -Asked, -Outputs): Outputs tells for each argument output(Term), to be bound, or `input`.

asked([], [], []).
asked([Argument|Arguments], [Argument|Asked], [Output|Outputs]) :-
    ( var(Argument) -> Output = output(Argument) ; Output = input ),
    asked(Arguments, Asked, Outputs).

given([], []).
given([input|Outputs], [_|Values]) :-
    given(Outputs, Values).
given([output(Term)|Outputs], [Value|Values]) :-
    rdf_value(Value, Given),
    Term = Given,
    given(Outputs, Values).

%   user_goal(+M, +Name, +Arguments, +More, -Module, -Goal): Goal has the Arguments in the form that Name wants, and More.

user_goal(M, Name, Arguments, More, Module, Goal) :-
    M:user_call(Name, Module, Form),
    !,
    (   Form = state(Arities),
        append(Arguments, More, Full),
        length(Full, Arity),
        memberchk(Arity, Arities)
    ->  true
    ;   plain_arguments(Arguments, More, Full)
    ),
    Goal =.. [Name|Full].

plain_arguments([], More, More).
plain_arguments([Argument|Arguments], More, [Plain|Full]) :-
    plain(Argument, Plain),
    plain_arguments(Arguments, More, Full).

%   The first solution of the user's goal. What it raises, and that it does not come to an end, is told with
%   its name.

guarded(Module, Goal) :-
    inference_limit(Limit),
    functor(Goal, Name, Arity),
    catch(call_with_inference_limit(once(Module:Goal), Limit, Result),
          Error,
          throw(error(etalis_user_predicate(Name, Arity, Error), _))),
    (   Result == inference_limit_exceeded
    ->  throw(error(etalis_user_predicate(Name, Arity, error(etalis_limit(inferences, Limit), _)), _))
    ;   true
    ).

%   All answers of the user's goal, in their order, each as the list Full.

guarded_all(Module, Goal, Full, Answers) :-
    inference_limit(Limit),
    functor(Goal, Name, Arity),
    catch(call_with_inference_limit(findall(Full, Module:Goal, Answers), Limit, Result),
          Error,
          throw(error(etalis_user_predicate(Name, Arity, Error), _))),
    (   Result == inference_limit_exceeded
    ->  throw(error(etalis_user_predicate(Name, Arity, error(etalis_limit(inferences, Limit), _)), _))
    ;   true
    ).

inference_limit(100_000_000).

%!  defined_predicates(+Module, -Predicates) is det.
%
%   The predicates that files of the user's define in Module, and the views it has on the background, as a
%   list of [Name,Arity].

defined_predicates(Module, Predicates) :-
    findall([Name,Arity],
            (   current_predicate(Module:Name/Arity),
                functor(Head, Name, Arity),
                \+ predicate_property(Module:Head, imported_from(_)),
                Name \== halt,            % defined to keep the user's files from ending the process
                \+ sub_atom(Name, 0, _, _, '$')
            ),
            Found),
    sort(Found, Predicates).

plain(lexical(Value, _)^^Type, Plain) :-
    number(Value), \+ dated(Type),
    !,
    Plain = Value.
plain(Value^^Type, Plain) :-
    ( number(Value), \+ dated(Type) ; string(Value), Type == 'http://www.w3.org/2001/XMLSchema#string' ),
    !,
    Plain = Value.
plain(Term, Term).

dated('http://www.w3.org/2001/XMLSchema#dateTime').
dated('http://www.w3.org/2001/XMLSchema#dateTimeStamp').

%!  rdf_value(+Value, -Term) is semidet.
%
%   The RDF term that a plain Prolog value stands for; fails for what stands for none. A rational without a
%   finite decimal form is rounded to 18 places.

rdf_value(Value, _) :-
    var(Value), !, fail.
rdf_value(Value, Value^^'http://www.w3.org/2001/XMLSchema#integer') :-
    integer(Value), !.
rdf_value(Value, Decimal^^'http://www.w3.org/2001/XMLSchema#decimal') :-
    rational(Value, Numerator, Denominator), !,
    decimal_quotient(Numerator, Denominator, Decimal).
rdf_value(Value, Value^^'http://www.w3.org/2001/XMLSchema#double') :-
    float(Value), !.
rdf_value(Value, Value^^'http://www.w3.org/2001/XMLSchema#string') :-
    string(Value), !.
rdf_value(Value, Value^^'http://www.w3.org/2001/XMLSchema#boolean') :-
    ( Value == true ; Value == false ), !.
rdf_value(Value, Value) :-
    atom(Value), !.
rdf_value(Text@Language, Text@Tag) :-
    string(Text), atom(Language), !,
    downcase_atom(Language, Tag).
rdf_value(Value^^Type, Term) :-         % anything else is not an RDF term: an error value
    atom(Type),
    literal_text(Value, Type, Text),
    typed_literal(Text, Type, Term).

%   A literal is read again from its text, so that it has the one form that equal literals have.

literal_text(Text, _, Text) :-
    string(Text), !.
literal_text(lexical(_, Text), _, Text) :-
    string(Text), !.
literal_text(Value, Type, Text) :-
    ( number(Value) ; Value == true ; Value == false ; Value = duration(M, S), integer(M), integer(S) ),
    !,
    lexical_form(Value^^Type, Text).

%!  distinct_solution(?Row, :Goal) is nondet.
%
%   Goal, with each instance of Row once.

distinct_solution(Row, Goal) :-
    findall(Row, Goal, Rows),
    sort(Rows, Set),
    member(Row, Set).
