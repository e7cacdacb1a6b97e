"""``make wheel``: it works with Python alone, and takes nothing of this machine but what every Linux has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from etalis_py.packing.libraries import is_of_the_system
from etalis_py.packing.wheel import bundled_wheel
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="it is for Linux"),
    pytest.mark.skipif(shutil.which("strip") is None, reason="there is no strip (binutils)"),
]

MOST = 25 * 2**20
ASKED = """
from etalis_py import Engine
with Engine(rules=["r.pl"]) as engine:
    engine.register(
        "SELECT ?z { { ?x <urn:a> ?y } SEQ { ?x <urn:b> ?z FILTER(REGEX(SHA256(MD5(STR(?z))), '^.+$')) } }"
    )
    events = {"s": ["<urn:x>"] * 2, "p": ["<urn:a>", "<urn:b>"], "o": ["<urn:y>"] * 2}
    engine.send_batch({"start": [1, 2], **events})
    engine.finish()
    print([str(each["z"]) for each in engine.matches()])
    print([str(each["X"]) for each in engine.prolog("even(X)")])
for line in open("/proc/self/maps"):
    if ".so" in line:
        print(line.split()[-1])
"""


@pytest.fixture(scope="module")
def bundled(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundled_wheel(wheel, tmp_path_factory.mktemp("bundled"))


def test_its_name_says_what_it_is_for_and_it_is_small(bundled: Path) -> None:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert re.fullmatch(rf"etalis_py-.*-{python}-{python}-manylinux_2_\d+_\w+\.whl", bundled.name)
    assert bundled.stat().st_size < MOST
    with zipfile.ZipFile(bundled) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        assert "Requires-Dist: janus-swi" not in archive.read(metadata).decode()
        assert "Requires-Dist: lark" in archive.read(metadata).decode()


def test_equal_files_make_an_equal_wheel(bundled: Path, wheel: Path, tmp_path: Path) -> None:
    assert bundled_wheel(wheel, tmp_path).read_bytes() == bundled.read_bytes()


def test_it_runs_without_anything_else(bundled: Path, tmp_path: Path) -> None:
    place = tmp_path / "env"
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
    ]
    subprocess.run([*pip, str(bundled)], check=True)
    packages = place / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    for package in Path(sysconfig.get_path("purelib")).iterdir():  # all but what the wheel brings
        if not re.match(r"_?_?(janus|etalis|easy-install)", package.name):
            (packages / package.name).symlink_to(package) if not (packages / package.name).exists() else None
    (tmp_path / "r.pl").write_text(
        ":- use_module(library(clpfd)).\neven(X) :- X in 1..4, X mod 2 #= 0, label([X]).\n"
    )
    done = subprocess.run(
        [python, "-c", ASKED], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE,
        env={"PATH": "", "HOME": str(tmp_path), "LANG": "C.UTF-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers, even, *libraries = done.stdout.splitlines()
    assert (answers, even) == ("['urn:y']", "['2', '4']")
    elsewhere = {
        each for each in libraries
        if not each.startswith((str(place), sysconfig.get_path("purelib"), sysconfig.get_path("stdlib")))
        and not is_of_the_system(Path(each).name)
    }  # fmt: skip
    assert not {each for each in elsewhere if "swipl" in each or "janus" in each or "native" in each}
    assert [each for each in libraries if "bundled" in each and "libswipl" in each]
