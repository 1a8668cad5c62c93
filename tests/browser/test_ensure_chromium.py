"""How each machine gets a browser, and the message when no way works."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from webbuild.browser.ensure_chromium import LocalSystem, ensure_chromium, error_summary, main
from webbuild.errors import WebbuildError

PLAYWRIGHTS, DEBIANS = "/playwright/chrome", "/usr/bin/chromium"


@dataclass
class Pretended(LocalSystem):
    """A fake machine: the files that exist, the browsers that start, and what each command installs."""

    there: set[str] = field(default_factory=set)
    starting: set[str] = field(default_factory=lambda: {PLAYWRIGHTS, DEBIANS})
    brings: dict[str, str] = field(default_factory=dict)
    """Word of a command -> the executable that exists afterwards; commands without one fail."""
    cures: dict[str, str] = field(default_factory=dict)
    """Word of a command -> the executable that starts afterwards."""
    driver: bool = True
    """Whether Playwright's driver starts; installing libatomic1 fixes it."""
    privileged: Sequence[str] | None = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)

    def which(self, name: str) -> Path | None:
        return next((Path(path) for path in sorted(self.there) if path in (name, f"/usr/bin/{name}")), None)

    def bundled(self) -> Path | None:
        return Path(PLAYWRIGHTS)

    def run(self, command: Sequence[str], seconds: float = 0) -> str | None:
        if list(command[-2:]) == ["playwright", "--version"]:
            return None if self.driver else "libatomic.so.1 is missing"
        if command[-1] in ("--version", "--help"):
            return None if command[0] in self.starting else "a library is missing"
        self.ran.append(" ".join(command))
        if "libatomic1" in command:
            self.driver = True
            return None
        for word, path in self.cures.items():
            if word in command:
                self.starting.add(path)
                return None
        for word, path in self.brings.items():
            if word in command:
                self.there.add(path)
                return None
        return "no network"

    def privilege(self) -> Sequence[str] | None:
        return self.privileged


def nothing_said(line: str) -> None:
    pass


def test_what_is_there_is_taken_and_nothing_is_run() -> None:
    machine = Pretended(there={DEBIANS, PLAYWRIGHTS})
    assert ensure_chromium(machine, nothing_said).path == Path(DEBIANS)
    assert machine.ran == []


def test_one_that_does_not_start_is_passed_over_aloud() -> None:
    said: list[str] = []
    machine = Pretended(there={DEBIANS, PLAYWRIGHTS}, starting={PLAYWRIGHTS})
    assert ensure_chromium(machine, said.append).path == Path(PLAYWRIGHTS)
    assert said == [f"Passing over {DEBIANS}, which does not start: a library is missing"]


def test_playwright_is_asked_first() -> None:
    machine = Pretended(there={"/usr/bin/apt-get"}, brings={"playwright": PLAYWRIGHTS, "apt-get": DEBIANS})
    assert ensure_chromium(machine, nothing_said).source == "Playwright's own"
    assert len(machine.ran) == 1


def test_playwrights_gets_its_libraries_from_root() -> None:
    machine = Pretended(
        starting=set(), brings={"install": PLAYWRIGHTS}, cures={"install-deps": PLAYWRIGHTS}, privileged=("sudo", "-n")
    )
    assert ensure_chromium(machine, nothing_said).path == Path(PLAYWRIGHTS)
    assert machine.ran[-1].startswith("sudo -n ")
    assert machine.ran[-1].endswith("install-deps chromium")


def test_without_playwrights_download_debian_helps_root() -> None:
    machine = Pretended(there={"/usr/bin/apt-get"}, brings={"apt-get": DEBIANS})
    assert ensure_chromium(machine, nothing_said).path == Path(DEBIANS)
    assert [line.split()[-1] for line in machine.ran] == ["chromium", "-q", "chromium"]


def test_a_driver_without_its_library_gets_it_from_root() -> None:
    machine = Pretended(there={"/usr/bin/apt-get", DEBIANS}, driver=False)
    assert ensure_chromium(machine, nothing_said).path == Path(DEBIANS)
    assert [line.split()[-1] for line in machine.ran] == ["-q", "libatomic1"]


@pytest.mark.parametrize("there", [{"/usr/bin/apt-get", DEBIANS}, {DEBIANS}], ids=["not root", "not Debian"])
def test_a_driver_that_does_not_start_is_an_error(there: set[str]) -> None:
    machine = Pretended(there=there, driver=False, privileged=None)
    with pytest.raises(WebbuildError, match=r"libatomic\.so\.1 is missing") as caught:
        ensure_chromium(machine, nothing_said)
    assert (caught.value.code, caught.value.exit_code) == ("no-playwright", 2)


@pytest.mark.parametrize(
    "machine",
    [
        pytest.param(
            Pretended(there={"/usr/bin/apt-get"}, brings={"apt-get": DEBIANS}, privileged=None), id="not root"
        ),
        pytest.param(Pretended(brings={"apt-get": DEBIANS}), id="not Debian"),
        pytest.param(Pretended(brings={"playwright": PLAYWRIGHTS}, starting=set(), privileged=None), id="no libraries"),
    ],
)
def test_where_nothing_helps_the_error_names_the_mend(machine: Pretended) -> None:
    with pytest.raises(WebbuildError) as caught:
        ensure_chromium(machine, nothing_said)
    assert (caught.value.code, caught.value.exit_code) == ("no-chromium", 2)
    assert "WEBBUILD_CHROMIUM" in caught.value.fix


@pytest.mark.parametrize("there", [set(), {"/mine/chrome"}], ids=["missing", "broken"])
def test_a_named_one_is_never_replaced(there: set[str]) -> None:
    machine = Pretended(there={DEBIANS, *there}, environ={"WEBBUILD_CHROMIUM": "/mine/chrome"})
    with pytest.raises(WebbuildError, match="/mine/chrome, which does not start"):
        ensure_chromium(machine, nothing_said)
    assert machine.ran == []


def test_stdout_is_the_path_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(Pretended(brings={"playwright": PLAYWRIGHTS})) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{PLAYWRIGHTS}\n"
    assert "Downloading Playwright's" in captured.err


def test_stdout_is_empty_when_there_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(Pretended()) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "error[no-chromium]" in captured.err


def test_a_failed_command_is_told_in_one_line() -> None:
    assert error_summary("Downloading\n\nError: getaddrinfo ENOTFOUND\n  at dns\n", 1) == "Error: getaddrinfo ENOTFOUND"
    assert error_summary("one\ntwo\n", 1) == "two"
    assert error_summary("", 7) == "exit code 7"


def test_commands_have_no_input_and_a_limit(tmp_path: Path) -> None:
    machine = LocalSystem()
    assert machine.run(["cat"]) is None
    assert machine.run([str(tmp_path / "missing")]) is not None
    assert "timed out" in (machine.run(["sleep", "9"], seconds=0.05) or "")
