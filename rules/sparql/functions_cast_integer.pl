:- module(etalis_functions_cast_integer,
          [ cast_nonpositiveinteger/2,  % +Term, -Literal
            cast_negativeinteger/2,     % +Term, -Literal
            cast_nonnegativeinteger/2,  % +Term, -Literal
            cast_positiveinteger/2,     % +Term, -Literal
            cast_long/2,                % +Term, -Literal
            cast_int/2,                 % +Term, -Literal
            cast_short/2,               % +Term, -Literal
            cast_byte/2,                % +Term, -Literal
            cast_unsignedlong/2,        % +Term, -Literal
            cast_unsignedint/2,         % +Term, -Literal
            cast_unsignedshort/2,       % +Term, -Literal
            cast_unsignedbyte/2         % +Term, -Literal
          ]).
:- use_module(cast_sources, [exact_value/4, source/4]).
:- use_module(datatypes, [integer_range/3, op(_, _, ^^)]).
:- use_module(library(macros)).

#import(datatypes).

/** <module> Casts to the types derived from xsd:integer

As cast_integer/2 of functions_cast.pl, within the range of the type (XPath 2.0 functions, section 17.4).
*/

%!  cast_nonpositiveinteger(+Term, -Literal) is semidet.

cast_nonpositiveinteger(Term, Literal) :-
    derived(Term, #xsd(nonPositiveInteger), Literal).

%!  cast_negativeinteger(+Term, -Literal) is semidet.

cast_negativeinteger(Term, Literal) :-
    derived(Term, #xsd(negativeInteger), Literal).

%!  cast_nonnegativeinteger(+Term, -Literal) is semidet.

cast_nonnegativeinteger(Term, Literal) :-
    derived(Term, #xsd(nonNegativeInteger), Literal).

%!  cast_positiveinteger(+Term, -Literal) is semidet.

cast_positiveinteger(Term, Literal) :-
    derived(Term, #xsd(positiveInteger), Literal).

%!  cast_long(+Term, -Literal) is semidet.

cast_long(Term, Literal) :-
    derived(Term, #xsd(long), Literal).

%!  cast_int(+Term, -Literal) is semidet.

cast_int(Term, Literal) :-
    derived(Term, #xsd(int), Literal).

%!  cast_short(+Term, -Literal) is semidet.

cast_short(Term, Literal) :-
    derived(Term, #xsd(short), Literal).

%!  cast_byte(+Term, -Literal) is semidet.

cast_byte(Term, Literal) :-
    derived(Term, #xsd(byte), Literal).

%!  cast_unsignedlong(+Term, -Literal) is semidet.

cast_unsignedlong(Term, Literal) :-
    derived(Term, #xsd(unsignedLong), Literal).

%!  cast_unsignedint(+Term, -Literal) is semidet.

cast_unsignedint(Term, Literal) :-
    derived(Term, #xsd(unsignedInt), Literal).

%!  cast_unsignedshort(+Term, -Literal) is semidet.

cast_unsignedshort(Term, Literal) :-
    derived(Term, #xsd(unsignedShort), Literal).

%!  cast_unsignedbyte(+Term, -Literal) is semidet.

cast_unsignedbyte(Term, Literal) :-
    derived(Term, #xsd(unsignedByte), Literal).

derived(Term, Type, Literal) :-
    source(Term, Type, Class, Value),
    exact_value(Class, Value, Term, Rational),
    Integer is truncate(Rational),
    integer_range(Type, Least, Greatest),
    ( Least == none -> true ; Integer >= Least ),
    ( Greatest == none -> true ; Integer =< Greatest ),
    Literal = Integer^^Type.
