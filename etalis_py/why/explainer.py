"""``Engine.why``: the proof of an answer, its derived events and what follows by RDFS unfolded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.hidden_names import in_words_of
from etalis_py.compiler.plan.plan import ExtendPlan, ProjectPlan
from etalis_py.core.errors import UsageError
from etalis_py.embedding import prolog
from etalis_py.engine.matches import Match
from etalis_py.why.builder import ProofBuilder
from etalis_py.why.deliveries import TracedMatch
from etalis_py.why.reading import derivations_in, read_columns, read_triple
from etalis_py.why.tree import Inference, Kind, Proof, Triple, Why

if TYPE_CHECKING:
    from etalis_py.ontologies.background import Background

__all__ = ["explain_match"]


def explain_match(
    match: Match, queries: Mapping[int, CompiledQuery], module: str, background: Background | None
) -> Why:
    """Why ``match`` was given by the engine in ``module``.

    Raises:
        UsageError: EP561, the engine does not trace, is closed, or did not give this.
    """
    named = {each.name: number for number, each in queries.items()}
    if not isinstance(match, TracedMatch) or match.query not in named:
        raise UsageError(
            "EP561",
            "the engine did not keep why this answer was given",
            hint="make it with Engine(trace=True)",
        )
    if not module:
        raise UsageError(
            "EP561", "the engine that gave this answer is closed", hint="ask why before you close it"
        )
    explainer = _Explainer(queries, module, None if background is None else background.module)
    return replace(explainer.why(named[match.query], match.trace), match=match)


class _Explainer:
    def __init__(self, queries: Mapping[int, CompiledQuery], module: str, background: str | None) -> None:
        self._queries = queries
        self._module = module
        self._background = background
        self._derivations: dict[int, Why] = {}

    def why(self, number: int, trace: str) -> Why:
        """The proof of a solution of the query with a number, from its trace."""
        columns = json.loads(trace)
        self._derive(derivations_in(columns))
        return self._built(number, columns)

    def _derive(self, wanted: Iterable[int]) -> None:
        """Build what CONSTRUCTs made, each after those that it is made of: these have lower numbers.

        Recursion of queries may be as deep as the stream is long; this is not.
        """
        found: dict[int, tuple[int, Any]] = {}
        todo = [*wanted]
        while todo:
            number = todo.pop()
            if number in found or number in self._derivations:
                continue
            query, text = prolog.call("etalis_trace", "derivation", self._module, number)
            found[number] = query, json.loads(text)
            todo += derivations_in(found[number][1])
        for number in sorted(found):
            self._derivations[number] = replace(self._built(*found[number]), number=number)

    def _built(self, number: int, columns: Any) -> Why:
        query = self._queries[number]
        readable = in_words_of(query)
        packing = query.plan.root
        assert isinstance(packing, ProjectPlan)
        assert isinstance(packing.input, ExtendPlan)
        root = packing.input.input
        proof = ProofBuilder(query.text, readable, self._completed).proof(root, read_columns(root, columns))
        assert proof is not None, "an answer is made of something"
        return Why(query.name, proof, readable=readable)

    def _completed(self, proof: Proof, origin: Any) -> Proof:
        """An event or a background triple with what it follows from."""
        if isinstance(origin, list):
            *parts, origin = origin
            proof = self._inferred(proof, read_triple(parts))
        elif proof.kind is Kind.BACKGROUND and proof.graph is None:
            proof = self._from_background(proof)
        return proof if origin is None else replace(proof, derivation=self._derivations[origin])

    def _inferred(self, proof: Proof, said: Triple) -> Proof:
        found = prolog.call("etalis_why", "inferences", self._background, list(said), list(_of(proof)))
        return replace(proof, said=said, inferences=_inferences(found))

    def _from_background(self, proof: Proof) -> Proof:
        if self._background is None:
            return proof
        said, found = prolog.call("etalis_why", "background_inferences", self._background, list(_of(proof)))
        return replace(proof, said=_triple(said), inferences=_inferences(found))


def _of(proof: Proof) -> Triple:
    assert proof.triple is not None
    return proof.triple


def _triple(parts: Any) -> Triple:
    subject, predicate, target = (prolog.encoded(each) for each in parts)
    return subject, predicate, target


def _inferences(found: Any) -> tuple[Inference, ...]:
    return tuple(Inference(str(rule), _triple(schema), _triple(triple)) for rule, schema, triple in found)
