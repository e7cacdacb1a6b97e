"""The files by which a server is kept running say what the server has."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from etalis_py.cli.arguments import command_parser
from etalis_py.serve.operations import OPERATIONS

DEPLOY = Path(__file__).resolve().parents[2] / "docs" / "deploy"
PATHS = {each.path for each in OPERATIONS}


def parsed(words: list[str]) -> Any:
    """The arguments; an option that is not there is an error."""
    return command_parser().parse_args(words)


def test_systemd(tmp_path: Path) -> None:
    text = (DEPLOY / "etalis.service").read_text()
    command = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)
    assert command is not None
    assert parsed(command[1].split()[1:]).state == "/var/lib/etalis"
    if shutil.which("systemd-analyze") is None:
        return
    unit = tmp_path / "etalis.service"
    unit.write_text(text.replace("/opt/etalis/bin/etalis", "/bin/true"))
    checked = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert "Unknown" not in checked.stderr


def test_compose() -> None:
    service = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["etalis"]
    arguments = parsed(service["command"].split())
    assert arguments.source == [["mqtt://broker/sensors/+"]]
    assert "/ready" in service["healthcheck"]["test"][-1]


def test_kubernetes() -> None:
    pod, service = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())
    [container] = pod["spec"]["template"]["spec"]["containers"]
    assert parsed(container["args"]).tokens == "/secrets/tokens.yaml"
    probes = {container[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "liveness", "readiness")}
    assert probes <= PATHS
    mounted = {each["name"] for each in container["volumeMounts"]}
    given = {each["name"] for each in pod["spec"]["template"]["spec"]["volumes"]}
    claimed = {each["metadata"]["name"] for each in pod["spec"]["volumeClaimTemplates"]}
    assert mounted == given | claimed
    assert service["spec"]["selector"] == pod["spec"]["template"]["metadata"]["labels"]


@pytest.mark.parametrize("name", ["etalis_waiting_bytes", "etalis_bad_records_total", "etalis_clock_seconds"])
def test_numbers_that_the_page_names_are_there(name: str) -> None:
    metrics = Path(__file__).resolve().parents[2] / "etalis_py" / "serve" / "metrics.py"
    assert name.removesuffix("_total") in metrics.read_text()
