"""Proofs as text: a tree with the answer on top and what was said at the leaves."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Apply, Constant, Exists, Expression, Variable
from etalis_py.compiler.explain.readable import Node, Readable, draw_tree
from etalis_py.compiler.plan.plan import ExtendPlan, FilterPlan, GroupPlan, ProjectPlan, RepeatPlan
from etalis_py.core.times import format_duration, format_time
from etalis_py.core.vocabulary import RDF_TYPE
from etalis_py.why.tree import Kind, Proof, Triple, Why

__all__ = [
    "FOUND",
    "MOST_MEMBERS",
    "Unfolding",
    "bindings_text",
    "headline",
    "inference_lines",
    "legible",
    "operator_line",
    "place_text",
    "shown_parts",
    "triple_text",
    "when_text",
    "why_text",
]

FOUND = "EXISTS found"
MOST_DERIVATIONS = 6
"""So many events that queries made are unfolded one within the other."""
MOST_MEMBERS = 12
"""Of a group with more members, or a run with more iterations, the first and the last are shown."""


def why_text(why: Why) -> str:
    """The tree, without an end of line after it."""
    return draw_tree(
        Node(headline(why), *_Tree(why.readable, Unfolding()).nodes(why.proof, why.proof.interval))
    )


def headline(why: Why) -> str:
    """What was answered, when."""
    found = why.proof.bindings
    match = why.match
    if match is None:
        return f"made by {why.query}"
    if match.encoded_triples is not None:
        shown = " . ".join(triple_text(each, why.readable) for each in match.encoded_triples)
    elif match.boolean is not None:
        shown = "true"
    else:
        pairs = [(name, found[name]) for name in match.variables if name in found]
        shown = ", ".join(f"?{name} = {why.readable.term(term)}" for name, term in pairs) or "no bindings"
    return f"{why.query} {when_text(match.interval)}: {shown}"


def when_text(interval: tuple[int, int] | None) -> str:
    """An interval in words; nothing for what always holds.

    >>> when_text((0, 0)), when_text((0, 1_000_000))
    ('at 1970-01-01T00:00:00Z', 'from 1970-01-01T00:00:00Z to 1970-01-01T00:00:01Z')
    """
    if interval is None:
        return ""
    start, end = map(format_time, interval)
    return f"at {start}" if start == end else f"from {start} to {end}"


def triple_text(triple: Triple, readable: Readable) -> str:
    """A triple; ``a`` for rdf:type."""
    subject, predicate, target = map(readable.term, triple)
    return f"{subject} {'a' if triple[1] == RDF_TYPE else predicate} {target}"


def bindings_text(proof: Proof, readable: Readable) -> str:
    """The bindings that a query can name."""
    named = ((name, term) for name, term in proof.bindings.items() if not name.startswith("_:"))
    return ", ".join(f"?{name} = {readable.term(term)}" for name, term in named)


def shown_parts(proof: Proof) -> Iterator[Proof | str]:
    """The parts of a node that are shown, and in words how many are left out before the last."""
    node, parts = proof.node, proof.parts
    left_out = len(parts) - MOST_MEMBERS
    if not isinstance(node, GroupPlan | RepeatPlan) or left_out <= 0:
        yield from parts
        return
    last = 2 if isinstance(node, RepeatPlan) and node.then is not None else 1
    yield from parts[: MOST_MEMBERS - last]
    yield f"... {left_out} more"
    yield from parts[-last:]


class Unfolding:
    """Which derivations a picture has unfolded: each once, and one within the other only so deep."""

    def __init__(self) -> None:
        self._seen: set[int | None] = set()

    def line(self, why: Why, depth: int) -> tuple[str, bool]:
        """What is said of a derivation within ``depth`` others, and whether it is to be unfolded now."""
        if why.number in self._seen:
            return f"{headline(why)}, as shown above", False
        if depth >= MOST_DERIVATIONS:
            return f"{headline(why)}, which is not expanded here", False
        self._seen.add(why.number)
        return headline(why), True


class _Tree:
    """The lines of one query, ``depth`` derivations below the answer."""

    def __init__(self, readable: Readable, unfolding: Unfolding, depth: int = 0) -> None:
        self._readable = readable
        self._unfolding = unfolding
        self._depth = depth

    def nodes(self, proof: Proof, above: tuple[int, int] | None) -> list[Node]:
        """A node, or those below a projection, which says nothing. ``above`` is the interval shown above."""
        if isinstance(proof.node, ProjectPlan):
            return [node for part in proof.parts for node in self.nodes(part, above)]
        line = f"{_what(proof, self._readable, above)} (line {proof.line})"
        below = [*self._reasons(proof)]
        for part in shown_parts(proof):
            below += [Node(part)] if isinstance(part, str) else self.nodes(part, proof.interval)
        below += [Node(FOUND, *self.nodes(each, None)) for each in proof.witnesses]
        below += [Node(each) for each in proof.absent]
        return [Node(line, *below)]

    def _reasons(self, proof: Proof) -> Iterator[Node]:
        """Why a triple is there, if nobody said it as it is."""
        origin = [] if proof.derivation is None else [self._derivation(proof.derivation)]
        if not proof.inferences:
            yield from origin
            return
        first, *others = inference_lines(proof, self._readable)
        yield Node(first, *origin)
        for each in others:
            yield Node(each)

    def _derivation(self, why: Why) -> Node:
        line, is_unfolded = self._unfolding.line(why, self._depth)
        if not is_unfolded:
            return Node(line)
        tree = _Tree(why.readable, self._unfolding, self._depth + 1)
        return Node(line, *tree.nodes(why.proof, why.proof.interval))


def place_text(proof: Proof, readable: Readable) -> str:
    """The graph of a background triple; of an event the element and the stream that are asked for."""
    graph = "" if proof.graph is None else f"in graph {readable.term(proof.graph)}"
    stream = "" if proof.stream is None else f"in stream {readable.term(proof.stream)}"
    return f"{graph} {stream}".strip()


def _what(proof: Proof, readable: Readable, above: tuple[int, int] | None) -> str:
    when = when_text(proof.interval)
    match proof.kind:
        case Kind.EVENT | Kind.BACKGROUND if proof.triple is not None:
            where = " ".join(filter(None, (when, place_text(proof, readable)))) or "in the background"
            return f"{triple_text(proof.triple, readable)} {where} matches {proof.text}"
        case Kind.BACKGROUND:
            return f"{proof.text}: {readable.iri(proof.graph or '')}"
        case Kind.ROW:
            values = bindings_text(proof, readable)
            return f"{proof.text}: {values}" if values else proof.text
        case _:
            time = "" if proof.interval == above or proof.node is None else when
            return " ".join(filter(None, [operator_line(proof, readable), time]))


def operator_line(proof: Proof, readable: Readable) -> str:
    """What an operator did, with the values that it made."""
    node = proof.node
    if isinstance(node, ExtendPlan):
        value = proof.bindings.get(node.variable.name)
        return f"{proof.text}: {'unbound' if value is None else readable.term(value)}"
    if isinstance(node, FilterPlan):
        values = ", ".join(_values(node.condition, proof, readable))
        return f"{proof.text}, where {values}" if values else proof.text
    if isinstance(node, GroupPlan):
        names = [each.variable.name for each in node.aggregates if each.variable.name in proof.bindings]
        values = ", ".join(readable.term(proof.bindings[name]) for name in names)
        members = f"{len(proof.parts)} member" + ("s" if len(proof.parts) != 1 else "")
        return f"{proof.text}: {values} of {members}" if values else f"{proof.text}: {members}"
    return proof.text


def _values(condition: Expression, proof: Proof, readable: Readable) -> Iterator[str]:
    """What a condition was true of."""
    if _asks(condition, "GETDURATION") and proof.interval is not None:
        start, end = proof.interval
        yield f"getDURATION() is {format_duration(0, end - start)}"
    for each in sorted(_spoken_of(condition), key=lambda variable: variable.name):
        value = proof.bindings.get(each.name)
        yield f"{readable.variable(each)} is {'unbound' if value is None else readable.term(value)}"


def _spoken_of(expression: Expression) -> frozenset[Variable]:
    """The variables of an expression, but those within EXISTS."""
    match expression:
        case Apply(arguments=arguments):
            return frozenset().union(*map(_spoken_of, arguments))
        case Variable():
            return frozenset({expression})
        case Constant() | Exists():
            return frozenset()
        case _:
            assert_never(expression)


def _asks(expression: Expression, function: str) -> bool:
    match expression:
        case Apply(function=own, arguments=arguments):
            return own == function or any(_asks(each, function) for each in arguments)
        case Variable() | Constant() | Exists():
            return False
        case _:
            assert_never(expression)


def inference_lines(proof: Proof, readable: Readable) -> Iterator[str]:
    """What was said, and by which rules the triple follows; nothing if it was said itself."""
    if not proof.inferences or proof.said is None:
        return
    source = "the background says" if proof.kind is Kind.BACKGROUND else "the stream says"
    if proof.derivation is not None:
        source = f"{proof.derivation.query} made"
    if proof.is_vocabulary:
        source = "RDFS says"
    yield f"{source} {triple_text(proof.said, readable)}"
    for each in proof.inferences[1 if proof.is_vocabulary else 0 :]:
        schema, triple = triple_text(each.schema, readable), triple_text(each.triple, readable)
        yield f"{each.rule}: {schema}, so {triple}"


def legible(text: str) -> str:
    r"""Text that cannot steer a terminal: what is invisible, but for ends of lines, is shown as an escape.

    >>> legible("a\x1b[1mb")
    'a\\u001B[1mb'
    """
    if text.replace("\n", "").isprintable():
        return text
    return "".join(each if each == "\n" or each.isprintable() else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
