"""Two executors that were given the archive: same answers, all from the archive, and deaths are survived."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from etalis_py.packing.libraries import is_of_the_system

pytestmark = [pytest.mark.spark, pytest.mark.long, pytest.mark.timeout(900)]

THINGS = 40
EXPECTED = sorted([f"urn:{i}", f"urn:v{i}", 2 * i, 2 * i + 1] for i in range(THINGS))


def test_workers_live_in_the_archive_and_one_death_is_survived(cluster) -> None:
    told = cluster("answers", "places", "killed_once")
    assert told["answers"] == {"value": EXPECTED}
    assert told["killed_once"] == {"value": EXPECTED}
    for worker in told["places"]["value"]:
        unpacked = f"{worker['work']}/environment"
        assert worker["prefix"] == unpacked
        assert worker["home"] == f"{unpacked}/swipl"
        assert worker["etalis_py"].startswith(unpacked)
        strange = [each for each in worker["libraries"] if not each.startswith(unpacked)]
        assert [each for each in strange if not is_of_the_system(PurePath(each).name)] == []


def test_deaths(cluster) -> None:
    told = cluster("executor_killed_once", "killed_always")
    assert told["executor_killed_once"] == {"value": EXPECTED}
    assert told["killed_always"]["code"] == "EP614"
