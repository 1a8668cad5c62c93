"""A small app for a bundle, written from templates: the page, its code and its build configuration."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from webbuild.browser.safe_path import resolve_inside
from webbuild.bundle.file_names import safe_file_name
from webbuild.bundle.hosting import HEADER_RULES, HeaderRule, headers_file
from webbuild.bundle.render import bundle_templates
from webbuild.bundle.site import check_files
from webbuild.bundle.staging import staged_folder
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import ImageInput, Manifest, OptionInput, StackInput, TensorInput
from webbuild.ortweb import packaged_assets
from webbuild.reporting.write import write_text
from webbuild.tasks.registry import kind_of

Template = Literal["vite", "react", "plain"]

_TEMPLATES = Path(__file__).parent / "templates" / "app"
_PACKAGES: Mapping[Template, tuple[str, ...]] = {"vite": ("element", "vite"), "react": ("element", "react", "vite")}
"""The packages of webbuild that a template needs, copied to the app in the version of the bundle's page."""
_DEPENDENCIES = {"react", "react-dom", "typescript", "vite"}
"""Names that a bundle must not have, because the app has packages with these names."""
_ISOLATION = ("Cross-Origin-Opener-Policy", "Cross-Origin-Embedder-Policy")


class Range(Struct, frozen=True):
    """A threshold that visitors can change."""

    minimum: float
    maximum: float
    default: float


def write_app(bundle: Path, manifest: Manifest, out: Path, template: Template) -> None:
    """Write an app that shows the bundle's model to `out`.

    Raises:
        WebbuildError: `output-exists`, `no-template`, `name-collision`, `no-runtime`, `cannot-write`; see
        `check_files`.
    """
    if out.exists() or out.is_symlink():
        fix = "give a folder that is not there yet"
        raise WebbuildError("output-exists", f"{out}: already exists", fix, exit_code=USAGE)
    check_files(bundle, manifest)
    _check_model(manifest)
    with staged_folder(out) as folder:
        values = _values(bundle, manifest, safe_file_name(out.resolve().name, "app"), template)
        for source in sorted((_TEMPLATES / template).rglob("*")):
            if source.is_file():
                _write(source, folder / source.relative_to(_TEMPLATES / template), values)
        code = folder if template == "plain" else folder / "src"
        shutil.copyfile(_TEMPLATES / "style.css", code / "style.css")
        _write(_TEMPLATES / "readme.j2", folder / "README.md", values)
        public = folder if template == "plain" else folder / "public"
        public.mkdir(exist_ok=True)
        isolation = {name: HEADER_RULES[0].headers[name] for name in _ISOLATION}
        write_text(public / "_headers", headers_file([HeaderRule("", isolation)]))
        _copy_bundle(bundle, manifest, folder / "models" / manifest.name)
        for package in _PACKAGES.get(template, ()):
            shutil.copytree(packaged_assets.integration(package), folder / "packages" / package)


def _check_model(manifest: Manifest) -> None:
    """Raise for a model that the templates cannot show."""
    pictures = [spec for spec in manifest.inputs if isinstance(spec, ImageInput)]
    if len(pictures) != 1 or any(isinstance(spec, StackInput | TensorInput) for spec in manifest.inputs):
        raise WebbuildError(
            "no-template",
            f"{manifest.name} does not take a single picture, as the templates need",
            "start from the demo page in the bundle's folder, and call runTensors() or run([...]) yourself",
            exit_code=USAGE,
        )
    if manifest.name in _DEPENDENCIES:
        fix = "pack the model again from a file of another name"
        raise WebbuildError("name-collision", f"an app has a package called {manifest.name}", fix, exit_code=USAGE)


def _values(bundle: Path, manifest: Manifest, app: str, template: Template) -> dict[str, Any]:
    """Return the variables of the templates."""
    kind = kind_of(manifest.task)
    types = kind.typescript(manifest.task)
    there = (each for each in manifest.samples if resolve_inside(bundle.resolve(), each.file) is not None)
    sample = next(there, None)
    prompts = [sample.prompt] if sample and sample.prompt else getattr(manifest.task, "prompts", [])
    outputs = f"Returns {len(manifest.outputs)} tensor{'' if len(manifest.outputs) == 1 else 's'} for a picture."
    return {
        "app": app,
        "template": template,
        "script": "js" if template == "plain" else "ts",
        "name": manifest.name,
        "title": manifest.title,
        "summary": kind.summary(manifest.task, 1) or outputs,
        "types": types,
        "picture": sample.file if sample else "",
        "prompt": next(iter(prompts), ""),
        "confidence": _confidence(manifest),
    }


def _confidence(manifest: Manifest) -> Range | None:
    """Return the confidence threshold for results; None for a model without one."""
    for spec in manifest.inputs:
        if isinstance(spec, OptionInput) and spec.option == "confidence":
            return Range(spec.minimum, spec.maximum, round(spec.default, 4))
    default = kind_of(manifest.task).default_thresholds(manifest.task).get("confidence")
    return None if default is None else Range(0, 1, round(default, 4))


def _write(source: Path, target: Path, values: Mapping[str, Any]) -> None:
    """Copy a file of a template, or render it; values in HTML are escaped."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix != ".j2":
        shutil.copyfile(source, target)
        return
    templates = bundle_templates(html=".html" in source.suffixes)
    text = templates.get_template(source.relative_to(_TEMPLATES.parent).as_posix()).render(values)
    write_text(target.with_suffix("") if target.suffix == ".j2" else target, text.lstrip())


def _copy_bundle(bundle: Path, manifest: Manifest, folder: Path) -> None:
    files = ["manifest.json", *(file.path for file in manifest.files if not file.parts)]
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(bundle / file, folder / file)
