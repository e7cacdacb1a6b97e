"""``detect`` on a streaming DataFrame: buckets of keys, each an engine with its state in Spark's state store.

One micro-batch goes this way. Spark gives each event the number of its bucket (``detecting.py``), a task
packs the rows of each bucket (``packing.py``), the shuffle brings them to the task that has the bucket's
state (``processor.py``), which lets the bucket take the rows and the time (``bucket.py``): rows wait until
the watermark has passed their end (``live_engine.py``), and the answers go out again, packed in the same
way.

Why buckets and not Spark's own keys. A call of ``transformWithState`` for one key asks Spark's state server
some six times, whatever there is to do (the key, the head, the log, the head again, two timers), and an
engine would have to be made for each key. A bucket (a hash of the key modulo a fixed number) pays that once
for thousands of keys, whose goals an engine holds apart anyway: with 50,000 keys and 32 buckets a
micro-batch makes 32 calls, not 50,000. Measured on two cores with an event a key and micro-batch, state by
key beside 32 buckets (``python -m tests.benchmarks.spark_buckets 2000 32 100000``): 1.3 s beside 1.05 s with
200 keys, 10.3 s beside 1.1 s with 2,000, so 5 ms for each key. With 50,000 keys 32 buckets take 2.5 s.

A program whose join key changes has such an operator for each of its stages, one after the other
(``stages.py``); its rows go through packed in the same way.

What is kept. Each bucket has a head, a snapshot of its engine and a log: the rows that came since the
snapshot, and the watermarks at which they were taken. An engine is a function of these, so a micro-batch
writes the rows that came and not what the engine made of them; once the log outweighs the snapshot a new
one is taken. An engine stays alive in the worker process between two micro-batches, under a token that is
written with each of them: only if the token in the state store is its own is it up to date, and no engine
that ran ahead in a task that failed is ever used (``live_engines.py``).
"""

from __future__ import annotations

from etalis_py.spark_udfs.streaming.detecting import detect_stream
from etalis_py.spark_udfs.streaming.stages import as_a_stream_runs_it

__all__ = ["as_a_stream_runs_it", "detect_stream"]
