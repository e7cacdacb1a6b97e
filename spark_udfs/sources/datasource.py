"""``rdf-stream`` as Spark knows it: what reads and what writes for one set of options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)

from etalis_py.core.errors import UsageError
from etalis_py.spark_udfs.execution.failures import sent_home
from etalis_py.spark_udfs.sources.folder_reader import FolderReader, FolderStreamReader
from etalis_py.spark_udfs.sources.options import local_path, read_options
from etalis_py.spark_udfs.sources.quads import check_columns_of
from etalis_py.spark_udfs.sources.replay_reader import ReplayReader
from etalis_py.spark_udfs.sources.rows import SCHEMA, arrow_schema
from etalis_py.spark_udfs.sources.sink import QuadsWriter, StreamQuadsWriter

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["RdfStream"]

_OF_SINK = {"path", "checkpointlocation"}


class RdfStream(DataSource):
    """The data source. `etalis_py.spark_udfs.sources.register_sources` tells a session of it."""

    @classmethod
    def name(cls) -> str:
        """What stands in ``format(...)``."""
        return "rdf-stream"

    def schema(self) -> str:
        """The columns, where a user names none."""
        with sent_home():
            read_options(self.options)
        return SCHEMA

    def reader(self, schema: StructType) -> DataSourceReader:
        """What reads a folder at once."""
        with sent_home():
            options = read_options(self.options)
            if options.speed is not None or options.files_a_batch is not None:
                raise UsageError(
                    "EP601",
                    "the options speed and maxFilesPerTrigger are for streams",
                    hint="use spark.readStream, or leave them out",
                )
            return FolderReader(options, arrow_schema(schema))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - as Spark calls it
        """What reads files as they come, or replays those that are there."""
        with sent_home():
            options = read_options(self.options)
            if options.speed is None:
                return FolderStreamReader(options, arrow_schema(schema))
            if options.files_a_batch is not None:
                raise UsageError(
                    "EP601",
                    "the options speed and maxFilesPerTrigger do not go together",
                    hint="a replay reads what is due",
                )
            return ReplayReader(options, arrow_schema(schema), options.speed)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """What writes N-Quads."""
        with sent_home():
            check_columns_of(schema)
            return QuadsWriter(self._folder(), overwrite=overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:  # noqa: N802
        """What writes the N-Quads of micro-batches."""
        with sent_home():
            if overwrite:
                raise UsageError(
                    "EP601",
                    "rdf-stream cannot write a stream in the output mode complete",
                    hint="answers are never taken back: the output mode is append",
                )
            check_columns_of(schema)
            return StreamQuadsWriter(self._folder())

    def _folder(self) -> str:
        others = [name for name in self.options if name.lower() not in _OF_SINK]
        if others or "path" not in self.options:
            raise UsageError(
                "EP601",
                f"rdf-stream has no option {others[0]!r} for writing" if others else "rdf-stream has no path",
                hint="name the folder, and nothing else: .save(FOLDER), .start(FOLDER)",
            )
        return local_path(self.options["path"])
