"""Which Chromium is used, and the message when there is none."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from webbuild.browser import find_chromium as module
from webbuild.browser.chromium_flags import chromium_flags
from webbuild.browser.find_chromium import find_chromium, usual_places
from webbuild.errors import WebbuildError

pytestmark = pytest.mark.posix

PLATFORMS = ("linux", "darwin", "win32")


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_named_one_wins(tmp_path: Path) -> None:
    named = executable(tmp_path / "mine" / "chrome")
    executable(tmp_path / "bin" / "chromium")
    found = find_chromium(None, {"WEBBUILD_CHROMIUM": str(named), "PATH": str(tmp_path / "bin")})
    assert (found.path, found.source) == (named, "WEBBUILD_CHROMIUM")


def test_the_named_one_may_be_on_the_path(tmp_path: Path) -> None:
    named = executable(tmp_path / "bin" / "brave")
    assert find_chromium(None, {"WEBBUILD_CHROMIUM": "brave", "PATH": str(tmp_path / "bin")}).path == named


def test_a_wrong_name_is_an_error_and_no_other_is_taken(tmp_path: Path) -> None:
    executable(tmp_path / "bin" / "chromium")
    with pytest.raises(WebbuildError, match="WEBBUILD_CHROMIUM names /nowhere"):
        find_chromium(None, {"WEBBUILD_CHROMIUM": "/nowhere", "PATH": str(tmp_path / "bin")})


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_the_systems_comes_before_playwrights(tmp_path: Path, name: str) -> None:
    system, bundled = executable(tmp_path / "bin" / name), executable(tmp_path / "playwright" / "chrome")
    assert find_chromium(bundled, {"PATH": str(tmp_path / "bin")}).path == system


def test_playwrights_own_is_the_last_resort(tmp_path: Path) -> None:
    bundled = executable(tmp_path / "playwright" / "chrome")
    assert find_chromium(bundled, {"PATH": str(tmp_path)}).source == "Playwright's own"


@pytest.mark.parametrize("bundled", [None, Path("/nowhere/chrome")])
def test_none_at_all_names_every_mend(tmp_path: Path, bundled: Path | None) -> None:
    with pytest.raises(WebbuildError) as caught:
        find_chromium(bundled, {"PATH": str(tmp_path)})
    assert (caught.value.code, caught.value.exit_code) == ("no-chromium", 2)
    for fix in ("python -m playwright install chromium", "apt-get install chromium", "WEBBUILD_CHROMIUM"):
        assert fix in caught.value.fix


def test_a_real_gpu_is_asked_for_by_name() -> None:
    assert "--use-webgpu-adapter=swiftshader" in chromium_flags(webgpu=True, environ={})
    assert "--use-webgpu-adapter=swiftshader" not in chromium_flags(webgpu=True, environ={"WEBBUILD_GPU": "real"})
    assert "--enable-unsafe-webgpu" not in chromium_flags(webgpu=False, environ={})


def test_a_real_gpu_is_reached_through_vulkan_on_linux_alone() -> None:
    flags = {name: chromium_flags(webgpu=True, environ={"WEBBUILD_GPU": "real"}, platform=name) for name in PLATFORMS}
    for flag in ("--enable-features=Vulkan", "--use-angle=vulkan", "--disable-vulkan-surface"):
        assert [name for name in PLATFORMS if flag in flags[name]] == ["linux"]


def test_chrome_is_looked_for_where_it_is_installed_when_it_is_not_on_the_path() -> None:
    assert usual_places({}, "linux") == []
    chrome = PurePosixPath("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
    assert usual_places({}, "darwin")[0] == chrome
    environ = {"PROGRAMFILES": r"C:\Program Files", "LOCALAPPDATA": r"C:\Users\me\AppData\Local"}
    machine, own = usual_places(environ, "win32")
    assert machine == PureWindowsPath(r"C:\Program Files\Google\Chrome\Application\chrome.exe")
    assert own.is_relative_to(environ["LOCALAPPDATA"])


def test_chrome_where_it_is_installed_comes_before_playwrights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed, bundled = executable(tmp_path / "Chrome"), executable(tmp_path / "playwright" / "chrome")
    monkeypatch.setattr(module, "usual_places", lambda _: [tmp_path / "nowhere", installed])
    assert find_chromium(bundled, {"PATH": str(tmp_path)}).path == installed
