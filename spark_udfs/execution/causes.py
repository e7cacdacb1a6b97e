"""Why Spark could not go on, where it is no error of the engine: found in the text of Spark's exception.

Spark's text begins with what failed last; what began it stands deeper, so all of the text is searched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from etalis_py.core.errors import RunTimeError

__all__ = ["OTHER_PROGRAM", "known_cause"]

OTHER_PROGRAM: Final = (
    "begin with a new checkpoint folder, or take back what was changed in queries, background, rules,"
    " policy or buckets"
)
"""The hint for a stream's state (EP585) that cannot be used any more."""
_PAGE: Final = "docs/spark-cluster.md"
_SETTING: Final = "PYSPARK_PYTHON, set before the session begins, names it as the workers see it"


@dataclass(frozen=True, slots=True)
class _Cause:
    """``message`` may use the groups of ``pattern``."""

    code: str
    pattern: re.Pattern[str]
    message: str
    hint: str


_CAUSES: Final = (
    _Cause(
        "EP615",
        re.compile(r"(No space left on device|Disk quota exceeded)"),
        "a disk that Spark writes to is full: {0}",
        "Spark writes to spark.local.dir, to a stream's checkpoint and to where results go; what it has not "
        "finished there is not taken for a result",
    ),
    _Cause(
        "EP612",
        re.compile(r'(Cannot run program "[^"]*": .*)'),
        "the workers' Python does not start: {0}",
        f"{_SETTING}; in an archive: ./environment/bin/python ({_PAGE})",
    ),
    _Cause(
        "EP612",
        re.compile(r"Python in worker has different version: (\S+) than that in driver: (\S+?),? "),
        "the workers have Python {0}, and the driver has {1}",
        f"{_SETTING}; etalis pack packs that of the driver ({_PAGE})",
    ),
    _Cause(
        "EP613",
        re.compile(r"ModuleNotFoundError: No module named '([^']*)'"),
        "the workers' Python has no package {0}",
        f"{_SETTING}; etalis pack makes an archive with all they need, --package adds to it ({_PAGE})",
    ),
    _Cause(
        "EP585",
        re.compile(r"\[STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA\]"),
        "the state of the stream is that of another program: it has other stages",
        OTHER_PROGRAM,
    ),
    _Cause(
        "EP614",
        re.compile(r"(Python worker exited unexpectedly \(crashed\)|ExecutorLostFailure \([^)]*\)[^\n]*)"),
        "a worker died, each time it was tried: {0}",
        "it may have had too little memory, or Prolog crashed on an event: try the query on some of the "
        f"events with the local engine ({_PAGE})",
    ),
)


def known_cause(text: str) -> RunTimeError | None:
    """The error for the text of an exception of Spark's; None, where nothing is known of it.

    >>> print(known_cause("Caused by: java.io.IOException: No space left on device"))  # doctest: +ELLIPSIS
    EP615 a disk that Spark writes to is full: No space left on device
    hint: ...
    """
    for cause in _CAUSES:
        found = cause.pattern.search(text)
        if found is not None:
            return RunTimeError(cause.code, cause.message.format(*found.groups()), hint=cause.hint)
    return None
