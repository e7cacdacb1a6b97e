:- module(test_functions_regex, []).
:- use_module(notation).
:- use_module('../../rules/sparql/functions_regex').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

:- dynamic functions/1, regex_limit/1.             % what an engine has

% matches(Text, Pattern, Flags, Truth): `true`, `false`, or `error`.
matches("abracadabra", "bra", "", true).
matches("abracadabra", "^a.*a$", "", true).
matches("abracadabra", "^bra", "", false).
matches("", "", "", true).
matches("abc"@en, "B", "i", true).
matches("\u00c9", "\u00e9", "i", true).
matches("\U0001F600", "^.$", "", true).
matches("a\x0\b", "^a\x0\b$", "", true).
matches("a\x0\b", "^a.b$", "", true).
matches("a\nb", "a.b", "", false).
matches("a\nb", "a.b", "s", true).
matches("a\nb", "^b", "", false).
matches("a\nb", "^b", "m", true).
matches("a\n", "a$", "", false).               % only at the very end
matches("a\n", "a$", "m", true).
matches("helloworld", "hello world", "x", true).
matches("hello world", "hello[ ]world", "x", true).
matches("a.b", "a.b", "q", true).
matches("axb", "a.b", "q", false).
matches("A.B", "a.b", "iq", true).
matches("-", "[a-]", "", true).
matches("-", "[-a]", "", true).
matches("b", "[a-c]", "", true).
matches("b", "[^a-c]", "", false).
matches("e", "[a-z-[aeiou]]", "", false).
matches("f", "[a-z-[aeiou]]", "", true).
matches("f", "[^a-e-[f]]", "", false).
matches("E", "[a-z-[aeiou]]", "i", false).
matches("^", "[a^]", "", true).
matches("]", "[\\]]", "", true).
matches(" ", "^\\s$", "", true).
matches("\u00a0", "\\s", "", false).
matches("x", "^[\\S]$", "", true).
matches("\u0665", "^\\d$", "", true).          % any decimal digit
matches("\u00e9", "^\\w$", "", true).
matches("_", "\\w", "", false).                % punctuation, in XPath
matches("+", "\\w", "", true).
matches("x_y", "^\\i\\c+$", "", true).
matches("1", "^\\i$", "", false).
matches("1", "^[\\I]$", "", true).
matches("!", "^\\C$", "", true).
matches("A", "^\\p{Lu}$", "", true).
matches("a", "^\\P{Lu}$", "", true).
matches("5", "^[\\p{L}\\p{N}]$", "", true).
matches("abab", "^(ab)\\1$", "", true).
matches("aa", "^(a)(b)?\\2a$", "", true).      % a group that matched nothing is empty
matches("aaa1", "(a)\\1\\11", "", true).       % \11 is \1 and 1: there is one group
matches("aaa", "^a{2,3}?$", "", true).
matches("aaaa", "^a{2,3}$", "", false).
matches("a{2}", "a\\{2\\}", "", true).
matches("ab", "^(?:a|b)+$", "", true).
matches("aa", "^*a", "", true).
matches("a/b#c'\"", "a/b#c'\"", "", true).
matches("~`@%&=,;:<>", "~`@%&=,;:<>", "", true).
matches("ab", "a#b", "x", false).              % no comments in XPath
matches("$", "^\\$$", "", true).
matches("a", "a", "z", error).
matches("a", "(", "", error).
matches("a", ")", "", error).
matches("a", "a**", "", error).
matches("a", "a*+", "", error).
matches("a", "*a", "", error).
matches("a", "[b-a]", "", error).
matches("a", "[]", "", error).
matches("a", "[a", "", error).
matches("a", "[a[b]]", "", error).
matches("a", "[\\da}", "", error).
matches("a", "[\\d-a]", "", error).
matches("a", "]", "", error).
matches("a", "a{2", "", error).
matches("a", "a{3,2}", "", error).
matches("a", "(?=a)", "", error).
matches("a", "(?i)a", "", error).
matches("a", "(*UCP)a", "", error).
matches("a", "\\ba", "", error).
matches("a", "\\x61", "", error).
matches("a", "\\Qa\\E", "", error).
matches("a", "\\1", "", error).
matches("aa", "(a\\1)", "", error).
matches("a", "\\p{Xx}", "", error).
matches("a", "^\\p{IsBasicLatin}$", "", true).
matches("\u03B1", "^\\p{IsGreek}$", "", true).
matches("\u03B1", "^\\p{IsGreekandCoptic}$", "", true).
matches("a\u03B1", "^\\P{IsGreek}[\\p{IsGreek}]$", "", true).
matches("a", "[\\p{IsGreek}-]", "", false).
matches("a", "[\\P{IsBasicLatin}]", "", false).
matches("\U0001F600", "^\\p{IsEmoticons}$", "", true).
matches("\U0001F600", "^[\\p{IsEmoticons}-[\U0001F601]]$", "", true).
matches("\uFFFD", "^\\P{IsGothic}$", "", true).
matches("\U0010FFFF", "^\\P{IsBasicLatin}$", "", true).
matches("a", "\\p{IsNowhere}", "", error).
matches("a", "\\p{Is}", "", error).
matches("a", "a\\", "", error).
matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "^(a+)+$", "", error).    % too many steps
matches("5":integer, "5", "", error).
matches('urn:a', "a", "", error).
matches(unbound, "a", "", error).
matches("a", unbound, "", error).
matches("a", "a"@en, "", error).
matches("a", "a", unbound, error).

truth_short(true, "true":boolean).
truth_short(false, "false":boolean).
truth_short(error, error).

% replaces(Text, Pattern, Replacement, Flags, Result): the examples of fn:replace first.
replaces("abracadabra", "bra", "*", "",            "a*cada*").
replaces("abracadabra", "a.*a", "*", "",           "*").
replaces("abracadabra", "a.*?a", "*", "",          "*c*bra").
replaces("abracadabra", "a", "", "",               "brcdbr").
replaces("abracadabra", "a(.)", "a$1$1", "",       "abbraccaddabbra").
replaces("abracadabra", ".*?", "$1", "",           error).
replaces("AAAA", "A+", "b", "",                    "b").
replaces("AAAA", "A+?", "b", "",                   "bbbb").
replaces("darted", "^(.*?)d(.*)$", "$1c$2", "",    "carted").
replaces("abcd"@en, "B", "x", "i",                 "axcd"@en).
replaces("abc", "(x)?b", "[$1]", "",               "a[]c").
replaces("abc", "(b)", "$12", "",                  "ab2c").
replaces("abc", "b", "$1", "",                     "ac").
replaces("abc", "b", "<$0>", "",                   "a<b>c").
replaces("abc", "b", "\\$\\\\", "",                "a$\\c").
replaces("abc", "b", "$", "",                      error).
replaces("abc", "b", "\\n", "",                    error).
replaces("a.c", ".", "$\\", "q",                   "a$\\c").
replaces("\u00e9x\U0001F600x\x0\", "x", "yy", "",  "\u00e9yy\U0001F600yy\x0\").
replaces("xyz", "q", "-", "",                      "xyz").
replaces("", "q", "-", "",                         "").
replaces("abc", "^", "-", "m",                     error).
replaces("abc", "b", "x"@en, "",                   error).
replaces("abc", unbound, "x", "",                  error).
replaces("5":integer, "5", "x", "",                error).

:- begin_tests(functions_regex).

test(regex, [forall(matches(Text, Pattern, Flags, Truth)), Value == Expected]) :-
    truth_short(Truth, Expected),
    gives(f_regex, [Text, Pattern, Flags], Value).
test(regex_again, [forall(matches(Text, Pattern, Flags, Truth)), Value == Expected]) :-
    truth_short(Truth, Expected),
    gives(f_regex, [Text, Pattern, Flags], Value).
test(replace, [forall(replaces(Text, Pattern, Replacement, Flags, Expected)), Value == Expected]) :-
    gives(f_replace, [Text, Pattern, Replacement, Flags], Value).
test(no_flags, Value == "true":boolean) :-
    gives(f_regex, ["abc", "b"], Value).
test(no_flags, Value == "axc") :-
    gives(f_replace, ["abc", "b", "x"], Value).
test(many_patterns, true(Kept =< 64)) :-
    forall(between(1, 200, N),
           ( format(string(Pattern), "^~d$", [N]),
             format(string(Text), "~d", [N]),
             gives(f_regex, [Text, Pattern], "true":boolean)
           )),
    nb_getval(etalis_regexes, Kept-_).
test(long_text, Value == "true":boolean) :-
    length(Codes, 300000),
    maplist(=(0'a), Codes),
    string_codes(Text, Codes),
    gives(f_regex, [Text, "^(a|b)c|[^b]$"], Value).

test(fewer_steps, [setup(assertz(regex_limit(1000))), cleanup(retractall(regex_limit(_))), Value == error]) :-
    gives(f_regex, ["aaaaaaaaaaaaaab", "^(a+)+$"], Value).
test(more_steps, Value == "false":boolean) :-
    gives(f_regex, ["aaaaaaaaaaaaaab", "^(a+)+$"], Value).
test(many_groups_take_no_more_memory_than_there_may_be, Value == "true":boolean) :-
    length(Groups, 3000),
    maplist(=("(a)"), Groups),
    atomics_to_string(Groups, Pattern),
    length(Letters, 3000),
    maplist(=("a"), Letters),
    atomics_to_string(Letters, Text),
    gives(f_regex, [Text, Pattern], Value).

test(long_patterns_take_linear_time, forall(member(Unit, ["a", "a|", "(b)"]))) :-
    translation_cost(Unit, 2000, Short),
    translation_cost(Unit, 16000, Long),
    assertion(Long < 12 * Short).

translation_cost(Unit, Count, Inferences) :-
    length(Units, Count),
    maplist(=(Unit), Units),
    atomics_to_string(Units, Pattern),
    statistics(inferences, Before),
    etalis_regex_syntax:pcre_pattern(Pattern, [], _, _),
    statistics(inferences, After),
    Inferences is After - Before.

:- end_tests(functions_regex).
