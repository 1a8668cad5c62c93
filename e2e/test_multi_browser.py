"""One bundle in several browsers: behind Playwright servers, one of which dies, and behind a DevTools port."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from e2e.conftest import Webbuild
from e2e.test_bench import means  # noqa: F401 (a fixture)
from webbuild.bench.bench import EAGER_MEMORY_FLAG, bench
from webbuild.bench.report import BenchReport, exit_code
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.chromium_flags import chromium_flags
from webbuild.browser.open_browser import parse_endpoints


@contextmanager
def launched(folder: Path, chromium: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Run a browser behind its own Playwright server; yield its address, and a function that kills it."""
    config = folder / "server.json"
    config.write_text(
        json.dumps({"executablePath": str(chromium), "args": [*chromium_flags(webgpu=True), EAGER_MEMORY_FLAG]})
    )
    command = [sys.executable, "-m", "playwright", "launch-server", "--browser", "chromium", "--config", str(config)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)

    def end() -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("ws://")
        yield address, end
    finally:
        end()
        process.wait(20)


@contextmanager
def listening(profile: Path, chromium: Path) -> Iterator[str]:
    """Run a browser with a DevTools port, as a user starts one; yield the port's address."""
    own = ("--remote-debugging-address=127.0.0.1", "--remote-debugging-port=0", f"--user-data-dir={profile}")
    command = [str(chromium), *chromium_flags(webgpu=True), *own, "about:blank"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    port_file = profile / "DevToolsActivePort"
    try:
        for _ in range(3000):
            if port_file.is_file() and port_file.read_text().count("\n"):
                break
            assert process.poll() is None
            time.sleep(0.1)
        yield f"http://127.0.0.1:{int(port_file.read_text().split()[0])}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(20)


@pytest.fixture(scope="module")
def chromium_path(webgpu: BrowserHandle) -> Path:
    assert webgpu.path is not None
    return webgpu.path


def test_verify_in_two_browsers_and_none(webbuild: Webbuild, means: Path, chromium_path: Path, tmp_path: Path) -> None:  # noqa: F811
    with launched(tmp_path, chromium_path) as (first, _), launched(tmp_path, chromium_path) as (second, _):
        at = ("--connect", first, "--connect", "ws://127.0.0.1:9/nobody", "--connect", second)
        done = webbuild("verify", means, "--backend", "webgpu", *at, "--json")
    assert done.returncode == 1
    assert "2 of 3 browsers give the same results" in done.stderr
    found = json.loads(done.stdout)["browsers"]
    assert [each["where"] for each in found] == [first, "ws://127.0.0.1:9/nobody", second]
    assert [each["problem"] and each["problem"]["code"] for each in found] == [None, "cannot-connect", None]
    for each in (found[0], found[2]):
        (run,) = each["report"]["backends"]
        assert run["adapter"]
        assert {c["verdict"] for result in run["results"] for c in result["comparisons"]} == {"OK"}
        assert "expose_network" in each["report"]["environment"]["browserPath"]


def test_verify_and_bench_in_a_browser_that_was_started_by_hand(
    webbuild: Webbuild,
    means: Path,  # noqa: F811
    chromium_path: Path,
    tmp_path: Path,
) -> None:
    """As Chrome and Edge start with `--remote-debugging-port`: both backends work, and the browser keeps running."""
    with listening(tmp_path / "profile", chromium_path) as address:
        done = webbuild("verify", means, "--connect", address, "--json")
        benched = webbuild("bench", means, "--backend", "webgpu", "--connect", address, "--runs", 3, "--json")
        with urllib.request.urlopen(f"{address}/json/version", timeout=300) as answer:
            assert "Chrome" in json.load(answer)["Browser"]
    assert (done.returncode, benched.returncode) == (0, 0), done.stderr + benched.stderr
    report = json.loads(done.stdout)
    assert report["environment"]["browserPath"].startswith(address)
    assert "from this machine" in report["environment"]["browserPath"]
    assert [run["backend"] for run in report["backends"]] == ["wasm", "webgpu"]
    judged = [each for run in report["backends"] for result in run["results"] for each in result["comparisons"]]
    assert {each["verdict"] for each in judged} == {"OK"}
    assert all(each["signal"] > 0 for each in judged)
    (row,) = json.loads(benched.stdout)["backends"]
    assert (row["endpoint"], len(row["runTimes"]["runs"]), row["problems"]) == (address, 3, [])


def test_a_browser_that_dies_in_the_middle_is_told_of_and_the_rest_finish(
    means: Path,  # noqa: F811
    chromium_path: Path,
    tmp_path: Path,
) -> None:
    with launched(tmp_path, chromium_path) as (first, end), launched(tmp_path, chromium_path) as (second, _):

        def say(what: str) -> None:
            if what == "webgpu: 5 runs":
                end()  # the first time; there is nothing to end after that

        def measured() -> BenchReport:
            return bench(means, at=parse_endpoints([first, second]), runs=5, say=say)

        with ThreadPoolExecutor(1) as apart:  # Playwright has one event loop a thread, and this one's is taken
            report = apart.submit(measured).result()
    assert exit_code(report) == 1
    assert [(row.endpoint, row.backend) for row in report.backends] == [
        (where, backend) for where in (first, second) for backend in ("webgpu", "wasm")
    ]
    assert [row.problems[0].code for row in report.backends[:2]] == ["page-failed", "browser-disconnected"]
    assert report.backends[0].first_load is not None
    assert all(row.measured and not row.problems for row in report.backends[2:])
