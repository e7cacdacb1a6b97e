"""What a trace costs: inferences an event with and without, for a few kinds of queries.

Run it as a program; docs/why.md quotes what it prints.
"""

from __future__ import annotations

from time import thread_time

from etalis_py import prolog
from etalis_py.engine import Engine

EVENTS = 20_000
QUERIES = {
    "SEQ of two": """SELECT * { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z }
                                FILTER (getDURATION() < "PT1S"^^xsd:duration) }""",
    "filter": "SELECT * { ?x <urn:p> ?y FILTER (?y > 5) }",
    "OPTIONAL": "SELECT * { { ?x <urn:p> ?y } OPTIONALSEQ { ?x <urn:q> ?z } FILTER (?z < 0) }",
    "CONSTRUCT": """CONSTRUCT { ?x <urn:r> ?y } { ?x <urn:p> ?y FILTER (?y > 5) } ;;
                    SELECT * { ?x <urn:r> ?y }""",
}


def inferences() -> int:
    """How many inferences Prolog has made."""
    return int(prolog.call("system", "statistics", "inferences"))


def cost(query: str, *, trace: bool) -> tuple[float, float]:
    """Inferences and microseconds an event."""
    with Engine(trace=trace) as engine:
        engine.register(query)
        columns = {
            "start": [1_000 * number for number in range(EVENTS)],
            "s": [f"<urn:s{number % 1000}>" for number in range(EVENTS)],
            "p": ["<urn:p>" if number // 1000 % 2 else "<urn:q>" for number in range(EVENTS)],
            "o": [f'"{number % 10}"^^<http://www.w3.org/2001/XMLSchema#integer>' for number in range(EVENTS)],
        }
        before, began = inferences(), thread_time()
        engine.send_batch(columns)
        engine.finish()
        return (inferences() - before) / EVENTS, (thread_time() - began) / EVENTS * 1e6


if __name__ == "__main__":
    print("              inferences an event     processor time")
    print("query         without   with            of both")
    for name, query in QUERIES.items():
        (plain, before), (traced, after) = (cost(query, trace=trace) for trace in (False, True))
        print(f"{name:12} {plain:8.0f} {traced:6.0f} {traced / plain:6.1f} times {after / before:8.1f} times")
