"""The bundle and @webbuild/runtime as npm packages: installed into a Vite app, checked by TypeScript, built, run."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from e2e.demo_page import LOADED
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
SHARED = """import { load, type BundleModule, type Model, type PoseResult } from "@webbuild/runtime";
import * as bundle from "yolo-pose";

const known: BundleModule = bundle;
const model: Model = await load("./bundle/manifest.json", { backend: "wasm" });
const result = await model.run(await (await fetch("./people.jpg")).blob());
const named = async (): Promise<PoseResult> => (await bundle.load()).run(new Blob());
document.body.dataset["people"] = String("poses" in result ? result.poses.length : typeof known + typeof named);
"""
WRONG = """import { load } from "yolo-pose";
const model = await load();
const { poses } = await model.run(new Blob());
export const label: "cat" | undefined = poses[0]?.label;
"""
CONFIG = "export default { build: { rollupOptions: { input: ['index.html', 'shared.html'] } } };\n"
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
    """Return an app that has the package, and Vite in this project's version."""
    folder = tmp_path_factory.mktemp("app")
    made = run(ROOT, "npm", "run", "--silent", "build", "--", "package")
    assert made.returncode == 0, made.stderr
    packed = [run(folder, "npm", "pack", "--silent", str(each)) for each in (bundle, ROOT / "build" / "npm")]
    assert [each.returncode for each in packed] == [0, 0], packed
    own, runtime = (f"file:{each.stdout.strip()}" for each in packed)
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    versions = {path.removeprefix("node_modules/"): each["version"] for path, each in locked.items() if path}
    described = {
        "type": "module",
        "private": True,
        "dependencies": {"yolo-pose": own, "@webbuild/runtime": runtime},
        "devDependencies": {name: versions[name] for name in ("vite", "typescript")},
        "overrides": {name: version for name, version in versions.items() if "node_modules/" not in name},
    }
    (folder / "package.json").write_text(json.dumps(described))
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "files": ["main.ts", "shared.ts"]}))
    (folder / "index.html").write_text(PAGE)
    (folder / "shared.html").write_text(PAGE.replace("main.ts", "shared.ts"))
    (folder / "vite.config.js").write_text(CONFIG)
    (folder / "shared.ts").write_text(SHARED)
    (folder / "main.ts").write_text(MAIN)
    (folder / "public").mkdir()
    (folder / "public" / "bundle").symlink_to(bundle, target_is_directory=True)
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


@pytest.fixture(scope="module")
def built(app: Path) -> Path:
    done = run(app, "npx", "vite", "build", "--base", "./", "--logLevel", "warn", "--target", "es2022")
    assert done.returncode == 0, done.stderr
    return app / "dist"


@pytest.mark.parametrize("prefix", ["/", "/some/where/"])
def test_the_built_app_runs(built: Path, without_gpu: Browser, prefix: str) -> None:
    with Server(built, prefix=prefix) as server:
        context = without_gpu.new_context()
        page, console = context.new_page(), Console()
        console.listen(page)
        page.goto(server.url)
        page.wait_for_function("() => document.body.dataset.people", timeout=LOADED)
        assert int(page.evaluate("document.body.dataset.people")) > 3
        assert page.evaluate("document.body.dataset.first") == "nose"
        assert console.errors == []
        context.close()


def test_the_runtime_of_the_package_loads_a_bundle_by_its_address(built: Path, without_gpu: Browser) -> None:
    with Server(built) as server:
        context = without_gpu.new_context()
        page, console = context.new_page(), Console()
        console.listen(page)
        page.goto(f"{server.url}shared.html")
        page.wait_for_function("() => document.body.dataset.people", timeout=LOADED)
        assert int(page.evaluate("document.body.dataset.people")) > 3
        assert console.errors == []
        context.close()
