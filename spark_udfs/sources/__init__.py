"""The Spark data source ``rdf-stream``: folders of stream files as DataFrames, and DataFrames as N-Quads.

`register_sources` makes it known to a session; after that ``spark.read``, ``readStream``, ``write`` and
``writeStream`` take ``format("rdf-stream")``. docs/spark-sources.md has the options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from etalis_py.core.errors import UsageError
from etalis_py.spark_udfs.session.interpreter import share_python

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["register_sources"]


def register_sources(spark: SparkSession) -> None:
    """Let a session read and write ``format("rdf-stream")``.

    Raises:
        UsageError: EP607, this PySpark's data sources cannot limit what a micro-batch reads.
    """
    try:
        from etalis_py.spark_udfs.sources.datasource import RdfStream
    except ImportError as error:
        raise UsageError(
            "EP607", f"rdf-stream needs PySpark 4.2 or newer: {error}", hint="pip install -U pyspark"
        ) from error
    share_python(spark)
    spark.dataSource.register(RdfStream)
