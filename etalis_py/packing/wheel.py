"""``make wheel``: a wheel for Linux that brings SWI-Prolog, so that it needs Python alone.

The pure wheel, and beside its files a folder ``bundled``: SWI-Prolog and the shared libraries it needs, janus
as built for them, and the native libraries of the rules. A wheel is for one version of Python, one kind of
processor, and a glibc not older than what its files ask for (PEP 600). What the files are is in PEP 427.
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath
from typing import Final

from etalis_py.embedding.bundled import ABOUT, FOLDER
from etalis_py.packing.entries import Entry
from etalis_py.packing.libraries import needed_libraries
from etalis_py.packing.packages import OWN, native_libraries, package_files
from etalis_py.packing.problems import PackError
from etalis_py.packing.prolog_home import prolog_files, prolog_home

__all__ = ["bundled_wheel", "main"]

_BUNDLED: Final = PurePosixPath(OWN, FOLDER)
_LEFT_OUT: Final = frozenset(
    {"PDT", "ltx2htm", "libedit", "mqi", "pldoc", "readline", "redis", "ssl", "stomp", "sweep", "swipy"}
)
"""Libraries of SWI-Prolog that serve its own terminal, its documentation or other programs."""
_MODULES_LEFT_OUT: Final = frozenset(
    {
        "crypt.so",
        "crypto4pl.so",
        "libedit4pl.so",
        "pdt_console.so",
        "readline4pl.so",
        "redis4pl.so",
        "ssl4pl.so",
    }
)
"""Those that would bring OpenSSL, or a terminal."""
_find_glibc = re.compile(rb"\bGLIBC_2\.(\d+)\b").findall
_replace_janus = re.compile(r"^Requires-Dist: janus-swi.*\n", re.MULTILINE).sub


def bundled_wheel(pure: Path, folder: Path) -> Path:
    """Make a wheel in ``folder`` of a pure one and the SWI-Prolog of this machine.

    Raises:
        PackError: EP611, this is not Linux, or SWI-Prolog does not run here.
    """
    if sys.platform != "linux":
        raise PackError("EP611", f"a wheel with SWI-Prolog is made on Linux, and this is {sys.platform}")
    with tempfile.TemporaryDirectory() as made, zipfile.ZipFile(pure) as own:
        files = dict(_stripped(_bundled_files(), Path(made)))
        tag = _tag(files.values())
        name, version = pure.name.split("-")[:2]
        about = f"{name}-{version}.dist-info"
        wheel = folder / f"{name}-{version}-{tag}.whl"
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
            record = _Record(target, f"{about}/RECORD")
            for each in own.infolist():
                content = own.read(each)
                if each.filename == f"{about}/METADATA":
                    content = _replace_janus("", content.decode()).encode()
                elif each.filename == f"{about}/WHEEL":
                    content = _about_wheel(tag).encode()
                record.add(each.filename, content)
            for inside, source in files.items():
                record.add(inside, source.read_bytes())
            record.end()
    return wheel


def _bundled_files() -> Iterator[Entry]:
    home, version = prolog_home()
    modules = [each for each in prolog_files(home, _LEFT_OUT) if each.name.name not in _MODULES_LEFT_OUT]
    yield from (Entry(each.source, _BUNDLED / each.name) for each in modules)
    files = package_files([distribution("janus-swi")], _BUNDLED)
    janus = [each for each in files if each.name.suffix in (".py", ".pl", ".so")]  # not what it was built of
    yield from janus
    yield Entry(Path(__file__).with_name("notices.txt"), _BUNDLED / "notices.txt")
    needed = needed_libraries(each.source for each in (*modules, *janus) if ".so" in each.name.suffixes)
    yield from (Entry(source, _BUNDLED / "lib" / name) for name, source in needed.items())
    yield from native_libraries(PurePosixPath())
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as note:
        json.dump({"swipl": version, "libraries": _in_order(needed)}, note)
        note.flush()
        yield Entry(Path(note.name), _BUNDLED / ABOUT)


def _in_order(libraries: Mapping[str, Path]) -> list[str]:
    """Their names, so that each comes after those that it needs."""
    needs = {name: needed_libraries([place]).keys() - {name} for name, place in libraries.items()}
    return sorted(needs, key=lambda name: (len(needs[name]), name))


def _stripped(entries: Iterable[Entry], folder: Path) -> Iterator[tuple[str, Path]]:
    """The files by their names in the wheel, binaries without what only debuggers read."""
    for number, each in enumerate(entries):
        copy = folder / str(number)
        copy.write_bytes(each.source.read_bytes())
        if ".so" in each.name.suffixes:
            subprocess.run(["strip", "--strip-unneeded", str(copy)], check=True)
        yield str(each.name), copy


def _tag(files: Iterable[Path]) -> str:
    r"""The Python, its ABI, and the platform, by the newest glibc that a file asks for.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as made:
    ...     _ = Path(made, "a.so").write_bytes(b"\x7fELF GLIBC_2.17 GLIBC_2.34 ")
    ...     _tag([Path(made, "a.so")]).partition("manylinux")[2].startswith("_2_34_")
    True
    """
    asked = (int(each) for file in files for each in _find_glibc(_binary(file)))
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert sysconfig.get_config_var("SOABI"), "this is CPython"
    return f"{python}-{python}-manylinux_2_{max(asked)}_{platform.machine()}"


def _binary(file: Path) -> bytes:
    content = file.read_bytes()
    return content if content.startswith(b"\x7fELF") else b""


def _about_wheel(tag: str) -> str:
    return f"Wheel-Version: 1.0\nGenerator: etalis_py make wheel\nRoot-Is-Purelib: false\nTag: {tag}\n"


class _Record:
    """The files of a wheel with their digests, which are its last file."""

    def __init__(self, wheel: zipfile.ZipFile, name: str) -> None:
        self._wheel = wheel
        self._name = name
        self._lines: list[str] = []

    def add(self, name: str, content: bytes) -> None:
        if name == self._name:
            return
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._lines.append(f"{name},sha256={digest},{len(content)}\n")
        self._wheel.writestr(_file(name), content)

    def end(self) -> None:
        self._wheel.writestr(_file(self._name), "".join([*self._lines, f"{self._name},,\n"]))


def _file(name: str) -> zipfile.ZipInfo:
    """With a date of its own, so that equal files make an equal wheel."""
    info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
    info.external_attr = (0o755 if ".so" in PurePosixPath(name).suffixes else 0o644) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def main(words: list[str]) -> int:
    """``PURE.whl FOLDER``: write the wheel, and say what it is."""
    wheel = bundled_wheel(Path(words[0]), Path(words[1]))
    print(f"{wheel}: {wheel.stat().st_size / 2**20:.1f} MiB")  # noqa: T201 - for make
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
