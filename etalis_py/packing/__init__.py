"""One archive with all that a Spark worker needs: Python and its packages, SWI-Prolog, janus, etalis_py.

``etalis pack`` makes it; ``docs/spark-cluster.md`` says how a cluster is given it. The archive is for
machines of one kind: the processor, and a glibc not older than that of the machine it was made on. Spark's
own Python code is not in it, since each executor brings that of its Spark.
"""

from __future__ import annotations

from etalis_py.packing.archive import Packed, pack
from etalis_py.packing.problems import PackError

__all__ = ["PackError", "Packed", "pack"]
