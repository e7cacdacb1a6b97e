"""Building SWI-Prolog once, from the distribution's own source archive, where no package is new enough.

The archive comes from a newer suite of the same distribution, through the mirror that apt already uses and
checked by apt as any package is. Nothing is installed outside the cache folder but what the build needs.
"""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from etalis_py.core.cache import cache_folder
from etalis_py.provision import apt
from etalis_py.provision.commands import CommandError, output_of, run_logged
from etalis_py.provision.console import SetupError, step
from etalis_py.provision.places import PROJECT, locked
from etalis_py.provision.swipl import OLDEST, Swipl, cached_builds, probe, version_number

__all__ = ["BUILD_PACKAGES", "build", "compile_libraries", "complete"]

BUILD_PACKAGES = (
    *("cmake", "ninja-build", "gcc", "g++", "libc6-dev"),
    *("libgmp-dev", "zlib1g-dev", "libncurses-dev", "libedit-dev"),
    *("libpcre2-dev", "libssl-dev"),
)

_NEWER_SUITES = {"debian": ("trixie", "testing"), "ubuntu": ("resolute", "questing")}
"""Suites whose SWI-Prolog is new enough, the first one tried with."""

_COMPONENTS = {"debian": "main", "ubuntu": "universe"}

_LEFT_OUT = ("ARCHIVE", "BDB", "JAVA", "ODBC", "QT", "TIPC", "X", "YAML")
"""Parts that no rule uses and that would need more libraries."""

_CMAKE_OPTIONS = (
    *("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "-DINSTALL_DOCUMENTATION=OFF"),
    *(f"-DSWIPL_PACKAGES_{part}=OFF" for part in _LEFT_OUT),
    # Debian's archive lacks jQuery, which only the web server's pages use: say that the system may have it.
    *("-DJQUERYDIR=/usr/share/javascript/jquery", "-DJQUERYFILE=jquery.min.js"),
)

_COMPILE_LIBRARIES = (
    "use_module('rules/engine/engine.pl', []),"
    " current_prolog_flag(home, Home), atom_concat(Home, '/library/', Folder),"
    " findall(File, (source_file(File), sub_atom(File, 0, _, _, Folder)), Files),"
    " forall(member(File, Files), qcompile(File))"
)


def build() -> Swipl:
    """A SWI-Prolog in the cache: built now, or by another set-up while this one waited for it.

    ``ETALIS_SWIPL_SOURCE`` names a source archive to use instead of the distribution's.
    Raises ``SetupError`` where the archive cannot be had, the build fails or its result lacks something.
    """
    with locked(cache_folder()):
        for found in cached_builds():
            if not found.lacks:
                return found
        log = cache_folder() / "swipl-build.log"
        log.unlink(missing_ok=True)
        for abandoned in cache_folder().glob("build-*"):
            shutil.rmtree(abandoned)
        with tempfile.TemporaryDirectory(prefix="build-", dir=cache_folder()) as folder:
            try:
                return _build_in(Path(folder), log)
            except CommandError as failure:
                raise SetupError(
                    "EP531",
                    f"SWI-Prolog could not be built:\n{failure}",
                    hint=f"the whole log is {log}; or put any swipl from 9.1.12 on first on PATH",
                ) from failure


def _build_in(folder: Path, log: Path) -> Swipl:
    if named := os.environ.get("ETALIS_SWIPL_SOURCE"):
        archive = Path(named).expanduser().resolve()
    else:
        with step("fetching SWI-Prolog's source archive from the distribution (12 MB)"):
            archive = _fetch(folder, log)
    version = ".".join(map(str, version_number(archive.name.partition("prolog")[2].lstrip("_-"))))
    target = cache_folder() / f"swipl-{version}"
    with step(f"building SWI-Prolog {version}, once (a minute on 2 cores; the log is {log})"):
        staged = _compile(archive, folder, target, log)
        shutil.rmtree(target, ignore_errors=True)
        staged.rename(target)
    swipl = probe(target / "bin" / "swipl")
    if swipl is None or swipl.lacks:
        lacks = ", ".join(swipl.lacks) if swipl else "a start"
        raise SetupError("EP531", f"the SWI-Prolog that was built lacks {lacks}", hint=f"the log is {log}")
    return swipl


def complete(swipl: Swipl) -> None:
    """Compile the libraries of a SWI-Prolog in the cache, now or by an earlier set-up.

    Raises ``SetupError`` where that does not work.
    """
    if not swipl.program.is_relative_to(cache_folder()):
        return
    with locked(cache_folder()):
        if (swipl.home / "library" / "macros.qlf").exists():
            return
        log = cache_folder() / "swipl-libraries.log"
        with step(f"compiling libraries of {swipl}, once"):
            try:
                compile_libraries(swipl.program, log)
            except CommandError as failure:
                hint = f"the whole log is {log}"
                raise SetupError("EP531", f"libraries cannot be compiled:\n{failure}", hint=hint) from failure


def compile_libraries(program: Path, log: Path) -> None:
    """Compile the libraries that rules use, so that an engine starts in 0.07 s less.

    Raises ``CommandError`` where it does not work.
    """
    run_logged([str(program), "-f", "none", "-g", _COMPILE_LIBRARIES, "-t", "halt"], log, cwd=PROJECT)


def _compile(archive: Path, folder: Path, target: Path, log: Path) -> Path:
    """Compile ``archive`` for ``target``, and give the folder that is to become ``target``."""
    sources = folder / "sources"
    with tarfile.open(archive) as opened:
        opened.extractall(sources)  # noqa: S202 - apt has checked the archive, or the user named it
    (top,) = (entry for entry in sources.iterdir() if entry.is_dir())
    # Whatever the options, a test of the interface for C++ is compiled, for longer than most packages.
    (top / "packages" / "cpp" / "CMakeLists.txt").write_text("")
    made, staging = folder / "made", folder / "staging"
    folders = ("-S", str(top), "-B", str(made), f"-DCMAKE_INSTALL_PREFIX={target}")
    run_logged(["cmake", *folders, *_CMAKE_OPTIONS], log)
    run_logged(["ninja", "-C", str(made)], log)
    run_logged(["ninja", "-C", str(made), "install"], log, env={"DESTDIR": str(staging)})
    return staging / target.relative_to("/")


def _fetch(folder: Path, log: Path) -> Path:
    release = _os_release()
    kin = [release["ID"], *release["ID_LIKE"].split()]
    family = next((name for name in kin if name in _NEWER_SUITES), None)
    failure = "this system's apt names no mirror to fetch it from"
    if family and apt.installed():
        for mirror in dict.fromkeys(_mirrors(release)):
            for suite in _NEWER_SUITES[family]:
                try:
                    return _fetch_from(mirror, suite, family, folder / suite, log)
                except CommandError as failed:
                    failure = str(failed)
    raise SetupError(
        "EP531",
        f"SWI-Prolog {'.'.join(map(str, OLDEST))} or newer is needed, none was found, and its source archive "
        f"could not be fetched:\n{failure}",
        hint="install it (its site has packages and sources) and put its swipl on PATH, or name a source "
        "archive in ETALIS_SWIPL_SOURCE; then run make setup again",
    )


def _fetch_from(mirror: str, suite: str, family: str, folder: Path, log: Path) -> Path:
    """Fetch by apt with lists and sources of its own: the machine's apt stays as it is."""
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True)
    keyring = Path(f"/usr/share/keyrings/{family}-archive-keyring.gpg")
    signed = f"[signed-by={keyring}] " if keyring.is_file() else ""
    sources = folder / "sources.list"
    sources.write_text(f"deb-src {signed}{mirror} {suite} {_COMPONENTS[family]}\n")
    settings = {
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": folder / "lists",
        "Dir::Cache": folder / "cache",
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
        "Acquire::Retries": "3",
    }
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    source = ("source", "--download-only", "--tar-only", "swi-prolog")
    for command in (("update",), source):
        run_logged(["apt-get", *options, "-q", *command], log, cwd=folder)
    archive = next(folder.glob("swi-prolog_*.orig.tar.*"), None)
    if archive is None or version_number(archive.name.partition("_")[2]) < OLDEST:
        raise CommandError(f"    the suite {suite} has no source archive that is new enough")
    return archive


def _mirrors(release: dict[str, str]) -> Iterator[str]:
    """The addresses that apt's own configuration gives for this distribution's packages."""
    fields = "$(CREATED_BY) $(COMPONENT) $(RELEASE) $(CODENAME) $(REPO_URI)"
    codenames = {name for key, name in release.items() if key.endswith("CODENAME") and name}
    for line in (output_of(["apt-get", "indextargets", "--format", fields]) or "").splitlines():
        words = line.split()
        if len(words) == 5 and words[:2] == ["Packages", "main"] and codenames & {words[2], words[3]}:
            yield words[4]


def _os_release() -> dict[str, str]:
    wanted = ("ID", "ID_LIKE", "VERSION_CODENAME", "DEBIAN_CODENAME", "UBUNTU_CODENAME")
    found = dict.fromkeys(wanted, "")
    try:
        text = Path("/etc/os-release").read_text()
    except OSError:
        return found
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name in found:
            found[name] = value.strip("\"'")
    return found
