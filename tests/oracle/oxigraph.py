"""Random queries with EXISTS at one instant, asked of pyoxigraph as well.

Only what SPARQL 1.1 has: queries that pyoxigraph cannot parse are no examples.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import pyoxigraph

from etalis_py import Engine
from etalis_py.compiler.parse.parser import parse
from etalis_py.core.terms import Encoded, ntriples
from tests.oracle.chooser import Chooser
from tests.oracle.examples import triple_of
from tests.oracle.program import World, answers
from tests.oracle.query_texts import question_text
from tests.oracle.running import batch_of
from tests.oracle.solutions import Triple
from tests.oracle.vocabulary import SECOND

__all__ = ["Question", "Rows", "question"]

Rows: TypeAlias = "Counter[frozenset[tuple[str, str]]]"

_AT = 3 * SECOND
_BESIDE = ((), (), ("MINUS",), ("VALUES",), ("PATH",), ("MINUS", "VALUES"))
_PROLOGUE = "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"


@dataclass(frozen=True)
class Question:
    """A query and the triples it is asked about."""

    text: str
    triples: frozenset[Triple]

    def of_engine(self) -> Rows:
        """What the engine answers."""
        with Engine(at=_AT, entailment="none") as engine:
            engine.register(self.text, name="q")
            engine.send_encoded(batch_of([(triple, (_AT, _AT)) for triple in self.triples]))
            engine.finish()
            return Counter(
                frozenset((name, _shown(value)) for name, value in match.encoded.items())
                for match in engine.matches()
            )

    def of_oracle(self) -> Rows:
        """What the oracle says."""
        stream = frozenset((triple, (_AT, _AT)) for triple in self.triples)
        [found] = answers([parse(self.text)], World(stream, frozenset(), False, {}, (_AT, _AT), _AT))
        rows = (dict(row) for row, _, _ in found)  # type: ignore[call-overload]
        return Counter(frozenset((name, _shown(value)) for name, value in row.items()) for row in rows)

    def of_oxigraph(self) -> Rows | None:
        """What pyoxigraph answers; None where it cannot parse the query, or lacks a function."""
        store = pyoxigraph.Store()
        lines = (" ".join(map(ntriples, triple)) + " .\n" for triple in self.triples)
        store.load("".join(lines).encode(), pyoxigraph.RdfFormat.N_TRIPLES)
        try:
            found = store.query(_PROLOGUE + self.text)
        except SyntaxError:
            return None
        except RuntimeError as error:
            assert "custom function" in str(error)  # noqa: PT017 - not the one that is tested
            return None
        assert isinstance(found, pyoxigraph.QuerySolutions)
        names = [each.value for each in found.variables]
        return Counter(
            frozenset((name, _same_form(str(row[name]))) for name in names if row[name] is not None)
            for row in found
        )


def question(seed: int) -> Question:
    """The question with a number."""
    choice = Chooser(Random(f"oxi{seed}").randint)
    operators = frozenset({"EXISTS", "DEEP EXISTS", "AT", *choice.choose(_BESIDE)})
    query = question_text(choice, operators, fed=False)
    while "EXISTS" not in query.text:
        query = question_text(choice, operators, fed=False)
    patterns = list(query.patterns)
    triples = [triple_of(choice, patterns) for _ in range(choice.number(4, 12))]
    text = re.sub(r"\b01\b(?![-:TZ])", "1", query.text)  # pyoxigraph keeps no other form of a number
    return Question(text, frozenset((s, p, _plain(o)) for s, p, o in triples))


def _plain(term: Encoded) -> Encoded:
    return (term[0], term[-1]) if isinstance(term, tuple) and term[1] == "01" else term  # type: ignore[return-value]


def _shown(term: Encoded) -> str:
    return _same_form(ntriples(term))


def _same_form(text: str) -> str:
    """One form for each double: pyoxigraph writes another one than XML Schema's canonical."""
    double = re.fullmatch(r'"(.*)"\^\^<http://www\.w3\.org/2001/XMLSchema#double>', text)
    return text if double is None else repr(float(double[1]))
