"""What a demo needs around it: packages, and a folder to write to."""

from __future__ import annotations

from pathlib import Path

from etalis_py.core.errors import UsageError

__all__ = ["make_folder", "need", "not_writable"]


def need(*packages: str) -> None:
    """Raise EP543 where a package of the extra ``demo`` is not installed."""
    from importlib.util import find_spec

    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise UsageError(
            "EP543", f"the demo needs {', '.join(missing)}, which is not installed",
            hint="pip install 'etalis_py[demo]', or run 'make setup' in a checkout",
        )  # fmt: skip


def make_folder(path: Path) -> Path:
    """The folder, made where it is not there. Raises EP542 where that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_writable(path, error) from error
    return path


def not_writable(path: Path, error: OSError) -> UsageError:
    """EP542: the results cannot be written."""
    reason = error.strerror or str(error)
    return UsageError(
        "EP542", f"the results cannot be written to {path}: {reason}", hint="choose another --output DIR"
    )
