:- module(etalis_functions_regex,
          [ f_regex/3,                  % +Text, +Pattern, -Boolean
            f_regex/4,                  % +Text, +Pattern, +Flags, -Boolean
            f_replace/4,                % +Text, +Pattern, +Replacement, -Result
            f_replace/5                 % +Text, +Pattern, +Replacement, +Flags, -Result
          ]).
:- use_module(ascii, [digit//1]).
:- use_module(datatypes, [op(_, _, ^^)]).
:- use_module(regex_syntax, [pcre_pattern/4]).
:- use_module('../engine/user_functions', [count_overrun/2]).
:- use_module(string_arguments, [simple_literal/2, string_literal/3, string_term/3, truth_term/2]).
:- use_module(library(apply), [maplist/2]).
:- use_module(library(assoc), [empty_assoc/1, get_assoc/3, put_assoc/4]).
:- use_module(library(lists), [append/3, memberchk/2, reverse/2]).
:- use_module(library(macros)).
:- use_module(library(pcre), [re_compile/3, re_foldl/6, re_match/2]).

#import(datatypes).

:- module_transparent f_regex/3, f_regex/4, f_replace/4, f_replace/5.

/** <module> REGEX and REPLACE

SPARQL 1.1 sections 17.4.3.14 and 15, XPath 2.0 functions section 7.6: fn:matches and fn:replace, with the
flags `s`, `m`, `i`, `x` and the `q` of XPath 3.0. A pattern or a flag that is none is an error, and so is a
match that takes PCRE more steps than the engine allows (M:regex_limit/1, a million where it says nothing): those
are counted by pattern, and the user is told.

Each thread keeps the last patterns it used compiled, up to 64.

regex_syntax.pl translates the patterns. Python's package elementpath (5.1.4) does so, too, but agrees with
tests/rules/functions_regex.plt in 108 of the 115 cases that it can be asked (`\s`, `\w`, groups that match nothing, `$1`
of no group and the flag `x` differ), and hands the pattern to Python's `re`, which has no limit of steps: a bad
pattern would hang the engine. So it is not used.

The predicates are transparent: the module that calls is the engine.
*/

%   What PCRE2 keeps of one step at most, in bytes: for itself, and for each group; and how much all steps may keep. At
%   20.48 GB it gives up, and library(pcre) ends the process then.

step_bytes(256, 16, 4 000 000 000).

%!  f_regex(+Text, +Pattern, -Boolean) is semidet.

f_regex(Text, Pattern, Boolean) :-
    f_regex(Text, Pattern, ""^^ #xsd(string), Boolean).

%!  f_regex(+Text, +Pattern, +Flags, -Boolean) is semidet.
%
%   Whether some part of Text matches.

f_regex(Text, Pattern, Flags, Boolean) :-
    context_module(M),
    string_literal(Text, String, _),
    regex(M, Pattern, Flags, Regex, _),
    matches(Regex, String, M, Pattern, Truth),
    truth_term(Truth, Boolean).

matches(Regex, String, M, Pattern, Truth) :-
    within_limit(( re_match(Regex, String) -> Truth = true ; Truth = false ), M, Pattern).

%   within_limit(:Goal, +Engine, +Pattern) is semidet.
%
%   Goal, which matches; fails if that takes too many steps. Other errors (memory, a limit of the engine's) are none of
%   the expression.

:- meta_predicate within_limit(0, +, +).

within_limit(Goal, M, Pattern) :-
    catch(Goal, error(resource_error(match_limit), _), overrun(M, Pattern)).

overrun(M, Pattern) :-
    simple_literal(Pattern, Text),
    count_overrun(M, Text),
    fail.

%!  f_replace(+Text, +Pattern, +Replacement, -Result) is semidet.

f_replace(Text, Pattern, Replacement, Result) :-
    f_replace(Text, Pattern, Replacement, ""^^ #xsd(string), Result).

%!  f_replace(+Text, +Pattern, +Replacement, +Flags, -Result) is semidet.
%
%   Text with every match replaced; `$1` stands for a group, `\$` and `\\` for `$` and `\`. A pattern that
%   matches nothing at all is an error.

f_replace(Text, Pattern, Replacement, Flags, Result) :-
    context_module(M),
    string_literal(Text, String, Kind),
    regex(M, Pattern, Flags, Regex, Groups),
    simple_literal(Replacement, Replacing),
    replacement_parts(Replacing, Flags, Groups, Parts),
    matches(Regex, "", M, Pattern, false),
    replaced(Regex, String, Parts, M, Pattern, End-Pieces),
    sub_string(String, End, _, 0, Last),
    reverse([Last|Pieces], InOrder),
    atomics_to_string(InOrder, Value),
    string_term(Value, Kind, Result).

replaced(Regex, String, Parts, M, Pattern, End) :-
    within_limit(re_foldl(replace_match(String, Parts), Regex, String, 0-[], End, []), M, Pattern).

%   One match: Match is a dict of Start-Length by group. Pieces come last first.

replace_match(String, Parts, Match, End0-Pieces0, End-Pieces) :-
    get_dict(0, Match, Start-Length),
    Skipped is Start - End0,
    sub_string(String, End0, Skipped, _, Before),
    fill(Parts, String, Match, [Before|Pieces0], Pieces),
    End is Start + Length.

fill([], _, _, Pieces0, Pieces) =>
    Pieces = Pieces0.
fill([group(Group)|Parts], String, Match, Pieces0, Pieces) =>
    (   get_dict(Group, Match, Start-Length),
        Length > 0
    ->  sub_string(String, Start, Length, _, Piece),
        fill(Parts, String, Match, [Piece|Pieces0], Pieces)
    ;   fill(Parts, String, Match, Pieces0, Pieces)
    ).
fill([Text|Parts], String, Match, Pieces0, Pieces) =>
    fill(Parts, String, Match, [Text|Pieces0], Pieces).

                /*******************************
                *         REPLACEMENTS         *
                *******************************/

%   replacement_parts(+Text, +Flags, +Groups, -Parts) is semidet.
%
%   Parts are strings and group(Number). Fails for a `$` or `\` that means nothing.

replacement_parts(Text, Flags, Groups, Parts) :-
    (   simple_literal(Flags, Letters),
        sub_string(Letters, _, _, _, "q")
    ->  Parts = [Text]
    ;   string_codes(Text, Codes),
        phrase(parts(Groups, Parts), Codes)
    ).

parts(Groups, [group(Group)|Parts]) -->
    "$",
    !,
    digit(Digit),
    { number_codes(First, [Digit]) },
    group_number(First, Groups, Group),
    parts(Groups, Parts).
parts(Groups, [Text|Parts]) -->
    character(Code),
    !,
    characters(Codes),
    { string_codes(Text, [Code|Codes]) },
    parts(Groups, Parts).
parts(_, []) -->
    [].

character(Code) -->
    "\\",
    !,
    [Code],
    { memberchk(Code, `\\$`) }.
character(Code) -->
    [Code],
    { Code \== 0'$ }.

characters([Code|Codes]) -->
    character(Code),
    !,
    characters(Codes).
characters([]) -->
    [].

%   As many digits as give the number of a group.

group_number(Number, Groups, Group) -->
    digit(Digit),
    { Longer is Number*10 + Digit - 0'0,
      Longer =< Groups
    },
    !,
    group_number(Longer, Groups, Group).
group_number(Group, _, Group) -->
    [].

                /*******************************
                *       COMPILED PATTERNS      *
                *******************************/

%   regex(+Engine, +Pattern, +Flags, -Regex, -Groups) is semidet.
%
%   The compiled pattern and its number of groups. Fails for what is not a pattern.

regex(M, Pattern, Flags, Regex, Groups) :-
    simple_literal(Pattern, PatternText),
    simple_literal(Flags, FlagText),
    (   M:regex_limit(Limit)
    ->  true
    ;   Limit = 1 000 000
    ),
    Key = key(PatternText,FlagText,Limit),
    known_regexes(Size, Known),
    (   get_assoc(Key, Known, Compiled)
    ->  true
    ;   compiled(PatternText, FlagText, Limit, Compiled),
        remember(Size, Known, Key, Compiled)
    ),
    Compiled = regex(Regex, Groups).

compiled(Pattern, FlagText, Limit, Compiled) :-
    (   string_codes(FlagText, Flags),
        maplist(flag, Flags),
        pcre_pattern(Pattern, Flags, PcrePattern, Groups),
        step_bytes(Step, Group, Most),
        Steps is min(Limit, Most // (Step + Group * Groups)),
        format(string(Limited), "(*LIMIT_MATCH=~d)~s", [Steps, PcrePattern]),
        options(Flags, Options),
        catch(re_compile(Limited, Regex, Options), error(_, _), fail)
    ->  Compiled = regex(Regex, Groups)
    ;   Compiled = none
    ).

flag(Flag) :-
    memberchk(Flag, `smixq`).

options(Flags, [ capture_type(range), dollar_endonly(true), match_unset_backref(true), newline(lf),
                 caseless(Caseless), dotall(DotAll), multiline(Multiline)
               ]) :-
    is_set(0'i, Flags, Caseless),
    is_set(0's, Flags, DotAll),
    is_set(0'm, Flags, Multiline).

is_set(Flag, Flags, Set) :-
    (   memberchk(Flag, Flags)
    ->  Set = true
    ;   Set = false
    ).

known_regexes(Size, Known) :-
    (   nb_current(etalis_regexes, Size-Known)
    ->  true
    ;   Size = 0,
        empty_assoc(Known)
    ).

remember(Size, Known, Key, Compiled) :-
    (   Size < 64
    ->  Next is Size + 1,
        Base = Known
    ;   Next = 1,
        empty_assoc(Base)
    ),
    put_assoc(Key, Base, Compiled, Updated),
    nb_setval(etalis_regexes, Next-Updated).
