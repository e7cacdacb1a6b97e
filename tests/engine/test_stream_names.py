"""Stream and element of an event, from each way in to the answer."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import BNode, Graph, URIRef

from etalis_py import Engine
from etalis_py.core.vocabulary import DEFAULT_STREAM

BY_STREAM = "SELECT ?x ?s { STREAM ?s { ?x <urn:p> ?y } }"
BY_ELEMENT = "SELECT ?x ?g { STREAM <urn:a> { GRAPH ?g { ?x <urn:p> ?y } } }"
TOGETHER = "SELECT ?x ?z { EVENT { ?x <urn:p> ?y . ?z <urn:q> ?y } }"
QUERIES = {"stream": BY_STREAM, "element": BY_ELEMENT, "together": TOGETHER}


def engine(**options: Any) -> Engine:
    made = Engine(**options)
    for name, text in QUERIES.items():
        made.register(text, name=name)
    return made


def found(made: Engine) -> list[tuple[Any, ...]]:
    return [(each.query, each.end, *each.encoded.values()) for each in made.matches()]


S, P, Q, O = (URIRef(f"urn:{name}") for name in "spqo")  # noqa: E741


def test_one_occurrence() -> None:
    with engine() as made:
        made.send(S, P, O, 1)
        made.send(S, P, O, 2, stream=URIRef(DEFAULT_STREAM))
        made.send(S, P, O, 3, stream=URIRef("urn:a"))
        made.send(S, P, O, 4, stream=URIRef("urn:a"), graph=BNode("b"))
        made.finish()
        assert found(made) == [
            ("stream", 1, "urn:s", DEFAULT_STREAM),
            ("stream", 2, "urn:s", DEFAULT_STREAM),
            ("stream", 3, "urn:s", "urn:a"),
            ("stream", 4, "urn:s", "urn:a"),
            ("element", 4, "urn:s", "_:b"),
        ]


def test_elements() -> None:
    graph = Graph().parse(data="<urn:s> <urn:p> <urn:o> . <urn:t> <urn:q> <urn:o> .")
    with engine() as made:
        made.send_element(graph, 1, stream=URIRef("urn:a"), graph=URIRef("urn:g"))
        made.send_element([(S, P, O)], 2, graph=URIRef("urn:g"))
        made.send_element([(S, Q, O)], 2, graph=URIRef("urn:h"))
        made.send_element([(S, P, O)], 3)
        made.send_element([(S, Q, O)], 3)
        made.finish()
        named = [each for each in found(made) if each[0] != "stream"]
        assert named == [
            ("element", 1, "urn:s", "urn:g"),
            ("together", 1, "urn:s", "urn:t"),
            ("together", 3, "urn:s", "urn:s"),
        ]


@pytest.mark.parametrize("kind", [dict, pa.table])
def test_tables(kind: Any) -> None:
    table = {
        "start": [1, 2, 2],
        "stream": ["<urn:a>", None, "<urn:b>"],
        "graph": ["<urn:g>", None, None],
        **{name: [f"<urn:{name}>"] * 3 for name in "spo"},
    }
    with engine() as made:
        made.send_batch(kind(table))
        made.finish()
        assert found(made) == [
            ("stream", 1, "urn:s", "urn:a"),
            ("element", 1, "urn:s", "urn:g"),
            ("stream", 2, "urn:s", "urn:b"),
            ("stream", 2, "urn:s", DEFAULT_STREAM),
        ]


names = st.sampled_from([None, "<urn:a>", "<urn:b>"])
rows = st.lists(
    st.tuples(st.integers(1, 9), st.sampled_from(["<urn:p>", "<urn:q>"]), names, names),
    min_size=1,
    max_size=12,
)


def table_of(found_rows: list[tuple[Any, ...]]) -> dict[str, list[Any]]:
    starts, predicates, streams, graphs = map(list, zip(*found_rows, strict=True))
    # A graph has one time: that is part of its name here.
    graphs = [graph and f"{graph[:-1]}{start}>" for graph, start in zip(graphs, starts, strict=True)]
    same = {"s": ["<urn:s>"] * len(starts), "o": ["<urn:o>"] * len(starts)}
    return {"start": starts, "p": predicates, "stream": streams, "graph": graphs, **same}


@given(rows, st.data())
@settings(max_examples=40)
def test_a_cut_and_a_wait_change_nothing(sent: list[tuple[Any, ...]], data: st.DataObject) -> None:
    """A snapshot between any two rows, in the open instant too, and rows that are put back in order."""
    sent.sort(key=lambda row: row[0])
    with engine() as whole:
        whole.send_batch(table_of(sent))
        whole.finish()
        expected = found(whole)
    options: dict[str, Any] = {}
    if data.draw(st.booleans()):
        options["on_late"] = timedelta(microseconds=9)
        sent = data.draw(st.permutations(sent))
    cut = data.draw(st.integers(0, len(sent)))
    answers = []
    with engine(**options) as first:
        if cut:
            first.send_batch(table_of(sent[:cut]))
        answers += found(first)
        state = first.snapshot()
        first.discard()
    with engine(**options) as second:
        second.restore([state])
        if cut < len(sent):
            second.send_batch(table_of(sent[cut:]))
        second.finish()
        answers += found(second)
    assert answers == expected


def test_what_is_kept_for_questions_has_its_stream_and_element() -> None:
    with Engine(recall=True) as made:
        made.register("CONSTRUCT STREAM <urn:out> { ?x <urn:q> ?y } { STREAM <urn:a> { ?x <urn:p> ?y } }")
        made.send(S, P, O, 1, stream=URIRef("urn:a"), graph=BNode("b"))
        made.send(S, P, O, 1, stream=URIRef("urn:a"))
        made.send(S, P, O, 1, stream=URIRef("urn:a"))
        made.send(S, P, O, 1)
        made.send(S, P, O, 2)
        made.finish()
        once = [tuple(map(str, each.values())) for each in made.prolog("occurrence(S, P, O, _, End)")]
        assert sorted(once) == [
            ("urn:s", "urn:p", "urn:o", "1"),
            ("urn:s", "urn:p", "urn:o", "2"),
            ("urn:s", "urn:q", "urn:o", "1"),
        ]
        each = [tuple(map(str, each.values())) for each in made.prolog("occurrence(_, P, _, _, End, S, G)")]
        assert sorted(each) == [
            ("urn:p", "1", "urn:a", ""),
            ("urn:p", "1", "urn:a", "b"),
            ("urn:p", "1", DEFAULT_STREAM, ""),
            ("urn:p", "2", DEFAULT_STREAM, ""),
            ("urn:q", "1", "urn:out", ""),
        ]
        [answer] = made.prolog(
            "aggregate_all(count, occurrence(S, P, O, 1, 1, 'urn:a', _), N)", S=S, P=P, O=O
        )
        assert str(answer["N"]) == "2"


def test_why_nothing_knows_the_streams_of_what_was_kept() -> None:
    with Engine(recall=True) as made:
        made.register("SELECT ?x { STREAM <urn:a> { ?x <urn:p> ?y } FILTER (?y = <urn:none>) }", name="none")
        made.send(S, P, O, 1, stream=URIRef("urn:a"))
        made.send(S, P, O, 2)
        made.finish()
        assert "?x <urn:p> ?y in stream <urn:a>: 1 time\n" in str(made.why_nothing("none"))
