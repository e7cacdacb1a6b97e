"""Looks for inputs that are taken badly: python -m tests.fuzz --seconds 600 [FUZZER...].

What is found is kept in tests/fuzz/corpus; --seed repeats a run.
"""

from __future__ import annotations

import argparse
import sys
import time
from hashlib import sha256

from tests.fuzz.fuzzer import CORPUS
from tests.fuzz.fuzzers import FUZZERS
from tests.fuzz.hunt import Finding, hunt


def main() -> int:
    """Run each fuzzer in turn; 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("fuzzers", nargs="*", metavar="FUZZER", help=f"of {', '.join(FUZZERS)}; default: all")
    parser.add_argument("--seconds", type=float, default=600.0, help="for all (default: %(default)s)")
    parser.add_argument("--seed", default=str(int(time.time())), help="what the inputs depend on")
    arguments = parser.parse_args()
    names = arguments.fuzzers or list(FUZZERS)
    if unknown := set(names) - set(FUZZERS):
        parser.error(f"no fuzzer {', '.join(sorted(unknown))}")
    findings = 0
    for name in names:
        result = hunt(FUZZERS[name], arguments.seconds / len(names), arguments.seed)
        print(f"{name}: {result.tried} inputs with seed {arguments.seed}")
        if result.finding is not None:
            findings += 1
            _keep(name, result.finding)
    return 1 if findings else 0


def _keep(name: str, finding: Finding) -> None:
    path = CORPUS / name / f"{sha256(finding.content).hexdigest()[:12]}.input"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(finding.content)
    print(f"{finding.words}\nthe input is kept as {path}")


if __name__ == "__main__":
    sys.exit(main())
