"""Task code in TypeScript stays in one place: nothing outside a task's folder and its view switches on its kind."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import brightness_task

ROOT = Path(__file__).parent.parent
INSIDE = ("web/src/tasks/", "web/page/views/")
SCHEMA = json.loads((ROOT / "webbuild" / "manifest" / "manifest.schema.json").read_text())


def kinds(ending: str) -> set[str]:
    """Return the kinds of the manifest's structs whose names end like this."""
    structs = (spec for name, spec in SCHEMA["$defs"].items() if name.endswith(ending))
    return {spec["properties"]["kind"]["enum"][0] for spec in structs if "kind" in spec["properties"]}


KINDS = kinds("Task")
ANY = "|".join(sorted(KINDS - kinds("Input")))
"""Kinds that only a task can have; inputs can be tensors and images too."""
SWITCH = re.compile(
    rf'\b(task|result|decoded|answer)\??\.kind\b|"rows" in \w*[tT]ask'
    rf'|case "({ANY})"|\bkind [=!]== "({ANY})"|(=== result|=== task)\.kind'
)


def switches(text: str) -> list[str]:
    return [found.group() for found in SWITCH.finditer(text)]


def test_there_are_kinds() -> None:
    assert {"detect", "tensor"} <= KINDS


def test_only_tasks_and_their_views_know_the_kinds() -> None:
    files = [path for folder in ("web/src", "web/page") for path in ROOT.glob(f"{folder}/**/*.ts")]
    outside = [path for path in files if not path.relative_to(ROOT).as_posix().startswith(INSIDE)]
    assert len(outside) > 100
    found = {path.relative_to(ROOT).as_posix(): switches(path.read_text()) for path in outside}
    assert {path: each for path, each in found.items() if each} == {}


def test_a_switch_is_found_where_there_is_one() -> None:
    inside = [path for path in ROOT.glob("web/page/views/*.ts") if path.stem in KINDS]
    assert [path.name for path in inside if not switches(path.read_text())] == []


@pytest.mark.parametrize("pattern", ["web/src/tasks/*/task.ts", "web/page/views/*.ts"])
def test_every_kind_of_the_manifest_has_its_file(pattern: str) -> None:
    files = [path.parent.name if path.stem == "task" else path.stem for path in ROOT.glob(pattern)]
    assert set(files) >= KINDS


ASK = """
import { decode, neededOutputs, resultWarnings } from "./built/decode.js";
const manifest = { task: { kind: process.argv[2], output: "levels" }, inputs: [], outputs: [] };
const outputs = { levels: { type: "float32", dims: [1, 3, 1, 1], data: Float32Array.of(1, 2, 6) } };
const geometry = { source: { width: 3, height: 2 }, left: 0, top: 0, width: 3, height: 2 };
const result = decode(manifest, outputs, geometry, undefined, null);
console.log(JSON.stringify([neededOutputs(manifest), result, resultWarnings(manifest, result, outputs)]));
"""

BUILD = """
import { buildModule } from "./web/build/modules.mjs";
const here = process.cwd();
await buildModule({ entry: `${here}/web/src/postprocess/decode.ts`, name: "decode", outDir: `${here}/built` });
"""


def node(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["node", *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_a_new_task_is_one_new_file(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "web" / "src", tmp_path / "web" / "src")
    shutil.copytree(ROOT / "web" / "build", tmp_path / "web" / "build")
    for file in ("package.json", "tsconfig.json"):
        shutil.copy(ROOT / file, tmp_path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    brightness_task.write(tmp_path, brightness_task.TYPESCRIPT_FILE)
    (tmp_path / "ask.mjs").write_text(ASK)
    (tmp_path / "build.mjs").write_text(BUILD)
    checked = node(tmp_path, "node_modules/typescript/bin/tsc", "--noEmit", "-p", "web/build/tsconfig.json")
    assert checked.returncode == 0, checked.stdout
    built = node(tmp_path, "build.mjs")
    assert built.returncode == 0, built.stderr
    answer = node(tmp_path, "ask.mjs", "brightness")
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout) == [["levels"], {"kind": "brightness", "width": 3, "height": 2, "mean": 3}, []]
    unknown = node(tmp_path, "ask.mjs", "sharpness")
    assert "the manifest has an unknown task, sharpness" in unknown.stderr
