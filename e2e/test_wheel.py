"""The wheel, installed into an empty environment without Node.js: it is complete."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
import venv
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from e2e.test_environment import hear_interrupts
from tests.models import convolution, save

ROOT = Path(__file__).parents[1]
NODE = {"node", "nodejs", "npm", "npx"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution from the tree, and the wheel from that, as a packager would.

    WEBBUILD_WHEEL names an existing wheel instead, such as the one to be published.
    """
    if built := os.environ.get("WEBBUILD_WHEEL"):
        return Path(built)
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list(out.glob("webbuild-*.tar.gz"))) == 1
    return next(out.glob("webbuild-*.whl"))


@pytest.fixture(scope="module")
def place(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an environment that contains only the wheel and its dependencies."""
    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder / "venv")
    install(folder, str(wheel))
    (folder / "bin").mkdir()
    for directory in os.environ["PATH"].split(os.pathsep):
        for program in Path(directory).glob("*") if os.access(directory, os.R_OK | os.X_OK) else ():
            if program.name not in NODE and not (folder / "bin" / program.name).exists():
                (folder / "bin" / program.name).symlink_to(program)
    return folder


def install(folder: Path, what: str) -> None:
    into = ["--python", str(folder / "venv" / "bin" / "python"), "install", "--quiet", "--no-compile"]
    command = [sys.executable, "-m", "pip", *into, what]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=clean({}))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def with_browser(wheel: Path, place: Path) -> Path:
    """Return the same folder, after following the program's instructions for comparisons in a browser."""
    install(place, f"{wheel}[browser]")
    return place


def clean(more: dict[str, str]) -> dict[str, str]:
    """Return the environment variables without those that lead Python to this tree."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return {**kept, **more}


def start(place: Path, *arguments: object) -> subprocess.Popen[str]:
    """Start the installed program in `place`, with no Node.js on the PATH."""
    assert [name for name in NODE if shutil.which(name, path=str(place / "bin"))] == []
    return subprocess.Popen(
        [str(place / "venv" / "bin" / "webbuild"), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=place,
        env=clean({"PATH": str(place / "bin")}),
        start_new_session=True,
        preexec_fn=hear_interrupts,
    )


def run(place: Path, *arguments: object) -> tuple[int, str]:
    process = start(place, *arguments)
    out, err = process.communicate(timeout=600)
    return process.returncode, out + err


def test_the_wheel_holds_what_it_needs_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        points = archive.read(next(name for name in names if name.endswith("entry_points.txt"))).decode()
    assert "webbuild = webbuild.cli:main" in points
    assert {name.partition("/")[0].removesuffix(".dist-info").partition("-")[0] for name in names} == {"webbuild"}
    assert [name for name in names if name.endswith((".onnx", ".pt", ".pyc"))] == []
    maps = {name for name in names if name.endswith(".map")}
    assert maps == {f"webbuild/_web/runtime/{script}.js.map" for script in ("webbuild", "worker")}
    assert [name for name in names if "tests/" in name or "/test_" in name or "/models/" in name] == []
    for needed in (
        "webbuild/py.typed",
        "webbuild/_web/runtime/webbuild.js",
        "webbuild/_web/page/page.js",
        "webbuild/_web/page/web-model.js",
        "webbuild/_web/integrations/react/index.js",
        "webbuild/bundle/templates/app/vite/src/main.ts.j2",
        "webbuild/_web/ort/ort-wasm-simd-threaded.jspi.wasm.zst",
        "webbuild/_web/licenses/fzstd.txt",
        "webbuild/_web/ort/LICENSE",
        "webbuild/_web/ort/ThirdPartyNotices.txt",
        "webbuild/manifest/manifest.schema.json",
        "webbuild/samples/pictures/one.jpg",
        "webbuild/bundle/templates/page/picture.j2",
        "webbuild/browser/page/worker-rpc.js",
    ):
        assert needed in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_wheel_says_what_of_others_is_in_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (sbom,) = (name for name in archive.namelist() if ".dist-info/sboms/" in name)
        text = archive.read(sbom).decode()
    assert sbom.endswith("/webbuild.cdx.json")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    locked = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]
    inside = ("onnxruntime-web", "@huggingface/tokenizers", "comlink", "fzstd")
    wanted = {f"pkg:npm/{quote(name)}@{locked[f'node_modules/{name}']['version']}" for name in inside}
    assert {each["purl"] for each in json.loads(text)["components"]} == wanted


def test_its_long_description_has_no_relative_link(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        headers, _, text = archive.read(name).decode().partition("\n\n")
    assert "\nDescription-Content-Type: text/markdown" in headers
    assert text.startswith("# webbuild\n")
    targets = re.findall(r"\]\(([^)]*)\)", text)
    assert len(targets) > 5
    assert [each for each in targets if not each.startswith("https://")] == []


def test_the_program_is_the_wheels_own(place: Path) -> None:
    code = "import webbuild; print(webbuild.__file__)"
    command = [str(place / "venv" / "bin" / "python"), "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=place, env=clean({}))
    assert Path(done.stdout.strip()).is_relative_to(place / "venv")


def test_the_shipped_model_packs_outside_the_source_tree_and_without_a_browser(place: Path) -> None:
    assert not list(place.glob("venv/lib/*/site-packages/playwright"))
    shutil.copyfile(ROOT / "models" / "yolo-pose.onnx", place / "yolo-pose.onnx")
    code, said = run(place, "pack", "yolo-pose.onnx")
    assert code == 0, said
    assert "proven: " in said
    assert said.splitlines()[-1].startswith("proven natively, not compared in a browser; for that: pip install")
    assert (place / "dist" / "yolo-pose" / "index.html").is_file()
    code, said = run(place, "verify", "dist/yolo-pose")
    assert (code, said.partition("]")[0]) == (2, "error[no-playwright")


def test_uvx_runs_the_wheel_without_an_installation(wheel: Path, tmp_path: Path) -> None:
    save(convolution(), tmp_path / "small.onnx")
    command = [sys.executable, "-m", "uv", "tool", "run", "--from", str(wheel), "webbuild", "pack", "small.onnx"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path, env=clean({})
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "dist" / "small" / "index.html").is_file()


def test_a_model_packs_is_compared_in_chromium_and_served(with_browser: Path) -> None:
    place = with_browser
    save(convolution(), place / "small.onnx")
    code, said = run(place, "pack", "small.onnx")
    assert code == 0, said
    assert "Same results" in (place / "dist" / "small.verify.html").read_text("utf-8")
    process = start(place, "serve", "dist/small")
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with urllib.request.urlopen(f"{address}manifest.json", timeout=300) as answer:
            assert answer.read() == (place / "dist" / "small" / "manifest.json").read_bytes()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130
