"""What tells one program on a stream from another: state goes on only under the program that made it.

It covers all that decides what state means: queries, options, the content of background and rules, how events
are dealt out, and of a program in several stages which one it is and what it runs. The labels of new blank
nodes are not of it: the state has its own. Nor are limits: a stream that reached one may go on under
another. Of functions it is their names.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from etalis_py.compiler.partition.routes import Routes
from etalis_py.engine.options import OPTIONS
from etalis_py.spark_udfs.execution.shipping import Shipment
from etalis_py.spark_udfs.planning.program import Program

__all__ = ["fingerprint"]


def fingerprint(program: Program, routes: Routes, buckets: int, *others: Any) -> str:
    """The fingerprint of ``program`` in so many buckets; ``others`` are fit for JSON."""
    deciding: dict[str, Any] = {"queries": [asdict(each) for each in program.queries]}
    deciding |= {name: getattr(program.options, name) for name, each in OPTIONS.items() if each.decides}
    deciding["functions"] = sorted(program.options.functions)
    if program.shipment is not None:
        deciding["shipment"] = _content(program.shipment)
    own_routes: list[Any] = [sorted(routes.positions.items()), routes.other]
    if routes.columns:
        own_routes.append(sorted(routes.columns.items()))
    text = json.dumps([deciding, own_routes, buckets, *others], sort_keys=True)
    return sha256(text.encode()).hexdigest()


def _content(shipment: Shipment) -> list[Any]:
    """What was read, without the bytes of it: it may be large."""
    return [shipment.digest, [sha256(each.content).hexdigest() for each in shipment.prolog]]
