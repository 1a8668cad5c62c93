"""The packages for frameworks and bundlers: real apps, built by their own tools, opened in Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.demo_page import LOADED
from e2e.fixture_apps import copy_app, run, serving, workspace
from webbuild.browser.console import Console
from webbuild.browser.server import Server
from webbuild.bundle.hosting import HEADER_RULES

Built = Future[subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def apps(bundle: Path) -> Iterator[Path]:
    with workspace("integrations", bundle) as folder:
        picture = next((bundle / "samples").glob("*several*"))
        for name in ("react", "next", "webpack"):
            copy_app(name, folder, picture, public="dist" if name == "webpack" else "public")
        yield folder


@pytest.fixture(scope="module")
def builds(apps: Path) -> Iterator[dict[str, Built]]:
    """Build all apps in parallel: each build mostly waits for its own threads."""
    commands = {
        "react": ("npx", "vite", "build", "--logLevel", "warn"),
        "next": ("npx", "next", "build"),
        "webpack": ("node", "build.mjs"),
    }
    with ThreadPoolExecutor() as pool:
        yield {name: pool.submit(run, apps / name, *command) for name, command in commands.items()}


def check(build: Built) -> None:
    done = build.result()
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[Page]:
    """Open a page; assert at the end that its console has no errors."""
    context = browser.new_context(reduced_motion="reduce")
    page, console = context.new_page(), Console()
    page.set_default_timeout(LOADED)
    console.listen(page)
    page.goto(url)
    yield page
    assert console.errors == []
    context.close()


def expect_people(page: Page) -> None:
    expect(page.locator("#people")).to_have_text("6")


def expect_isolation(page: Page) -> None:
    """Only a cross-origin isolated page gets threads."""
    assert page.evaluate("crossOriginIsolated")


def test_the_react_apps_types_know_the_model(apps: Path) -> None:
    checked = run(apps / "react", "npx", "tsc", "-p", ".")
    assert checked.returncode == 0, checked.stdout
    source = apps / "react" / "main.tsx"
    (apps / "react" / "wrong.tsx").write_text(
        source.read_text().replace("useState<KeypointName[]>", 'useState<"tail"[]>')
    )
    try:
        refused = run(apps / "react", "npx", "tsc", "-p", ".")
    finally:
        (apps / "react" / "wrong.tsx").unlink()
    assert "is not assignable to type '\"tail\"'" in refused.stdout


@pytest.mark.parametrize("prefix", ["/", "/some/where/"])
def test_vite_builds_a_react_app_for_a_strict_policy(
    apps: Path, builds: dict[str, Built], without_gpu: Browser, prefix: str
) -> None:
    check(builds["react"])
    scripts = (apps / "react" / "dist" / "assets").glob("*.js")
    assert not any("data:application" in script.read_text() for script in scripts), "the policy refuses it"
    # An app that starts the worker itself needs its own Trusted Types policy: docs/guides/deploy.md.
    headers = dict(HEADER_RULES[0].headers)
    policy = headers["Content-Security-Policy"].split("; ")
    own = [each for each in policy if "trusted-types" not in each]
    assert len(policy) == len(own) + 2
    headers["Content-Security-Policy"] = "; ".join(own)
    with (
        Server(apps / "react" / "dist", prefix=prefix, headers=headers) as server,
        opened(without_gpu, server.url) as page,
    ):
        expect_people(page)
        expect_isolation(page)


def pack_again(bundle: Path) -> None:
    """Replace the bundle with another folder, as `webbuild pack --force` does."""
    packed, old = bundle.with_suffix(".partial"), bundle.with_suffix(".old")
    shutil.copytree(bundle, packed)
    with (packed / "npm.js").open("a") as entry:
        entry.write("globalThis.packed = 'again';\n")
    os.utime(packed / "manifest.json")
    bundle.rename(old)
    packed.rename(bundle)
    shutil.rmtree(old)


def test_vite_serves_the_app_in_development_and_reloads_it_when_the_bundle_is_packed_again(
    apps: Path, without_gpu: Browser
) -> None:
    with serving(apps / "react", "npx", "vite", "--port") as url, opened(without_gpu, url) as page:
        expect_people(page)
        expect_isolation(page)
        page.evaluate("() => { globalThis.old = true; }")
        pack_again(apps / "models" / "yolo-pose")
        page.wait_for_function("() => globalThis.old === undefined && globalThis.packed === 'again'")
        expect_people(page)


def test_strict_mode_loads_a_react_components_model_once_and_its_end_disposes_of_it(
    apps: Path, without_gpu: Browser
) -> None:
    """Here the bundle is a copy in node_modules, as from a registry."""
    shutil.copytree(apps / "models" / "yolo-pose", apps / "react" / "node_modules" / "yolo-pose")
    with serving(apps / "react", "npx", "vite", "--port") as url:
        context = without_gpu.new_context(reduced_motion="reduce")
        page = context.new_page()
        manifests: list[str] = []
        page.on("request", lambda request: manifests.append(request.url) if "manifest.json" in request.url else None)
        page.goto(url)
        expect_people(page)
        assert len(manifests) == 1
        assert len(page.workers) == 1
        with page.workers[0].expect_event("close", timeout=LOADED):
            page.get_by_role("button", name="Switch", exact=True).click()
        expect(page.locator("#people")).to_have_count(0)
        assert page.workers == []
        context.close()


def test_vite_is_told_not_to_pack_the_bundle_together_with_other_dependencies(apps: Path) -> None:
    """Vite 7 loses the bundle's addresses when it bundles them; Vite 8 does not."""
    script = """import { resolveConfig } from "vite";
process.stdout.write(JSON.stringify((await resolveConfig({}, "serve")).optimizeDeps.exclude));"""
    done = run(apps / "react", "node", "--input-type=module", "-e", script)
    assert "yolo-pose" in done.stdout, done.stderr


def test_next_builds_an_app_with_turbopack_and_sends_the_headers(
    apps: Path, builds: dict[str, Built], without_gpu: Browser
) -> None:
    check(builds["next"])
    with serving(apps / "next", "npx", "next", "start", "--port") as url:
        context = without_gpu.new_context(reduced_motion="reduce")
        page = context.new_page()
        page.goto(url)
        expect_people(page)
        expect_isolation(page)
        context.close()


def test_webpack_leaves_the_engine_as_it_is(apps: Path, builds: dict[str, Built], without_gpu: Browser) -> None:
    check(builds["webpack"])
    assert "WARNING" not in builds["webpack"].result().stdout
    (apps / "webpack" / "dist" / "index.html").write_bytes((apps / "webpack" / "index.html").read_bytes())
    with Server(apps / "webpack" / "dist", prefix="/a/b/") as server, opened(without_gpu, server.url) as page:
        expect_people(page)
        expect_isolation(page)


def test_webpacks_development_server_is_given_the_headers(apps: Path) -> None:
    script = """import webpack from "webpack";
import config from "./webpack.config.js";
process.stdout.write(webpack(config).options.devServer.headers["Cross-Origin-Embedder-Policy"]);"""
    done = run(apps / "webpack", "node", "--input-type=module", "-e", script)
    assert done.stdout == "require-corp", done.stderr
