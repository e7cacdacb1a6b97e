"""Which SWI-Prolog is taken, and what is said of one that is not."""

from __future__ import annotations

import shutil
from pathlib import Path
from threading import Event

import pytest

from etalis_py.provision import apt, steps, swipl, swipl_build
from etalis_py.provision.commands import output_of
from etalis_py.provision.console import SetupError
from tests.patience import PATIENCE


def pretend(folder: Path, number: int, *, headers: bool = True, says: str = "") -> Path:
    """A program that answers like a ``swipl`` of version ``number`` (9 02 09), installed in ``folder``."""
    home = folder / "home"
    (home / "include").mkdir(parents=True)
    (home / "libswipl.so").touch()
    if headers:
        (home / "include" / "SWI-Prolog.h").touch()
    variables = f'PLBASE="{home}";\nPLVERSION="{number}";\nPLSHARED="yes";\nPLLIBSWIPL="{home}/libswipl.so";'
    program = folder / "swipl"
    program.write_text(f"#!/bin/sh\ncase $1 in --dump*) echo '{variables}' ;; *) echo '{says}' ;; esac\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No apt, no cache, and a PATH that holds nothing but a shell."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("ETALIS_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_the_first_that_lacks_nothing_is_taken(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old = pretend(bare_machine / "old", 90004)
    good = pretend(bare_machine / "good", 90209)
    pretend(bare_machine / "later", 100000)
    folders = [*map(str, (old.parent, good.parent, bare_machine / "later")), str(bare_machine / "bin")]
    monkeypatch.setenv("PATH", ":".join(folders))
    assert steps.find_swipl().program == good
    monkeypatch.setattr(steps.python_env, "packages_needed", list)
    assert steps.provide_packages("all").program == good
    assert "9.0.4 " in capsys.readouterr().out


def test_what_a_swipl_lacks_is_named(bare_machine: Path) -> None:
    program = pretend(bare_machine / "poor", 90209, headers=False, says="library(pcre)")
    found = swipl.probe(program)
    assert found is not None
    assert found.lacks == ("its C headers", "library(pcre)")


def test_a_build_in_the_cache_is_used_again(bare_machine: Path) -> None:
    pretend(bare_machine / "cache" / "swipl-9.2.8" / "bin", 90208)
    newest = pretend(bare_machine / "cache" / "swipl-9.2.11" / "bin", 90211)
    assert steps.find_swipl().program == newest
    assert swipl_build.build().program == newest


def test_a_build_in_the_cache_is_completed_once(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_libraries(program: Path, log: Path) -> None:
        completed.append(program)
        (program.parent / "home" / "library").mkdir()
        (program.parent / "home" / "library" / "macros.qlf").touch()

    completed: list[Path] = []
    monkeypatch.setattr(swipl_build, "compile_libraries", compile_libraries)
    ours, theirs = (pretend(bare_machine / each, 90209) for each in ("cache/swipl-9.2.9/bin", "theirs"))
    for program in (ours, theirs, ours):
        swipl_build.complete(swipl.probe(program))
    assert completed == [ours]


def test_a_program_that_does_not_answer_is_no_swipl(bare_machine: Path) -> None:
    program = bare_machine / "bin" / "swipl"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    assert swipl.probe(program) is None
    assert list(swipl.on_path()) == []


def test_a_build_has_the_libraries_compiled_that_rules_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = next(each for each in [*swipl.cached_builds(), *swipl.on_path()] if not each.lacks)
    home = shutil.copytree(real.home, tmp_path / "home", symlinks=True)
    for compiled in home.rglob("*.qlf"):
        compiled.unlink()
    monkeypatch.setenv("SWI_HOME_DIR", str(home))
    swipl_build.compile_libraries(real.program, tmp_path / "log")
    assert {"aggregate.qlf", "lists.qlf", "rbtrees.qlf"} <= {each.name for each in home.rglob("*.qlf")}
    goal = "use_module(library(aggregate)), aggregate_all(count, member(_, [a, b]), 2), write(works)"
    command = [str(real.program), "-f", "none", "-g", goal, "-t", "halt"]
    assert output_of(command) == "works"


def test_the_real_one_lacks_nothing() -> None:
    """The SWI-Prolog this environment was made for passes the check that chose it."""
    builds = [*swipl.on_path(), *swipl.cached_builds()]
    assert any(not build.lacks for build in builds)


def test_the_distribution_is_found_by_its_own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (
        "Packages main stable bookworm mirror://one/\n"
        "Packages main bookworm-updates bookworm-updates mirror://two/\n"
        "Packages stable bookworm  mirror://other/\n"
        "DEP-11 main bookworm bookworm mirror://three/\n"
    )
    monkeypatch.setattr(swipl_build, "output_of", lambda _: lines)
    names = {"VERSION_CODENAME": "bookworm", "DEBIAN_CODENAME": "", "UBUNTU_CODENAME": ""}
    assert list(swipl_build._mirrors(names)) == ["mirror://one/"]


def test_nothing_is_asked_of_a_machine_without_apt(bare_machine: Path) -> None:
    assert not apt.installed()


def test_it_is_built_while_packages_are_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installing, done = Event(), []
    built = swipl.probe(pretend(tmp_path, 90209))

    def build() -> swipl.Swipl | None:
        assert installing.wait(PATIENCE)
        return built

    monkeypatch.setattr(steps, "provide_packages", lambda _: None)

    def fill(*, demo_only: bool) -> None:
        done.append(demo_only)
        installing.set()

    monkeypatch.setattr(steps.swipl_build, "build", build)
    for name in ("create", "link_checkout"):
        monkeypatch.setattr(steps.python_env, name, lambda name=name: done.append(name))
    monkeypatch.setattr(
        steps.python_env, "fill", lambda demo_only: (done.append(demo_only), installing.set())
    )
    monkeypatch.setattr(steps.python_env, "add_janus", done.append)
    assert steps.make_environment("demo") is built
    assert done == ["create", True, built, "link_checkout"]


def test_a_build_that_fails_ends_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def build() -> None:
        raise SetupError("EP531", "SWI-Prolog could not be built")

    monkeypatch.setattr(steps, "provide_packages", lambda _: None)
    monkeypatch.setattr(steps.swipl_build, "build", build)
    monkeypatch.setattr(steps.python_env, "create", lambda: None)
    monkeypatch.setattr(steps.python_env, "fill", lambda **_: None)
    with pytest.raises(SetupError, match="EP531"):
        steps.make_environment("all")
