:- module(etalis_user_predicates,
          [ call_user_predicate/3,      % :Name, +Arguments, -Value
            test_user_predicate/3,      % :Name, +Arguments, ?Truth
            defined_predicates/2,       % +Module, -Predicates
            rdf_value/2,                % +Value, -Term
            distinct_solution/2         % ?Row, :Goal
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [append/3, member/2]).

/** <module> Prolog predicates of the user in FILTER and BIND

`prolog:name(A, B)` as a condition calls name(A, B): it is true or false as that succeeds or fails. As a value
it calls name(A, B, Value). Numbers, text and IRIs are handed over as plain Prolog numbers, strings and atoms;
all other terms in the form of the engine. A value comes back in either form.
*/

:- op(650, xfx, ^^).
:- op(110, xfx, @).
:- meta_predicate
    call_user_predicate(:, +, -),
    test_user_predicate(:, +, ?),
    distinct_solution(?, 0).

%!  call_user_predicate(:Name, +Arguments, -Value) is semidet.
%
%   Value is the RDF term that the first solution of Name gives.

call_user_predicate(M:Name, Arguments, Value) :-
    maplist(plain, Arguments, Plain),
    append(Plain, [Result], Full),
    Goal =.. [Name|Full],
    M:user_predicates(Module),
    guarded(Module, Goal),
    rdf_value(Result, Value).

%!  test_user_predicate(:Name, +Arguments, ?Truth) is semidet.
%
%   Truth is `true` if Name succeeds on Arguments, else `false`.

test_user_predicate(M:Name, Arguments, Truth) :-
    maplist(plain, Arguments, Plain),
    Goal =.. [Name|Plain],
    M:user_predicates(Module),
    (   \+ \+ guarded(Module, Goal)
    ->  Truth = true
    ;   Truth = false
    ).

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
%   The RDF term that a plain Prolog value stands for; fails for what stands for none.

rdf_value(Value, _) :-
    var(Value), !, fail.
rdf_value(Value, Value^^'http://www.w3.org/2001/XMLSchema#integer') :-
    integer(Value), !.
rdf_value(Value, Value^^'http://www.w3.org/2001/XMLSchema#decimal') :-
    rational(Value), !.
rdf_value(Value, Value^^'http://www.w3.org/2001/XMLSchema#double') :-
    float(Value), !.
rdf_value(Value, Value^^'http://www.w3.org/2001/XMLSchema#string') :-
    string(Value), !.
rdf_value(Value, Value^^'http://www.w3.org/2001/XMLSchema#boolean') :-
    ( Value == true ; Value == false ), !.
rdf_value(Value, Value) :-
    atom(Value), !.
rdf_value(Value, Value) :-
    is_literal(Value).

%   Anything else is no RDF term: an error value.

is_literal(Value^^Type) :-
    atom(Type),
    ( atomic(Value) ; Value = lexical(_, Text), string(Text) ; Value = duration(_, _) ),
    !.
is_literal(Text@Language) :-
    string(Text), atom(Language).

%!  distinct_solution(?Row, :Goal) is nondet.
%
%   Goal, with each instance of Row once.

distinct_solution(Row, Goal) :-
    findall(Row, Goal, Rows),
    sort(Rows, Set),
    member(Row, Set).
