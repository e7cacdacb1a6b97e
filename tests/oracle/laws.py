"""Laws of steps: what must hold between queries whatever the stream is. Of the oracle, and of the engine.

A and B have a subject in common. B's step conditions speak of A's variables, or there are none ("free").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tests.oracle.chooser import Chooser
from tests.oracle.solutions import Answer
from tests.oracle.vocabulary import PROLOGUE, SECOND

__all__ = ["LAWS", "PATTERNS", "Found", "Law"]

Found: TypeAlias = "list[Answer]"
Bag: TypeAlias = "Counter[tuple[object, ...]]"

PATTERNS = (("?x", "urn:p", "?y"), ("?x", "urn:q", "?n"), ("?x", "urn:q", "?n"), ("?x", "urn:r", "?z"))
"""What streams are made of."""

A, C = "{ ?x :p ?y }", "{ ?x :r ?z }"
_FREE = ("{ ?x :q ?n }", "{ ?x :q ?n FILTER (?n != 1) }", "{ ?x :q ?n . ?x :q ?m }")
_STEPS = ("{ ?x :q ?n FILTER (?n >= ?y) }", "{ ?x :q ?n FILTER (?n != ?y && ?n > 1) }")
_SELECTIONS = (" NEXT", " STRICT", " STRICT PER ?x", " STRICT AMONG { ?x :r ?k }")
_MODES = (
    ("", "ANY"),
    (" NEXT", "NEXT"),
    (" STRICT", "STRICT"),
    (" STRICT PER ?x", "STRICT PER ?x"),
    (" STRICT AMONG { ?x :r ?k }", "STRICT AMONG { ?x :r ?k }"),
)
_LENGTHS = (1, 2, 3)


@dataclass(frozen=True)
class Law:
    """Queries, and what holds between their answers; of points only, of no ties only, or of all streams."""

    queries: tuple[str, ...]
    holds: Callable[[Sequence[Found]], bool]
    lasting: bool = True
    tied: bool = True


def _query(body: str) -> str:
    return f"{PROLOGUE}SELECT * WHERE {{ {body} }}"


def _law(*bodies: str, holds: Callable[..., bool], lasting: bool = True, tied: bool = True) -> Law:
    return Law(tuple(map(_query, bodies)), lambda found: holds(*found), lasting, tied)


def _bag(found: Found, names: Collection[str] | None = None) -> Bag:
    """The answers by their variables and times."""
    return Counter((_only(bindings, names), start, end) for bindings, start, end in found)


def _only(bindings: frozenset[object], names: Collection[str] | None) -> frozenset[object]:
    return frozenset(each for each in bindings if names is None or each[0] in names)  # type: ignore[index]


def _value(bindings: frozenset[object], name: str) -> int:
    return next(each[1][0] for each in bindings if each[0] == name)  # type: ignore[index,no-any-return]


def _equal(one: Found, other: Found) -> bool:
    return _bag(one) == _bag(other)


def _within(one: Found, other: Found) -> bool:
    return _bag(one) <= _bag(other)


def _renamed(group: str) -> str:
    return group.replace("?n", "?n2").replace("?m", "?m2")


def _any_group(choice: Chooser) -> str:
    return choice.choose((*_FREE, *_STEPS))


# ---- REPEAT is unrolling -------------------------------------------------------------------------------


def _unrolled(choice: Chooser) -> Law:
    """{A} SEQ {B} SEQ {B'} = {A} SEQ REPEAT 2 ANY {B}, projected to shared variables"""
    selection, mode = choice.choose(_MODES)
    group = _any_group(choice)
    chain = f"{A} SEQ{selection} {group} SEQ{selection} {_renamed(group)}"
    shared = {"x", "y"}
    return _law(
        chain,
        f"{A} SEQ{selection} REPEAT 2 {mode} {group}",
        holds=lambda one, other: _bag(one, shared) == _bag(other, shared),
    )


def _unrolled_with_measures(choice: Chooser) -> Law:
    """The same with PREV, FIRST and LAST: they are the variables of the unrolled chain."""
    selection, mode = choice.choose(_MODES)
    order = choice.choose((">", ">=", "!="))
    one = f"{{ ?x :q ?n FILTER (?n {order} 0) }}"
    other = f"{{ ?x :q ?n2 FILTER (?n2 {order} ?n) }}"
    repeated = f"{{ ?x :q ?v FILTER (?v {order} PREV(?v, 0)) }} MEASURES (FIRST(?v) AS ?n, LAST(?v) AS ?n2)"
    return _law(
        f"{A} SEQ{selection} {one} SEQ{selection} {other}",
        f"{A} SEQ{selection} REPEAT 2 {mode} {repeated}",
        holds=_equal,
    )


def _once(choice: Chooser) -> Law:
    """REPEAT 1, whose group shares all that it has, is the group"""
    mode = choice.choose(("ALL", "NEXT", "STRICT", "ANY"))
    return (
        _law(f"{{ ?x :q ?n }} SEQ {C}", f"REPEAT 1 {mode} PER ?x ?n {{ ?x :q ?n }} SEQ {C}", holds=_equal)
        if mode != "ALL"
        else _law("{ ?x :q ?n }", "REPEAT 1 ALL PER ?x ?n { ?x :q ?n }", holds=_equal)
    )


def _all_is_the_longest_of_next(choice: Chooser) -> Law:
    """ALL before C = the longest prefix of NEXT before C, where nothing is tied"""
    group = choice.choose(("{ ?x :q ?n }", *_STEPS, "{ ?x :q ?n FILTER (?n >= PREV(?n, 0)) }"))
    measured = "MEASURES (COUNT(*) AS ?count)"
    lead = choice.choose(("", " NEXT"))

    def holds(one: Found, other: Found) -> bool:
        longest: dict[tuple[object, ...], int] = {}
        for bindings, start, end in other:
            key = (_only(bindings, {"x", "y", "z"}), start, end)
            longest[key] = max(longest.get(key, 0), _value(bindings, "count"))
        keys = {
            (_only(bindings, {"x", "y", "z"}), start, end): _value(bindings, "count")
            for bindings, start, end in one
        }
        return keys == longest

    return _law(
        f"{A} SEQ REPEAT {group} {measured} SEQ {C}",
        f"{A} SEQ{lead} REPEAT NEXT {group} {measured} SEQ {C}",
        holds=holds,
        lasting=False,
        tied=False,
    )


def _all_is_some(choice: Chooser) -> Law:
    """REPEAT ALL without measures, followed by C, m = 1 = {A} SEQ {C} with one between"""
    group = choice.choose(_FREE)
    names = {"x", "y", "z"}
    return _law(
        f"{A} SEQ REPEAT {group} SEQ {C}",
        f"{A} SEQ {group} SEQ {C}",
        holds=lambda one, other: set(_bag(one, names)) == set(_bag(other, names)),
    )


def _longest_is_strict(choice: Chooser) -> Law:
    """LONGEST keeps some of the runs of STRICT"""
    group = choice.choose(("{ ?x :q ?n }", "{ ?x :q ?n FILTER (?n >= PREV(?n, 0)) }"))
    times, measured = (
        choice.choose(("", "2 TO *", "1 TO 2")),
        "MEASURES (COUNT(*) AS ?count, FIRST(?n) AS ?f)",
    )
    scope = choice.choose(("PER ?x", "AMONG { ?x :r ?k } PER ?x"))
    longest, strict = (
        f"{lead}REPEAT {times} {mode} {scope} {group} {measured} SEQ {C}"
        for lead in [choice.choose(("", f"{A} SEQ ", f"{A} SEQ NEXT "))]
        for mode in ("STRICT LONGEST", "STRICT")
    )
    return _law(longest, strict, holds=_within)


# ---- NEXT, STRICT, NOT ---------------------------------------------------------------------------------


def _selected_of_all(choice: Chooser) -> Law:
    """{A} SEQ NEXT {B} ⊆ {A} SEQ {B};  {A} SEQ STRICT {B} ⊆ {A} SEQ {B}"""
    selection, group = choice.choose(_SELECTIONS), _any_group(choice)
    return _law(f"{A} SEQ{selection} {group}", f"{A} SEQ {group}", holds=_within)


def _inside_or_outside(choice: Chooser) -> Law:
    """Of plain SEQ a condition may stand in the group or outside of it"""
    group = choice.choose(_STEPS)
    inside, _, condition = group.removesuffix(" }").partition(" FILTER ")
    return _law(f"{A} SEQ {group}", f"{A} SEQ {inside} }} FILTER {condition}", holds=_equal)


def _strict_among_itself(choice: Chooser) -> Law:
    """STRICT AMONG {B without filters} ⊆ NEXT if F ≡ true, of points"""
    return _law(
        f"{A} SEQ STRICT AMONG {{ ?x :q ?k }} {{ ?x :q ?n }}",
        f"{A} SEQ NEXT {{ ?x :q ?n }}",
        holds=_within,
        lasting=False,
    )


def _next_is_not_between(choice: Chooser) -> Law:
    """{A} SEQ NEXT {B} = {A} SEQ NOT {B} SEQ {B}  if F ≡ true, of points"""
    group = choice.choose(_FREE[:2])
    return _law(
        f"{A} SEQ NEXT {group}", f"{A} SEQ NOT {_renamed(group)} SEQ {group}", holds=_equal, lasting=False
    )


def _strict_is_not_between(choice: Chooser) -> Law:
    """{A} SEQ STRICT AMONG {S} {B} = {A} SEQ NOT {S} SEQ {B}, where S does not speak of A and B"""
    none, group = choice.choose(("{ ?x :r ?k }", "{ ?x :q ?k FILTER (?k > 1) }")), _any_group(choice)
    return _law(f"{A} SEQ STRICT AMONG {none} {group}", f"{A} SEQ NOT {none} SEQ {group}", holds=_equal)


def _strict_per_is_among_all(choice: Chooser) -> Law:
    """STRICT PER ?x = STRICT AMONG { ?x ?p ?o }"""
    group = _any_group(choice)
    return _law(
        f"{A} SEQ STRICT PER ?x {group}", f"{A} SEQ STRICT AMONG {{ ?x ?s1 ?s2 }} {group}", holds=_equal
    )


def _not_is_an_option_unbound(choice: Chooser) -> Law:
    """{A} SEQ NOT {N} SEQ {C} = EQUALSOPTIONAL with !BOUND, of points"""
    none = choice.choose(_FREE[:2])
    return _law(
        f"{A} SEQ NOT {none} SEQ {C}",
        f"{{ {A} SEQ {C} }} EQUALSOPTIONAL {{ {A} SEQ {none} SEQ {C} }} FILTER (!BOUND(?n))",
        holds=_equal,
        lasting=False,
    )


def _within_is_a_filter(choice: Chooser) -> Law:
    """WITHIN d = FILTER (getDURATION() <= d); it commutes with NEXT"""
    length, group = choice.choose(_LENGTHS), _any_group(choice)
    chain = f"{A} SEQ{choice.choose(('', ' NEXT'))} {group}"
    return _law(
        f"{chain} WITHIN PT{length}S",
        f"{{ {chain} }} FILTER (getDURATION() <= 'PT{length}S'^^xsd:duration)",
        holds=_equal,
    )


# ---- Deadlines -----------------------------------------------------------------------------------------


def _one_of_both(choice: Chooser) -> Law:
    """For every point a exactly one of {A} SEQ NEXT {N} with e(n) - e(a) ≤ d and {A} SEQ NOT {N} FOR d"""
    length, group = choice.choose(_LENGTHS), _any_group(choice)

    def holds(happened: Found, absent: Found, all_of_a: Found) -> bool:
        begun = {(_only(bindings, {"x", "y"}), start) for bindings, start, _ in happened}
        alone = [(_only(bindings, {"x", "y"}), start) for bindings, start, _ in absent]
        every = [(bindings, start) for bindings, start, _ in all_of_a]
        timely = all(end - start == length * SECOND for _, start, end in absent)
        return timely and Counter(every) == Counter(begun) + Counter(alone)

    point = "{ ?x :p ?y FILTER (getDURATION() = 'PT0S'^^xsd:duration) }"
    return _law(
        f"{point} SEQ NEXT {group} WITHIN PT{length}S",
        f"{point} SEQ NOT {group} FOR PT{length}S",
        point,
        holds=holds,
    )


def _after_is_absence_of_nothing(choice: Chooser) -> Law:
    """{A} SEQ AFTER d = {A} SEQ NOT {} FOR d with nothing to match"""
    length = choice.choose(_LENGTHS)
    return _law(f"{A} SEQ AFTER PT{length}S", f"{A} SEQ NOT {{ ?x :never ?n }} FOR PT{length}S", holds=_equal)


def _from_start_of_points(choice: Chooser) -> Law:
    """FROM START makes no difference where A is a point"""
    length, group = choice.choose(_LENGTHS), _any_group(choice)
    absence = f"{A} SEQ NOT {group} FOR PT{length}S"
    return _law(absence, f"{absence} FROM START", holds=_equal, lasting=False)


def _not_before(choice: Chooser) -> Law:
    """NOT {N} SEQ {A} = {A} but not where {N} SEQ {A}, of points"""
    group = choice.choose(_FREE[:2])

    def holds(first: Found, later: Found, all_of_a: Found) -> bool:
        names = {"x", "y"}
        after = {(_only(bindings, names), end) for bindings, _, end in later}
        return _bag(first) == _bag([each for each in all_of_a if (each[0], each[2]) not in after])

    return _law(f"NOT {group} SEQ {A}", f"{group} SEQ {A}", A, holds=holds, lasting=False)


LAWS: tuple[Callable[[Chooser], Law], ...] = (
    _unrolled,
    _unrolled_with_measures,
    _once,
    _all_is_the_longest_of_next,
    _all_is_some,
    _longest_is_strict,
    _selected_of_all,
    _inside_or_outside,
    _strict_among_itself,
    _next_is_not_between,
    _strict_is_not_between,
    _strict_per_is_among_all,
    _not_is_an_option_unbound,
    _within_is_a_filter,
    _one_of_both,
    _after_is_absence_of_nothing,
    _from_start_of_points,
    _not_before,
)
"""Each makes one case of a law."""
