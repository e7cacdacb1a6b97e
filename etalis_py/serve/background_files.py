"""Background that clients sent, as files: each stays for as long as a command or a checkpoint may read it."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from pathlib import Path

from etalis_py.checkpoints.folder import write_whole

__all__ = ["BackgroundFiles"]


class BackgroundFiles:
    """Those in a folder; the methods may be called in any thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._held: Counter[str] = Counter()

    def path(self, name: str) -> Path:
        """Where the file is."""
        return self._folder / name

    def hold(self, content: bytes, suffix: str) -> str:
        """Bring a file to the disk; its name. Until `let_go` it stays, whatever is collected."""
        name = f"background-{hashlib.sha256(content).hexdigest()[:32]}{suffix}"
        with self._lock:
            self._held[name] += 1
        try:
            write_whole(self.path(name), content)
        except BaseException:
            self.let_go(name)
            raise
        return name

    def let_go(self, name: str) -> None:
        """Nobody waits for it any more."""
        with self._lock:
            self._held[name] -= 1

    def collect(self, needed: str | None) -> None:
        """Remove all files but the one that is ``needed``, and those that are held."""
        with self._lock:
            for path in self._folder.glob("background-*"):
                if path.name != needed and not self._held[path.name.removesuffix(".new")]:
                    path.unlink(missing_ok=True)
            self._held = +self._held
