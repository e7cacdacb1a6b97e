:- module(etalis_values,
          [ ebv/2,                      % +Term, -Truth
            equal/3,                    % +A, +B, -Truth
            less/3,                     % +A, +B, -Truth
            less_or_equal/3,            % +A, +B, -Truth
            same_term/3,                % +A, +B, -Truth
            compatible/3                % +A, +B, -Term
          ]).
:- use_module(dates, [calendar_value/4, compare_moments/3]).
:- use_module(datatypes, [literal_class/2, native_value/2, numeric_rank/2, op(_, _, @), op(_, _, ^^)]).
:- use_module(singles, [nearest_single/2]).
:- use_module(library(macros)).
:- reexport(arithmetic).
:- reexport(order).

#import(datatypes).

/** <module> Truth and comparison of RDF terms

SPARQL 1.1 sections 17.2 and 17.3. Truth is the atom `true` or `false`; a predicate fails where SPARQL has
an error, for one when an argument is unbound. Nothing here raises for any data.

What the specification leaves open:

  - Literals of two known value spaces (a number and a string, say) are different, not an error, and so are
    a literal with a language and any other; a literal of an unknown datatype, or an ill-typed one, is equal
    to itself and else not comparable.
  - Durations of all three types are one value space. Two durations are compared if they have the same
    months or the same seconds, or one has less of both. A year-month part against a day-time value is an
    error, for `=` as well: how long a month is would be a guess.
  - An xsd:date, an xsd:time, a gYear and its kin are compared by the moment they start at, each with others of
    its type only. One with a zone and one without are an error if the zone could decide, for `=` as well.
  - A literal with a language has an effective boolean value, as plain literals had.

Prolog compares a double with an exact number as a double, as XPath 2.0 promotes (section B.1).

It also exports what arithmetic.pl and order.pl do.
*/

:- set_prolog_flag(optimise, true).     % of this file only: arithmetic is compiled

%!  ebv(+Term, -Truth) is semidet.
%
%   The effective boolean value. Fails for a term that has none.

ebv(true^^ #xsd(boolean), Truth) => Truth = true.
ebv(false^^ #xsd(boolean), Truth) => Truth = false.
ebv(Raw^^Type, Truth) =>
    literal_class(Type, Class),
    native_value(Raw, Native),
    truth_of(Class, Native, Truth).
ebv(Text@_, Truth) => truth_of(string, Text, Truth).
ebv(_, _) => fail.

truth_of(boolean, Native, Truth) =>
    (   Native == true
    ->  Truth = true
    ;   Truth = false                   % ill-typed: section 17.2.2
    ).
truth_of(number, Native, Truth) =>
    (   number(Native),
        Native =\= 0,
        Native =:= Native               % not NaN
    ->  Truth = true
    ;   Truth = false
    ).
truth_of(string, Text, Truth) =>
    (   Text == ""
    ->  Truth = false
    ;   Truth = true
    ).
truth_of(_, _, _) =>
    fail.

%!  equal(+A, +B, -Truth) is semidet.
%
%   The operator `=`: by value where both values are known, else by term.

equal(A^^Type1, B^^Type2, Truth), Type1 == Type2, number(A), number(B) =>
    (   A =:= B
    ->  Truth = true
    ;   Truth = false
    ).
equal(A, B, Truth), atom(A) =>
    A \== '$unbound',
    B \== '$unbound',
    same_term(A, B, Truth).
equal(A^^ #xsd(string), B^^ #xsd(string), Truth) =>
    same_term(A, B, Truth).
equal(A0^^Type1, B0^^Type2, Truth),
        number(A0), number(B0), numeric_rank(Type1, Rank1), numeric_rank(Type2, Rank2) =>
    promoted(Rank1, Rank2, A0, B0, A, B),
    (   A =:= B
    ->  Truth = true
    ;   Truth = false
    ).
equal(duration(Months1, Rest1)^^_, duration(Months2, Rest2)^^_, Truth) =>
    compare_durations(Months1, Rest1, Months2, Rest2, Order),
    same_term(Order, =, Truth).
equal(lexical(A, _)^^Type, B, Truth) =>
    equal(A^^Type, B, Truth).
equal(A, lexical(B, _)^^Type, Truth) =>
    equal(A, B^^Type, Truth).
equal(A, B, Truth), A == B =>
    Truth = true.
equal(_@_, B, Truth) =>
    B \== '$unbound',
    Truth = false.
equal(_^^_, _@_, Truth) =>
    Truth = false.
equal(A, B, Truth), comparable(A, ClassA, ValueA), comparable(B, ClassB, ValueB) =>
    (   ClassA == ClassB
    ->  equal_values(ValueA, ValueB, Truth)
    ;   Truth = false
    ).
equal(_, B, Truth), atom(B) =>
    B \== '$unbound',
    Truth = false.
equal(_, _, _) =>
    fail.

equal_values(first(A), first(B), Truth) =>
    compare_moments(A, B, Order),
    same_term(Order, =, Truth).
equal_values(A, B, Truth) =>
    same_term(A, B, Truth).

%   A float with an exact number: the number counts as the nearest single (XPath 2.0, section B.1). With a
%   double, Prolog takes it as the nearest double.

promoted(2, Rank, A0, B0, A, B), Rank < 2 => A = A0, nearest_single(B0, B).
promoted(Rank, 2, A0, B0, A, B), Rank < 2 => B = B0, nearest_single(A0, A).
promoted(_, _, A0, B0, A, B) => A = A0, B = B0.

compare_durations(Months1, Rest1, Months2, Rest2, Order) :-
    compare(OrderOfMonths, Months1, Months2),
    compare(OrderOfRest, Rest1, Rest2),
    both_orders(OrderOfMonths, OrderOfRest, Order).

%!  less(+A, +B, -Truth) is semidet.
%
%   The operator `<` on numbers, strings (by code point), booleans, times and durations.

less(A^^Type1, B^^Type2, Truth), Type1 == Type2, number(A), number(B) =>
    (   A < B
    ->  Truth = true
    ;   Truth = false
    ).
less(A0^^Type1, B0^^Type2, Truth),
        number(A0), number(B0), numeric_rank(Type1, Rank1), numeric_rank(Type2, Rank2) =>
    promoted(Rank1, Rank2, A0, B0, A, B),
    (   A < B
    ->  Truth = true
    ;   Truth = false
    ).
less(A^^ #xsd(string), B^^ #xsd(string), Truth) =>
    (   A @< B
    ->  Truth = true
    ;   Truth = false
    ).
less(duration(Months1, Rest1)^^_, duration(Months2, Rest2)^^_, Truth) =>
    compare_durations(Months1, Rest1, Months2, Rest2, Order),
    is_less(Order, Truth).
less(lexical(A, _)^^Type, B, Truth) =>
    less(A^^Type, B, Truth).
less(A, lexical(B, _)^^Type, Truth) =>
    less(A, B^^Type, Truth).
less(A, B, Truth), comparable(A, Class, ValueA), comparable(B, Class, ValueB) =>
    less_values(Class, ValueA, ValueB, Truth).
less(_, _, _) =>
    fail.

less_values(_, first(A), first(B), Truth) =>
    compare_moments(A, B, Order),
    is_less(Order, Truth).
less_values(_, A, B, Truth), integer(A) =>                          % times
    (   A < B
    ->  Truth = true
    ;   Truth = false
    ).
less_values(boolean, A, B, Truth) =>
    (   A @< B                          % false before true
    ->  Truth = true
    ;   Truth = false
    ).
less_values(_, _, _, _) =>
    fail.

both_orders(=, Order, Result) => Result = Order.
both_orders(Order, =, Result) => Result = Order.
both_orders(Order, Other, Result) => Order == Other, Result = Order.

is_less(<, Truth) => Truth = true.
is_less(_, Truth) => Truth = false.

%!  less_or_equal(+A, +B, -Truth) is semidet.
%
%   The operator `<=`.

less_or_equal(A^^Type1, B^^Type2, Truth), Type1 == Type2, number(A), number(B) =>
    (   A =< B
    ->  Truth = true
    ;   Truth = false
    ).
less_or_equal(A0^^Type1, B0^^Type2, Truth),
        number(A0), number(B0), numeric_rank(Type1, Rank1), numeric_rank(Type2, Rank2) =>
    promoted(Rank1, Rank2, A0, B0, A, B),
    (   A =< B
    ->  Truth = true
    ;   Truth = false
    ).
less_or_equal(lexical(A, _)^^Type, B, Truth) =>
    less_or_equal(A^^Type, B, Truth).
less_or_equal(A, lexical(B, _)^^Type, Truth) =>
    less_or_equal(A, B^^Type, Truth).
less_or_equal(A, B, Truth) =>
    less(A, B, Less),
    (   Less == true
    ->  Truth = true
    ;   equal(A, B, Truth)
    ).

%!  same_term(+A, +B, ?Truth) is semidet.
%
%   sameTerm of two bound terms.

same_term(A, B, Truth) :-
    (   A == B
    ->  Truth = true
    ;   Truth = false
    ).

%!  compatible(+A, +B, -Term) is semidet.
%
%   The join of two values of one variable, each of which may be unbound.

compatible(A, B, Term), A == B => Term = A.
compatible('$unbound', B, Term) => Term = B.
compatible(A, '$unbound', Term) => Term = A.
compatible(_, _, _) => fail.

%   comparable(+Term, -Class, -Value) is semidet.
%
%   The value space of a literal without kept lexical form, and its value there. Fails for what is no
%   literal, for ill-typed literals and for unknown datatypes.

comparable(Text^^Type, Class, Value), calendar_value(Text, Type, Class0, First) =>
    Class = Class0, Value = first(First).
comparable(Value0^^Type, Class, Value) =>
    literal_class(Type, Class),
    has_value(Class, Value0),
    Value = Value0.
comparable(_, _, _) =>
    fail.

has_value(number, Value) => number(Value).
has_value(boolean, Value) => atom(Value).
has_value(time, Value) => integer(Value).
has_value(duration, Value) => compound(Value).
has_value(string, _) => true.
