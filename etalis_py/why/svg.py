"""Proofs as pictures: an outline of what an answer is made of, beside the times at which it happened."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.explain.readable import Readable
from etalis_py.compiler.plan.plan import ProjectPlan
from etalis_py.why.drawing import Box, Look, outline_svg
from etalis_py.why.text import (
    FOUND,
    Unfolding,
    bindings_text,
    headline,
    inference_lines,
    operator_line,
    place_text,
    shown_parts,
    triple_text,
    when_text,
)
from etalis_py.why.tree import Kind, Proof, Why

__all__ = ["why_svg"]


def why_svg(why: Why) -> str:
    """The tree as an SVG file."""
    return outline_svg(headline(why), list(_Boxes(why.readable, Unfolding()).boxes(why.proof, 0)))


class _Boxes:
    """The boxes of one query, ``derivations`` of others around it."""

    def __init__(self, readable: Readable, unfolding: Unfolding, derivations: int = 0) -> None:
        self._readable = readable
        self._unfolding = unfolding
        self._derivations = derivations

    def boxes(self, proof: Proof, depth: int) -> Iterator[Box]:
        """A node and what is below it."""
        if isinstance(proof.node, ProjectPlan):
            for part in proof.parts:
                yield from self.boxes(part, depth)
            return
        yield _box(proof, self._readable, depth)
        if proof.derivation is not None:
            yield from self._derivation(proof.derivation, depth + 1)
        for shown in shown_parts(proof):
            if isinstance(shown, str):
                yield Box(depth + 1, shown, Look.REASON)
            else:
                yield from self.boxes(shown, depth + 1)
        for each in proof.witnesses:
            yield Box(depth + 1, FOUND, Look.REASON, interval=each.interval)
            yield from self.boxes(each, depth + 2)
        for text in proof.absent:
            yield Box(depth + 1, text, Look.ABSENT)

    def _derivation(self, why: Why, depth: int) -> Iterator[Box]:
        line, is_unfolded = self._unfolding.line(why, self._derivations)
        yield Box(depth, line, Look.DERIVED, interval=why.proof.interval)
        if is_unfolded:
            within = _Boxes(why.readable, self._unfolding, self._derivations + 1)
            yield from within.boxes(why.proof, depth + 1)


def _box(proof: Proof, readable: Readable, depth: int) -> Box:
    line = f"line {proof.line}"
    match proof.kind:
        case Kind.EVENT | Kind.BACKGROUND if proof.triple is not None:
            look = Look.BACKGROUND if proof.kind is Kind.BACKGROUND else Look.EVENT
            if proof.derivation is not None:
                look = Look.DERIVED
            place = place_text(proof, readable)
            where = " ".join(filter(None, (when_text(proof.interval), place))) or "background"
            notes = (f"{where}, matches {proof.text}, {line}", *inference_lines(proof, readable))
            return Box(depth, triple_text(proof.triple, readable), look, notes, proof.interval)
        case Kind.BACKGROUND:
            return Box(depth, f"{proof.text}: {proof.graph}", Look.BACKGROUND, (line,))
        case Kind.ROW:
            return Box(depth, f"{proof.text} {bindings_text(proof, readable)}", Look.BACKGROUND, (line,))
        case _:
            return Box(depth, operator_line(proof, readable), Look.OPERATOR, (line,), proof.interval)
