"""An app generated from templates around a bundle."""

from __future__ import annotations

import json
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from tests.manifests import image_input, pose_task
from tests.manifests import manifest as example_manifest
from webbuild.bundle.emit import write_manifest
from webbuild.bundle.new_app import Template, write_app
from webbuild.bundle.render import render_types
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import (
    ClassifyTask,
    DepthTask,
    DetectTask,
    GroundingTask,
    ImageSegmentationTask,
    Manifest,
    ObbTask,
    Sample,
    SegmentTask,
    Task,
    TensorInput,
    TensorTask,
    decode,
)
from webbuild.ortweb import packaged_assets

TITLE = "</script><script>alert(1)</script>{{ 7 * 7 }}'\"`${alert(1)}\\"
ROOT = Path(__file__).parents[2]
TEMPLATES: tuple[Template, ...] = get_args(Template)


def words_task() -> GroundingTask:
    return GroundingTask(
        output="a",
        boxes="b",
        queries=1,
        tokenizer="t",
        max_tokens=9,
        special_tokens={},
        prompts=["cat . dog ."],
        confidence=0.3,
        text_threshold=0.2,
    )


def bundle(folder: Path, **changes: object) -> tuple[Path, Manifest]:
    """A folder with a manifest, a loader and a sample image."""
    picture = folder / "bundle" / "samples" / "1.jpg"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"picture")
    (folder / "bundle" / "tiny.js").write_text("export const load = null;")
    sample = Sample(file="samples/1.jpg", title="one", width=1, height=1)
    described = msgspec.structs.replace(
        example_manifest(title=TITLE), **{"files": [], "engines": [], "golden": None, "samples": [sample], **changes}
    )
    write_manifest(described, folder / "bundle")
    return folder / "bundle", decode((folder / "bundle" / "manifest.json").read_bytes())


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_anybody_wrote_stays_text(tmp_path: Path, template: Template) -> None:
    write_app(*bundle(tmp_path), tmp_path / "app", template)
    written = [file for file in (tmp_path / "app").rglob("*") if file.is_file() and "models" not in file.parts]
    texts = [file.read_text("utf-8") for file in written if "packages" not in file.parts]
    assert not any("<script>alert" in text or "49" in text for text in texts)
    shown = "index.html" if template != "react" else "src/app.tsx"
    text = (tmp_path / "app" / shown).read_text("utf-8")
    assert ("&lt;script&gt;alert(1)" if template != "react" else "\\u003cscript\\u003ealert(1)") in text


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_bundle_is_in_it_whole(tmp_path: Path, template: Template) -> None:
    write_app(*bundle(tmp_path), tmp_path / "app", template)
    copied = tmp_path / "app" / "models" / "tiny"
    files = {file.path for file in decode((copied / "manifest.json").read_bytes()).files}
    assert {"tiny.js", "samples/1.jpg"} <= files
    assert all((copied / file).is_file() for file in files)
    if template != "plain":
        described = json.loads((tmp_path / "app" / "package.json").read_text())
        named = {**described["dependencies"], **described["devDependencies"]}
        links = [tmp_path / "app" / version.removeprefix("file:") for version in named.values() if "file:" in version]
        assert len(links) >= 3
        assert all(link.is_dir() for link in links)


def test_ranges_of_the_templates_are_the_versions_that_are_tested(tmp_path: Path) -> None:
    write_app(*bundle(tmp_path), tmp_path / "app", "react")
    described = json.loads((tmp_path / "app" / "package.json").read_text())
    locked = json.loads((ROOT / "e2e" / "fixtures" / "package-lock.json").read_text())["packages"]
    for name, version in {**described["dependencies"], **described["devDependencies"]}.items():
        if not version.startswith("file:"):
            assert version == f"^{locked[f'node_modules/{name}']['version']}", name


def test_a_prompt_is_the_samples_own_else_the_models(tmp_path: Path) -> None:
    write_app(*bundle(tmp_path, task=words_task()), tmp_path / "app", "plain")
    page = (tmp_path / "app" / "index.html").read_text()
    assert '<input id="prompt" type="text" value="cat . dog .">' in page
    assert "&#34;prompt&#34;: &#34;cat . dog .&#34;" in page


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    with pytest.raises(WebbuildError, match="already exists") as error:
        write_app(*bundle(tmp_path), tmp_path / "app", "plain")
    assert error.value.code == "output-exists"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"inputs": [image_input(), TensorInput(name="x", dtype="float32", shape=[1])]}, "no-template"),
        ({"inputs": []}, "no-template"),
        ({"name": "react"}, "name-collision"),
        ({"name": "../up"}, "invalid-manifest"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ",
)
def test_what_cannot_be_shown_is_refused(tmp_path: Path, changes: dict[str, object], code: str) -> None:
    with pytest.raises(WebbuildError) as error:
        write_app(*bundle(tmp_path, **changes), tmp_path / "app", "vite")
    assert error.value.code == code
    assert not (tmp_path / "app").exists()


def test_a_sample_that_is_not_in_the_folder_is_not_shown(tmp_path: Path) -> None:
    outside = Sample(file="../../secret.jpg", title="no", width=1, height=1)
    write_app(*bundle(tmp_path, samples=[outside]), tmp_path / "app", "vite")
    assert "secret" not in (tmp_path / "app" / "src" / "main.ts").read_text()


def models() -> list[Task]:
    """A model of every task."""
    return [
        pose_task(("person", "dog")),
        DetectTask(output="rows", rows=4, classes=["cat", "dog"]),
        SegmentTask(output="rows", protos="protos", rows=4, classes=["cat", "dog"], mask_coefficients=2),
        ObbTask(output="rows", rows=4, classes=["cat", "dog"]),
        ClassifyTask(output="rows", classes=["cat", "dog"], logits=False),
        DepthTask(output="rows", quantity="depth", unit="metres"),
        TensorTask(),
        words_task(),
        ImageSegmentationTask(masks="rows", classes=["sky", "sea"], mode="semantic"),
    ]


@pytest.mark.posix
def test_the_code_of_every_template_fits_the_types_of_every_task(tmp_path: Path) -> None:
    modules = ROOT / "node_modules"
    paths = {
        "@webbuild/element": [str(packaged_assets.integration("element") / "types.d.ts")],
        "@webbuild/react": [str(packaged_assets.integration("react") / "index.d.ts")],
        "react": [str(modules / "@types" / "react" / "index.d.ts")],
        "react/jsx-runtime": [str(modules / "@types" / "react" / "jsx-runtime.d.ts")],
    }
    for index, task in enumerate(models()):
        name = f"m{index}"
        folder, described = bundle(tmp_path / name, name=name, task=task, inputs=[image_input()])
        (folder / "runtime").mkdir()
        shutil.copy(packaged_assets.WEB_ROOT / "runtime" / "webbuild.d.ts", folder / "runtime")
        (folder / f"{name}.d.ts").write_text(render_types(described), "utf-8")
        write_manifest(described, folder)
        manifest = decode((folder / "manifest.json").read_bytes())
        for template in TEMPLATES:
            write_app(folder, manifest, tmp_path / name / template, template)
        paths[name] = [str(folder / f"{name}.d.ts")]
    options = {
        "strict": True,
        "noEmit": True,
        "allowJs": True,
        "checkJs": True,
        "skipLibCheck": True,
        "jsx": "react-jsx",
        "target": "es2022",
        "module": "esnext",
        "moduleResolution": "bundler",
        "moduleDetection": "force",
        "lib": ["es2023", "dom", "dom.iterable"],
        "types": [str(modules / "vite" / "client")],
        "paths": paths,
    }
    code = ["*/plain/app.js", "*/vite/src/main.ts", "*/react/src/app.tsx"]
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "include": code}))
    command = [str(modules / ".bin" / "tsc"), "-p", str(tmp_path), "--listFiles"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line.removeprefix(f"{tmp_path}/") for line in checked.stdout.splitlines()]
    wrong = [line for line in lines if "error TS" in line]
    assert (wrong, checked.returncode) == ([], 0)
    assert sum(fnmatch(line, pattern) for line in lines for pattern in code) == 3 * len(models())
