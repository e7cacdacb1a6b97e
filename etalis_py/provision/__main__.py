"""Entry point of ``python3 etalis_py/provision``, before the package is installed.

Does not run ``etalis_py/__init__.py``: that may import packages which set-up has yet to install. A bare package
object with the right path stands in for it, so that every module keeps its one name.
"""

import os
import sys
import types

OLDEST_PYTHON = (3, 10)


def stand_in(folder):  # type: ignore[no-untyped-def]  # read by Pythons too old for the annotations
    """Make ``etalis_py.provision`` importable from the checkout, and ``folder`` itself not."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != folder]
    package = types.ModuleType("etalis_py")
    package.__path__ = [os.path.dirname(folder)]
    sys.modules["etalis_py"] = package


if __name__ == "__main__":
    if sys.version_info < OLDEST_PYTHON:
        sys.exit(
            "etalis_py needs Python 3.10 or newer; {} is {}.{}.\n"
            "Install a newer one and name it: make setup PYTHON=python3.11".format(
                sys.executable, *sys.version_info[:2]
            )
        )
    stand_in(os.path.dirname(os.path.abspath(__file__)))
    from etalis_py.provision.steps import main

    sys.exit(main(sys.argv[1:]))
