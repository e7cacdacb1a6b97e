:- module(etalis_regex_classes,
          [ class_items/2,              % +Name, -Items
            category/1,                 % +Name
            items_codes/3,              % +Items, -Codes, ?Tail
            complement/2                % +Ranges, -Complement
          ]).
:- use_module(library(lists), [append/3]).

/** <module> Character classes of XML Schema for PCRE

XML Schema 1.1 part 2, appendix G.4. An item is a range `Least-Greatest` of code points or `property(Text)`,
text that PCRE knows inside a class.
*/

%!  class_items(+Letter, -Items) is semidet.
%
%   The characters of a multi-character escape, `\s` for one.

class_items(0's, [9-10, 13-13, 32-32]).
class_items(0'S, Items) :- class_items(0's, Ranges), complement(Ranges, Items).
class_items(0'i, Items) :- name_start(Items).
class_items(0'I, Items) :- name_start(Ranges), complement(Ranges, Items).
class_items(0'c, Items) :- name_character(Items).
class_items(0'C, Items) :- name_character(Ranges), complement(Ranges, Items).
class_items(0'd, [property(`\\p{Nd}`)]).
class_items(0'D, [property(`\\P{Nd}`)]).
class_items(0'w, [property(`\\p{L}\\p{M}\\p{N}\\p{S}`)]).
class_items(0'W, [property(`\\p{P}\\p{Z}\\p{C}`)]).

%   NameStartChar and NameChar of XML 1.0, fifth edition, in order.

name_start([ 0':-0':, 0'A-0'Z, 0'_-0'_, 0'a-0'z, 0xC0-0xD6, 0xD8-0xF6, 0xF8-0x2FF, 0x370-0x37D,
             0x37F-0x1FFF, 0x200C-0x200D, 0x2070-0x218F, 0x2C00-0x2FEF, 0x3001-0xD7FF, 0xF900-0xFDCF,
             0xFDF0-0xFFFD, 0x10000-0xEFFFF ]).

name_character([ 0'--0'., 0'0-0':, 0'A-0'Z, 0'_-0'_, 0'a-0'z, 0xB7-0xB7, 0xC0-0xD6, 0xD8-0xF6, 0xF8-0x37D,
                 0x37F-0x1FFF, 0x200C-0x200D, 0x203F-0x2040, 0x2070-0x218F, 0x2C00-0x2FEF, 0x3001-0xD7FF,
                 0xF900-0xFDCF, 0xFDF0-0xFFFD, 0x10000-0xEFFFF ]).

%!  complement(+Ranges, -Complement) is det.
%
%   All code points, surrogates apart, that are in none of the ranges. Ranges are in order, none of them
%   touches a surrogate.

complement(Ranges, Complement) :-
    gaps(Ranges, 0, Complement).

gaps([], Next, Gaps) =>
    gap(Next, 0x10FFFF, Gaps, []).
gaps([Least-Greatest|Ranges], Next, Gaps) =>
    Before is Least - 1,
    gap(Next, Before, Gaps, Rest),
    After is Greatest + 1,
    gaps(Ranges, After, Rest).

gap(Least, Greatest, Gaps, Rest), Least > Greatest => Gaps = Rest.
gap(Least, Greatest, Gaps, Rest), Least < 0xD800, Greatest > 0xDFFF =>
    Gaps = [Least-0xD7FF, 0xE000-Greatest|Rest].
gap(0xD800, Greatest, Gaps, Rest) => gap(0xE000, Greatest, Gaps, Rest).
gap(Least, Greatest, Gaps, Rest) => Gaps = [Least-Greatest|Rest].

%!  category(+Name) is semidet.
%
%   Name, an atom, is a general category of Unicode that \p{...} may name.

category(Name) :-
    memberchk(Name, [ 'L', 'Lu', 'Ll', 'Lt', 'Lm', 'Lo', 'M', 'Mn', 'Mc', 'Me', 'N', 'Nd', 'Nl', 'No',
                      'P', 'Pc', 'Pd', 'Ps', 'Pe', 'Pi', 'Pf', 'Po', 'Z', 'Zs', 'Zl', 'Zp',
                      'S', 'Sm', 'Sc', 'Sk', 'So', 'C', 'Cc', 'Cf', 'Co', 'Cn' ]).

%!  items_codes(+Items, -Codes, ?Tail) is det.
%
%   Items as PCRE writes them between brackets.

items_codes([], Codes, Tail) =>
    Codes = Tail.
items_codes([property(Text)|Items], Codes, Tail) =>
    append(Text, Rest, Codes),
    items_codes(Items, Rest, Tail).
items_codes([Least-Greatest|Items], Codes, Tail) =>
    format(codes(Codes, Rest), "\\x{~16r}-\\x{~16r}", [Least, Greatest]),
    items_codes(Items, Rest, Tail).
