:- module(etalis_datatypes,
          [ integer_range/3,            % ?Type, -Least, -Greatest
            literal_class/2,            % ?Type, -Class
            numeric_rank/2,             % ?Type, -Rank
            native_value/2,             % +Raw, -Native
            op(110, xfx, @),
            op(650, xfx, ^^)
          ]).
:- use_module(library(macros)).

/** <module> The datatypes the engine computes with

A literal is `Value^^Type` or `Text@Language` as in library(semweb/rdf11): text is a string, a language
tag a lower-case atom. A lexical form that is not the canonical one is kept as `lexical(Value,Text)^^Type`.

Code writes a datatype as the macro `#xsd(integer)`, which stands for the atom of its IRI. A module that
uses it says `#import(datatypes)`.
*/

#define(xsd(Name), Iri) :-
    atom_concat('http://www.w3.org/2001/XMLSchema#', Name, Iri).
#define(rdf(Name), Iri) :-
    atom_concat('http://www.w3.org/1999/02/22-rdf-syntax-ns#', Name, Iri).

%!  integer_range(?Type, -Least, -Greatest) is nondet.
%
%   xsd:integer and the types derived from it, each with its least and greatest value, `none` where it has
%   none (XML Schema part 2, section 3.4). Det or failing when Type is known.

integer_range(#xsd(integer),            none, none).
integer_range(#xsd(nonPositiveInteger), none, 0).
integer_range(#xsd(negativeInteger),    none, -1).
integer_range(#xsd(nonNegativeInteger), 0, none).
integer_range(#xsd(positiveInteger),    1, none).
integer_range(#xsd(long),               -9223372036854775808, 9223372036854775807).
integer_range(#xsd(int),                -2147483648, 2147483647).
integer_range(#xsd(short),              -32768, 32767).
integer_range(#xsd(byte),               -128, 127).
integer_range(#xsd(unsignedLong),       0, 18446744073709551615).
integer_range(#xsd(unsignedInt),        0, 4294967295).
integer_range(#xsd(unsignedShort),      0, 65535).
integer_range(#xsd(unsignedByte),       0, 255).

%!  numeric_rank(?Type, -Rank) is nondet.
%
%   The numeric types in the order of promotion (XPath 2.0, section B.1): integer 0, decimal 1, float 2,
%   double 3. The result of an operation has the higher rank of its operands. Det or failing when Type is
%   known.

numeric_rank(#xsd(integer),            0).
numeric_rank(#xsd(decimal),            1).
numeric_rank(#xsd(double),             3).
numeric_rank(#xsd(float),              2).
numeric_rank(#xsd(nonPositiveInteger), 0).
numeric_rank(#xsd(negativeInteger),    0).
numeric_rank(#xsd(nonNegativeInteger), 0).
numeric_rank(#xsd(positiveInteger),    0).
numeric_rank(#xsd(long),               0).
numeric_rank(#xsd(int),                0).
numeric_rank(#xsd(short),              0).
numeric_rank(#xsd(byte),               0).
numeric_rank(#xsd(unsignedLong),       0).
numeric_rank(#xsd(unsignedInt),        0).
numeric_rank(#xsd(unsignedShort),      0).
numeric_rank(#xsd(unsignedByte),       0).

%!  literal_class(?Type, -Class) is nondet.
%
%   The value space a datatype belongs to: literals of one class are compared by value, of two classes are
%   different. Det or failing when Type is known; fails for a datatype the engine does not know.

literal_class(#xsd(string),             string).
literal_class(#xsd(boolean),            boolean).
literal_class(#xsd(dateTime),           time).
literal_class(#xsd(dateTimeStamp),      time).
literal_class(#xsd(duration),           duration).
literal_class(#xsd(dayTimeDuration),    duration).
literal_class(#xsd(yearMonthDuration),  duration).
literal_class(#xsd(integer),            number).
literal_class(#xsd(decimal),            number).
literal_class(#xsd(double),             number).
literal_class(#xsd(float),              number).
literal_class(#xsd(nonPositiveInteger), number).
literal_class(#xsd(negativeInteger),    number).
literal_class(#xsd(nonNegativeInteger), number).
literal_class(#xsd(positiveInteger),    number).
literal_class(#xsd(long),               number).
literal_class(#xsd(int),                number).
literal_class(#xsd(short),              number).
literal_class(#xsd(byte),               number).
literal_class(#xsd(unsignedLong),       number).
literal_class(#xsd(unsignedInt),        number).
literal_class(#xsd(unsignedShort),      number).
literal_class(#xsd(unsignedByte),       number).

%!  native_value(+Raw, -Native) is det.
%
%   The value in `Raw^^Type`: what stands there, or the value under a kept lexical form.

:- det(native_value/2).

native_value(lexical(Value, _), Native) => Native = Value.
native_value(Value, Native) => Native = Value.
