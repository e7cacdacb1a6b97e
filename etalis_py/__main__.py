"""``python -m etalis_py`` is the command ``etalis``."""

from __future__ import annotations

import sys

from etalis_py.cli import main

if __name__ == "__main__":
    sys.exit(main())
