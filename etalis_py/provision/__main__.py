"""Entry point of ``python3 etalis_py/provision``, before the package is installed.

Does not run ``etalis_py/__init__.py``: that may import packages which set-up has yet to install. A bare
package object with the right path stands in for it, so that every module keeps its one name.
"""

import sys
import types
from pathlib import Path

OLDEST_PYTHON = (3, 10)


def stand_in(folder: Path) -> None:
    """Make ``etalis_py.provision`` importable from the checkout, and the modules in it by no other name."""
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != folder]
    package = types.ModuleType("etalis_py")
    package.__path__ = [str(folder.parent)]
    sys.modules["etalis_py"] = package


if __name__ == "__main__":
    if sys.version_info < OLDEST_PYTHON:
        sys.exit(
            "etalis_py needs Python 3.10 or newer; {} is {}.{}.\n"
            "Install a newer one and name it: make setup PYTHON=python3.11".format(
                sys.executable, *sys.version_info[:2]
            )
        )
    stand_in(Path(__file__).resolve().parent)
    from etalis_py.provision.steps import main

    sys.exit(main(sys.argv[1:]))
