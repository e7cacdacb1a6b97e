:- module(etalis_regex_syntax,
          [ pcre_pattern/4              % +Pattern, +Flags, -PcrePattern, -Groups
          ]).
:- use_module(ascii, [digit//1, digits//1]).
:- use_module(regex_classes, [category/1, class_items/2, complement/2, items_codes/3]).
:- use_module(unicode_blocks, [block/3]).
:- use_module(library(lists), [append/2, append/3, memberchk/2]).

/** <module> Regular expressions of XPath in the syntax of PCRE

XPath 2.0 functions, section 7.6.1, and XML Schema 1.1 part 2, appendix G. What PCRE has and XPath has not
(look-around, possessive quantifiers, `\b`, `\x41`) is an error; so is a block (`\p{IsGreek}`) that Unicode has
not. Non-capturing groups `(?:...)` are those of XPath 3.0. Does not compile and does not match.
*/

%!  pcre_pattern(+Pattern, +Flags, -PcrePattern, -Groups) is semidet.
%
%   Pattern and PcrePattern are strings, Flags is a list of the codes of letters; `x` and `q` are taken care
%   of here, the others are for the matcher. Groups is the number of capturing groups. Fails if Pattern is
%   no regular expression.

pcre_pattern(Pattern, Flags, PcrePattern, Groups) :-
    string_codes(Pattern, Codes),
    (   memberchk(0'q, Flags)
    ->  literals(Codes, Translated),
        Groups = 0
    ;   (   memberchk(0'x, Flags)
        ->  without_space(Codes, 0, Kept)
        ;   Kept = Codes
        ),
        phrase(expression(Translated, groups(0, []), groups(Groups, _)), Kept)
    ),
    !,
    string_codes(PcrePattern, Translated).

literals([], Out) =>
    Out = [].
literals([Code|Codes], Out) =>
    literal(Code, First),
    append(First, Rest, Out),
    literals(Codes, Rest).

%   Flag x: white space goes, but not inside a character class.

without_space([], _, Kept) =>
    Kept = [].
without_space([0'\\, Code|Codes], Depth, Kept) =>
    Kept = [0'\\, Code|Rest],
    without_space(Codes, Depth, Rest).
without_space([Code|Codes], 0, Kept), memberchk(Code, ` \t\n\r`) =>
    without_space(Codes, 0, Kept).
without_space([Code|Codes], Depth, Kept) =>
    Kept = [Code|Rest],
    depth_after(Code, Depth, Next),
    without_space(Codes, Next, Rest).

depth_after(0'[, Depth, Next) => Next is Depth + 1.
depth_after(0'], Depth, Next) => Next is max(Depth - 1, 0).
depth_after(_, Depth, Next) => Next = Depth.

%   Groups0 and Groups are groups(Opened, Closed): how many groups have been opened, and which are closed.

expression(Out, Groups0, Groups) -->
    branch(First, Groups0, Groups1),
    alternatives(First, Out, Groups1, Groups).

alternatives(Before, Out, Groups0, Groups) -->
    "|",
    !,
    branch(Next, Groups0, Groups1),
    { append(Before, [0'||Rest], Out) },
    alternatives(Next, Rest, Groups1, Groups).
alternatives(Out, Out, Groups, Groups) -->
    [].

branch(Out, Groups0, Groups) -->
    piece(First, Groups0, Groups1),
    !,
    { append(First, Rest, Out) },
    branch(Rest, Groups1, Groups).
branch([], Groups, Groups) -->
    [].

piece(Out, Groups0, Groups) -->
    atom(Atom, Groups0, Groups),
    (   quantifier(Quantifier)
    ->  { append([`(?:`, Atom, `)`, Quantifier], Out) }
    ;   { Out = Atom }
    ).

atom(Out, Groups0, Groups) -->
    "(?:",
    !,
    expression(Inner, Groups0, Groups),
    ")",
    { append([`(?:`, Inner, `)`], Out) }.
atom(Out, groups(Opened0, Closed0), groups(Opened, [Group|Closed])) -->
    "(",
    !,
    { Group is Opened0 + 1 },
    expression(Inner, groups(Group, Closed0), groups(Opened, Closed)),
    ")",
    { append([`(`, Inner, `)`], Out) }.
atom(Out, Groups, Groups) -->
    "[",
    !,
    class(Out).
atom(Out, Groups, Groups) -->
    "\\",
    !,
    escape(Groups, Out).
atom([Code], Groups, Groups) -->
    [Code],
    { memberchk(Code, `.^$`) },
    !.
atom(Out, Groups, Groups) -->
    [Code],
    { \+ memberchk(Code, `?*+{}()|[]`) },
    { literal(Code, Out) }.

quantifier(Out) -->
    (   "?"
    ->  { Quantity = `?` }
    ;   "*"
    ->  { Quantity = `*` }
    ;   "+"
    ->  { Quantity = `+` }
    ;   "{",
        quantity(Quantity),
        "}"
    ),
    !,
    (   "?"
    ->  { append([Quantity, `?`], Out) }
    ;   { Out = Quantity }
    ).

quantity(Out) -->
    number(Least),
    (   ",",
        number(Most)
    ->  { append([`{`, Least, `,`, Most, `}`], Out) }
    ;   ","
    ->  { append([`{`, Least, `,}`], Out) }
    ;   { append([`{`, Least, `}`], Out) }
    ).

number([Digit|Digits]) -->
    digit(Digit),
    digits(Digits).

                /*******************************
                *            ESCAPES           *
                *******************************/

escape(groups(Opened, Closed), Out) -->
    digit(Digit),
    !,
    { Digit > 0'0 },
    reference([Digit], Opened, Group),
    { memberchk(Group, Closed),
      format(codes(Out), "\\g{~d}", [Group])
    }.
escape(_, Out) -->
    escaped_items(Items),
    !,
    { bracketed(Items, ``, Out) }.
escape(_, Out) -->
    escaped_character(Code),
    { literal(Code, Out) }.

%   A reference takes as many digits as give the number of a group.

reference(Digits, Opened, Group) -->
    digit(Digit),
    { append([Digits, [Digit]], Longer),
      number_codes(Number, Longer),
      Number =< Opened
    },
    !,
    reference(Longer, Opened, Group).
reference(Digits, _, Group) -->
    { number_codes(Group, Digits) }.

escaped_items(Items) -->
    [Letter],
    { memberchk(Letter, `pP`) },
    !,
    "{",
    property_codes(Codes),
    "}",
    { property_items(Codes, Letter, Items) }.
escaped_items(Items) -->
    [Letter],
    { class_items(Letter, Items) },
    !.

property_codes([Code|Codes]) -->
    [Code],
    { Code \== 0'} },
    !,
    property_codes(Codes).
property_codes([]) -->
    [].

%   A general category, or `Is` and a block; `\P` is the rest.

property_items([0'I, 0's|Codes], Letter, Items) =>
    atom_codes(Name, Codes),
    block(Name, Least, Greatest),
    (   Letter == 0'p
    ->  Items = [Least-Greatest]
    ;   complement([Least-Greatest], Items)
    ).
property_items(Codes, Letter, Items) =>
    atom_codes(Name, Codes),
    category(Name),
    format(codes(Text), "\\~c{~s}", [Letter, Codes]),
    Items = [property(Text)].

escaped_character(0'\n) --> "n", !.
escaped_character(0'\r) --> "r", !.
escaped_character(0'\t) --> "t", !.
escaped_character(Code) -->
    [Code],
    { memberchk(Code, `\\|.-^?*+{}()[]$`) },
    !.

%   A character that stands for itself.

literal(Code, Out) :-
    (   plain(Code)
    ->  Out = [Code]
    ;   format(codes(Out), "\\x{~16r}", [Code])
    ).

plain(Code) :-
    (   Code > 127
    ;   Code >= 0'a, Code =< 0'z
    ;   Code >= 0'A, Code =< 0'Z
    ;   Code >= 0'0, Code =< 0'9
    ),
    !.

                /*******************************
                *       CHARACTER CLASSES      *
                *******************************/

%   After the opening bracket. `[a-z-[aeiou]]` becomes `(?:(?![aeiou])[a-z])`.

class(Out) -->
    (   "^"
    ->  { Negation = `^` }
    ;   { Negation = `` }
    ),
    item(first, Items, Rest),
    items(Rest),
    { bracketed(Items, Negation, Base) },
    (   "-["
    ->  class(Without),
        { append([`(?:(?!`, Without, `)`, Base, `)`], Out) }
    ;   { Out = Base }
    ),
    "]".

bracketed(Items, Negation, Out) :-
    items_codes(Items, Codes, []),
    append([`[`, Negation, Codes, `]`], Out).

items([]) -->
    end_of_items,
    !.
items(Items) -->
    item(later, Items, Rest),
    items(Rest).

end_of_items, [0']] --> "]".
end_of_items, [0'-, 0'[] --> "-[".

%   A hyphen stands for itself at the start and at the end only.

item(_, Items, Rest) -->
    "\\",
    escaped_items(Escaped),
    !,
    { append(Escaped, Rest, Items) }.
item(Place, [Least-Greatest|Rest], Rest) -->
    bound(Place, Least),
    (   "-",
        bound(end, Greatest0)
    ->  { Greatest = Greatest0,
          Least =< Greatest
        }
    ;   { Greatest = Least }
    ).

bound(_, Code) -->
    "\\",
    !,
    escaped_character(Code).
bound(Place, 0'-) -->
    "-",
    !,
    hyphen(Place).
bound(_, Code) -->
    [Code],
    { \+ memberchk(Code, `[]\\`) }.

hyphen(first) -->
    [].
hyphen(later), [0']] -->
    "]".
