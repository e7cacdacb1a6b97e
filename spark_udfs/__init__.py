"""EP-SPARQL on Spark: events are dealt out by join key, and each partition runs the rule engine.

Adapts ``etalis_py.engine.engine`` to Spark and knows nothing of rules. Nothing here imports Prolog where a
driver could load it: only the workers do.
"""

from __future__ import annotations

from etalis_py.spark_udfs.detect import detect
from etalis_py.spark_udfs.execution.failures import project_errors
from etalis_py.spark_udfs.execution.metrics import Metrics
from etalis_py.spark_udfs.planning.mapped import mapped
from etalis_py.spark_udfs.session.session import local_session

__all__ = ["Metrics", "detect", "local_session", "mapped", "project_errors"]
