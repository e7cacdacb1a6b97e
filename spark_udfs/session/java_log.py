"""What a Java that is started for this machine logs: little, for its errors come to the driver anyway."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ["few_words"]

_OPTIONS: Final = "SPARK_SUBMIT_OPTS"
"""Options for the Java that is started, besides those of ``spark-defaults.conf``."""
_SETTINGS: Final = Path(__file__).with_name("log4j2.properties")


@contextmanager
def few_words() -> Iterator[None]:
    """Let a Java that is started within this log errors only, without stack traces.

    Who has settings of their own for that (``log4j2.properties`` among Spark's settings, or an option) keeps
    them.
    """
    before = os.environ.get(_OPTIONS)
    if "log4j" in (before or "") or _has_settings():
        yield
        return
    option = f"-Dlog4j2.configurationFile={_SETTINGS.as_uri()}"
    os.environ[_OPTIONS] = option if before is None else f"{before} {option}"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_OPTIONS]
        else:
            os.environ[_OPTIONS] = before


def _has_settings() -> bool:
    folder = os.environ.get("SPARK_CONF_DIR")
    if folder is None and "SPARK_HOME" in os.environ:
        folder = str(Path(os.environ["SPARK_HOME"], "conf"))
    return folder is not None and Path(folder, "log4j2.properties").exists()
