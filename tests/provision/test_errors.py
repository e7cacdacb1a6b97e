"""What set-up says where it cannot go on: one golden text a code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from etalis_py.core.explanations import MESSAGES
from etalis_py.provision import apt, java, python_env, swipl_build
from etalis_py.provision.console import SetupError


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No apt, no cache, no right to anything, and logs in a place of their own."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("ETALIS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(python_env, "SETUP_LOG", Path("setup.log"))
    monkeypatch.chdir(tmp_path)


def no_prolog() -> None:
    swipl_build.build()


def no_rights() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apt, "installed", lambda: True)
        patch.setattr(apt, "_become_root", lambda: None)
        apt.require(["cmake", "ninja-build"], "etalis_py", wished=["openjdk-17-jre-headless"])


def no_packages() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(python_env, "_PIP", ("sh", "-c", "echo no matching distribution; exit 1"))
        patch.setenv("PATH", "/bin:/usr/bin")
        python_env.link_checkout()


def no_java() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JAVA_HOME", raising=False)
        patch.setattr(java, "_USUAL_PLACES", ())
        java.lead_spark_to_java()


@pytest.mark.parametrize(
    ("code", "trigger"),
    [("EP531", no_prolog), ("EP532", no_rights), ("EP533", no_packages), ("EP535", no_java)],
)
def test_message(code: str, trigger: Callable[[], None]) -> None:
    with pytest.raises(SetupError) as caught:
        trigger()
    assert f"{caught.value}\n" == (MESSAGES / f"{code}.txt").read_text()


def test_a_machine_without_apt_is_told_the_names_of_the_packages() -> None:
    with pytest.raises(SetupError, match="needs what Debian packages as: cmake ninja-build"):
        apt.require(["cmake", "ninja-build"], "building SWI-Prolog")
