"""``etalis pack``: one archive with all that Spark's workers need."""

from __future__ import annotations

import argparse
from pathlib import Path

from etalis_py.core.errors import UsageError

__all__ = ["add_arguments", "run"]

_EPILOG = """\
The archive holds this Python and the packages of workers, SWI-Prolog, janus and etalis_py. A cluster of
machines with the same processor, and a glibc that is not older than this machine's, needs nothing else:

  PYSPARK_PYTHON=./environment/bin/python spark-submit --archives etalis_py.tar.gz#environment job.py

docs/spark-cluster.md has it for YARN, Kubernetes, standalone clusters and Spark Connect.

exit codes: 0, 2 for bad arguments, 4 where something needed is missing.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = _EPILOG
    parser.add_argument(
        "--output", metavar="FILE", default="etalis_py.tar.gz",
        help="the archive, a .tar.gz or .tgz; an existing file is replaced (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--package", action="append", default=[], metavar="NAME", dest="packages",
        help="another installed Python package that your jobs need; may be repeated",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Make it and say what is in it. Raises UsageError, PackError."""
    from etalis_py.packing import pack
    from etalis_py.packing.archive import SUFFIXES

    archive = Path(arguments.output).absolute()
    if not archive.name.endswith(SUFFIXES):
        raise UsageError(
            "EP505",
            f"--output {arguments.output} cannot be the name of an archive",
            hint=f"let it end in {' or '.join(SUFFIXES)}",
        )
    packed = pack(archive, arguments.packages)
    about = packed.about
    print(
        f"{arguments.output}: {packed.size / 1e6:.0f} MB, unpacked {packed.unpacked / 1e6:.0f} MB\n"
        f"etalis_py {about['etalis_py']}, Python {about['python']}, SWI-Prolog {about['swipl']}, "
        f"for {about['machine']} with {about['libc']} or newer"
    )
    return 0
