"""`webbuild new`: each template generated, built, checked by TypeScript, opened in Chromium."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from e2e.conftest import Webbuild
from e2e.fixture_apps import install, run
from webbuild.browser.console import Console
from webbuild.browser.server import Server

CHECK = (
    *("--ignoreConfig", "--noEmit", "--strict", "--allowJs", "--checkJs", "--skipLibCheck", "--types", ""),
    *("--module", "esnext", "--moduleResolution", "bundler", "--target", "es2022", "--lib", "es2023,dom,dom.iterable"),
)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Return a folder whose apps find the packages that `npm install` would fetch."""
    with_modules = install() / "new"
    shutil.rmtree(with_modules, ignore_errors=True)
    yield with_modules
    shutil.rmtree(with_modules, ignore_errors=True)


def link(app: Path) -> None:
    """Link `file:` dependencies, as `npm install` does."""
    described = json.loads((app / "package.json").read_text())
    for name, version in {**described["dependencies"], **described["devDependencies"]}.items():
        if version.startswith("file:"):
            (app / "node_modules" / name).parent.mkdir(parents=True, exist_ok=True)
            (app / "node_modules" / name).symlink_to(app / version.removeprefix("file:"))


@pytest.mark.parametrize("template", ["plain", "vite", "react"])
def test_an_app_is_made_checked_built_and_shows_a_result(
    webbuild: Webbuild, bundle: Path, folder: Path, without_gpu: Browser, template: str
) -> None:
    app = folder / template
    made = webbuild("new", app, "--model", bundle, "--template", template)
    assert made.returncode == 0, made.stderr
    if template == "plain":
        built = run(app, "npx", "tsc", *CHECK, "app.js")
    else:
        link(app)
        built = run(app, "npm", "run", "build")
    assert built.returncode == 0, built.stdout + built.stderr
    assert "next: " in made.stderr
    with Server(app if template == "plain" else app / "dist", prefix="/some/where/") as server:
        context = without_gpu.new_context(reduced_motion="reduce", viewport={"width": 390, "height": 844})
        page, console = context.new_page(), Console()
        console.listen(page)
        page.goto(server.url)
        rows = page.get_by_role("list", name="What was found").get_by_role("listitem")
        expect(rows).to_have_count(6)
        expect(rows.first).to_contain_text("person")
        expect(page.get_by_text("Runs on WebAssembly.")).to_be_visible()
        page.get_by_role("slider", name="Confidence").fill("0.8")
        expect(rows).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert console.errors == []
        context.close()


def test_a_wrong_use_of_a_result_is_refused(webbuild: Webbuild, bundle: Path, folder: Path) -> None:
    app = folder / "wrong"
    assert webbuild("new", app, "--model", bundle, "--template", "react").returncode == 0
    link(app)
    source = app / "src" / "app.tsx"
    source.write_text(source.read_text().replace("{ poses }: Result", "{ boxes }: Result"))
    refused = run(app, "npx", "tsc")
    assert "Property 'boxes' does not exist" in refused.stdout


def test_it_says_what_it_wants(webbuild: Webbuild, tmp_path: Path) -> None:
    done = webbuild("new", tmp_path / "app", "--model", tmp_path)
    assert (done.returncode, "error[bundle-not-found]" in done.stderr) == (2, True)
    assert webbuild("new", tmp_path / "app").returncode == 2
