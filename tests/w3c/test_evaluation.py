"""The W3C's evaluation tests give what they are to give, but for those that failures.txt lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.w3c.manifests import FOLDERS, read_tests
from tests.w3c.running import problem_of

LIST = Path(__file__).with_name("failures.txt")


def known_failures() -> dict[str, str]:
    """The name of each test that fails, and why."""
    lines = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    listed = [line.partition(": ")[::2] for line in lines]
    assert all(reason for _, reason in listed), "a test in failures.txt has no reason"
    assert len(dict(listed)) == len(listed), "a test is twice in failures.txt"
    return dict(listed)


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_fails_is_listed(shared_w3c: Path, folder: str) -> None:
    tests = [test for test in read_tests(shared_w3c, folder) if test.result is not None]
    problems = {test.name: problem_of(test) for test in tests}
    failed = {name: problem for name, problem in problems.items() if problem}
    listed = {name for name in known_failures() if name.startswith(f"{folder}/")}
    wrong = [f"{name} fails: {problem}" for name, problem in failed.items() if name not in listed]
    wrong += [
        f"{name} is in failures.txt, and is right" for name in listed & (problems.keys() - failed.keys())
    ]
    wrong += [f"{name} is in failures.txt, and there is no such test" for name in listed - problems.keys()]
    assert not wrong, "\n".join(sorted(wrong))


def test_the_list_names_known_folders() -> None:
    assert {name.partition("/")[0] for name in known_failures()} <= set(FOLDERS)
