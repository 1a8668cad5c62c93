"""The type declarations in a bundle and in the npm package @webbuild/runtime are identical."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.bundle.test_render import RUNTIME_TYPES, TSC, clicked, cropped, named_outputs, stateful, tasks, two_sizes
from tests.manifests import manifest, stages_manifest
from webbuild.bundle.render import render_types
from webbuild.manifest.manifest import DepthTask

OPTIONS = ["--noEmit", "--strict", "--target", "esnext", "--module", "esnext", "--moduleResolution", "bundler"]
COPIES = {"own": "runtime", "shared": "package"}
EXPORTED = re.compile(r"^export (?:declare )?(?:interface|type|class) (\w+)(<)?", re.MULTILINE)


def test_a_model_of_any_bundle_is_a_model_of_the_package(tmp_path: Path) -> None:
    for folder in COPIES.values():
        (tmp_path / folder).mkdir()
        shutil.copy(RUNTIME_TYPES, tmp_path / folder / "webbuild.d.ts")
    depth = DepthTask(output="rows", confidence="sure", quantity="depth", unit="metres")
    bundles = [*map(manifest, tasks("thing")), manifest(depth), named_outputs("out"), two_sizes(), stateful()]
    bundles += [stages_manifest(), clicked(), cropped()]
    lines = [f'import type * as {name} from "./{at}/webbuild.js";' for name, at in COPIES.items()]
    for index, each in enumerate(bundles):
        (tmp_path / f"bundle-{index}.d.ts").write_text(render_types(each), "utf-8")
        lines += [f'import * as bundle{index} from "./bundle-{index}.js";']
        lines += [f"export const module{index}: shared.BundleModule = bundle{index};"]
        lines += [f"export const result{index} = (result: bundle{index}.Result): shared.Result => result;"]
    names = EXPORTED.findall(RUNTIME_TYPES.read_text("utf-8"))
    assert {"Model", "LoadOptions", "PoseResult", "WebbuildError", "Stream"} <= {name for name, _ in names}
    for name, generic in names:
        of = f'{name}<"map">' if generic else name
        lines += [f"export const to{name} = (value: own.{of}): shared.{of} => value;"]
        lines += [f"export const from{name} = (value: shared.{of}): own.{of} => value;"]
    (tmp_path / "use.ts").write_text("\n".join(lines), "utf-8")
    done = subprocess.run([*TSC, *OPTIONS, "use.ts"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
