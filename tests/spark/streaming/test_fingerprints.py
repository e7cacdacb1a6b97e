"""Fingerprints: of the content of background and rules, not of where it lies or how blank nodes begin."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import Any

from etalis_py.compiler.partition.routes import Routes
from etalis_py.engine.options import EngineOptions
from etalis_py.spark_udfs.execution.shipping import Shipment, ShippedFile
from etalis_py.spark_udfs.planning.program import Program, QuerySource
from etalis_py.spark_udfs.streaming.fingerprints import fingerprint

ROUTES = Routes({"urn:p": "s"})
RULES = ShippedFile("/here/rules.pl", "prolog", False, b"known(a).\n")
SHIPMENT = Shipment(prolog=(RULES,), compiled=b"\x00 compiled", digest="0af3")
PROGRAM = Program((QuerySource("q", "SELECT * { ?x <urn:p> ?y }"),), shipment=SHIPMENT)


def with_options(**options: Any) -> Program:
    return replace(PROGRAM, options=EngineOptions.of(**options))


def shipped(**changes: object) -> str:
    return fingerprint(replace(PROGRAM, shipment=replace(SHIPMENT, **changes)), ROUTES, 3)


def test_content_counts() -> None:
    mine = fingerprint(PROGRAM, ROUTES, 3)
    assert fingerprint(PROGRAM.with_blank_nodes("another run"), ROUTES, 3) == mine
    assert shipped(digest="0af4") != mine
    assert shipped(prolog=(replace(RULES, content=b"known(b).\n"),)) != mine
    assert shipped(prolog=(replace(RULES, path="/there/rules.pl"),)) == mine
    assert fingerprint(with_options(rules="/there/rules.pl"), ROUTES, 3) == mine


def test_of_functions_names_count_and_of_limits_nothing() -> None:
    mine = fingerprint(PROGRAM, ROUTES, 3)
    assert (
        fingerprint(with_options(max_memory=10**9, max_answers_per_instant=5, max_derivations=7), ROUTES, 3)
        == mine
    )
    first, same, other = (
        fingerprint(with_options(functions={iri: function}), ROUTES, 3)
        for iri, function in (("urn:f", len), ("urn:f", Lock().__enter__), ("urn:g", len))
    )
    assert first == same
    assert len({mine, first, other}) == 3


def test_so_do_buckets_routes_and_stages() -> None:
    found = [
        fingerprint(PROGRAM, ROUTES, 3),
        fingerprint(PROGRAM, ROUTES, 4),
        fingerprint(PROGRAM, Routes({"urn:p": "o"}), 3),
        fingerprint(PROGRAM, replace(ROUTES, columns={"urn:a": (0,)}), 3),
        fingerprint(PROGRAM, ROUTES, 3, 0, 2),
        fingerprint(PROGRAM, ROUTES, 3, 1, 2),
        fingerprint(with_options(policy="recent"), ROUTES, 3),
    ]
    assert len(set(found)) == len(found)
