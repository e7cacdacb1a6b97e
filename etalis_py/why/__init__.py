"""Why an answer was given: proofs, as trees, texts and pictures (docs/why.md).

>>> from etalis_py import Engine
>>> with Engine(trace=True) as engine:
...     _ = engine.register("SELECT ?x { ?x <urn:is> 'low' } SEQ { ?x <urn:is> 'high' }", name="rise")
...     engine.send_batch(
...         {"start": [1, 5], "s": ["<urn:a>"] * 2, "p": ["<urn:is>"] * 2, "o": ['"low"', '"high"']}
...     )
...     engine.finish()
...     [match] = engine.matches("rise")
...     [event.interval for event in engine.why(match).events]
[(1, 1), (5, 5)]
"""

from etalis_py.why.tree import Inference, Kind, Proof, Why

__all__ = ["Inference", "Kind", "Proof", "Why"]
