"""The bundle as an npm package: packed, installed into a Vite app, checked by TypeScript, built, run in Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from webbuild.browser.console import Console
from webbuild.browser.server import Server

ROOT = Path(__file__).parents[1]
PAGE = '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/main.ts"></script></body>\n'
MAIN = """import { load, type Result } from "yolo-pose";

const model = await load({ backend: "wasm" });
const blob = await (await fetch("./people.jpg")).blob();
const { poses }: Result = await model.run(blob);
const names: string[] = poses.flatMap(({ keypoints }) => keypoints.map(({ name }) => name));
document.body.dataset["people"] = String(poses.length);
document.body.dataset["first"] = names[0];
"""
WRONG = """import { load } from "yolo-pose";
const model = await load();
const { poses } = await model.run(new Blob());
export const label: "cat" | undefined = poses[0]?.label;
"""
OPTIONS = {
    "strict": True,
    "noEmit": True,
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "lib": ["es2023", "dom", "dom.iterable"],
    "types": [],
}


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def app(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An app that has the package and Vite, of the version that this project builds with."""
    folder = tmp_path_factory.mktemp("app")
    packed = run(folder, "npm", "pack", "--silent", str(bundle))
    assert packed.returncode == 0, packed.stderr
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    versions = {path.removeprefix("node_modules/"): each["version"] for path, each in locked.items() if path}
    described = {
        "type": "module",
        "private": True,
        "dependencies": {"yolo-pose": f"file:{packed.stdout.strip()}"},
        "devDependencies": {name: versions[name] for name in ("vite", "typescript")},
        "overrides": {name: version for name, version in versions.items() if "node_modules/" not in name},
    }
    (folder / "package.json").write_text(json.dumps(described))
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "files": ["main.ts"]}))
    (folder / "index.html").write_text(PAGE)
    (folder / "main.ts").write_text(MAIN)
    (folder / "public").mkdir()
    shutil.copyfile(next((bundle / "samples").glob("*several*")), folder / "public" / "people.jpg")
    installed = run(folder, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error")
    assert installed.returncode == 0, installed.stderr
    return folder


def test_its_types_fit_and_know_the_model(app: Path) -> None:
    checked = run(app, "npx", "tsc", "-p", ".")
    assert checked.returncode == 0, checked.stdout
    (app / "wrong.ts").write_text(WRONG)
    wrong = json.dumps({"extends": "./tsconfig.json", "files": ["wrong.ts"]})
    (app / "tsconfig.wrong.json").write_text(wrong)
    refused = run(app, "npx", "tsc", "-p", "tsconfig.wrong.json")
    assert "'\"person\"' is not assignable to type '\"cat\"'" in refused.stdout


@pytest.mark.parametrize("prefix", ["/", "/some/where/"])
def test_the_built_app_runs(app: Path, without_gpu: Browser, prefix: str) -> None:
    out = app / "dist"
    built = run(app, "npx", "vite", "build", "--base", "./", "--logLevel", "warn", "--target", "es2022")
    assert built.returncode == 0, built.stderr
    with Server(out, prefix=prefix) as server:
        context = without_gpu.new_context()
        page, console = context.new_page(), Console()
        console.listen(page)
        page.goto(server.url)
        page.wait_for_function("() => document.body.dataset.people", timeout=60_000)
        assert int(page.evaluate("document.body.dataset.people")) > 3
        assert page.evaluate("document.body.dataset.first") == "nose"
        assert console.errors == []
        context.close()
