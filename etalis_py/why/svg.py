"""Proofs as pictures: an outline of what an answer is made of, beside the times at which it happened."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.plan import ProjectPlan
from etalis_py.compiler.readable import Readable
from etalis_py.why.drawing import Box, Look, outline_svg
from etalis_py.why.text import (
    bindings_text,
    headline,
    inference_lines,
    operator_line,
    shown_parts,
    triple_text,
    when_text,
)
from etalis_py.why.tree import Kind, Proof, Why

__all__ = ["why_svg"]


def why_svg(why: Why) -> str:
    """The tree as an SVG file."""
    return outline_svg(headline(why), list(_boxes(why.proof, why.readable, 0)))


def _boxes(proof: Proof, readable: Readable, depth: int) -> Iterator[Box]:
    if isinstance(proof.node, ProjectPlan):
        for part in proof.parts:
            yield from _boxes(part, readable, depth)
        return
    yield _box(proof, readable, depth)
    if proof.derivation is not None:
        yield Box(depth + 1, headline(proof.derivation), Look.DERIVED, interval=proof.interval)
        yield from _boxes(proof.derivation.proof, proof.derivation.readable, depth + 2)
    parts, left_out = shown_parts(proof)
    for part in parts:
        if left_out and part is parts[-1]:
            yield Box(depth + 1, f"... {left_out} more", Look.REASON)
        yield from _boxes(part, readable, depth + 1)
    for each in proof.absent:
        yield Box(depth + 1, each, Look.ABSENT)


def _box(proof: Proof, readable: Readable, depth: int) -> Box:
    line = f"line {proof.line}"
    match proof.kind:
        case Kind.EVENT | Kind.BACKGROUND if proof.triple is not None:
            look = Look.BACKGROUND if proof.kind is Kind.BACKGROUND else Look.EVENT
            if proof.derivation is not None:
                look = Look.DERIVED
            where = when_text(proof.interval) or (
                "background" if proof.graph is None else f"graph {proof.graph}"
            )
            notes = (f"{where}, matches {proof.text}, {line}", *inference_lines(proof, readable))
            return Box(depth, triple_text(proof.triple, readable), look, notes, proof.interval)
        case Kind.BACKGROUND:
            return Box(depth, f"{proof.text}: {proof.graph}", Look.BACKGROUND, (line,))
        case Kind.ROW:
            return Box(depth, f"{proof.text} {bindings_text(proof, readable)}", Look.BACKGROUND, (line,))
        case _:
            return Box(depth, operator_line(proof, readable), Look.OPERATOR, (line,), proof.interval)
