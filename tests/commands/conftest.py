"""The web runtime: the built one for the shipped model, a stand-in everywhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from tests.commands.program import POSE, Done, webbuild
from webbuild.errors import WebbuildError
from webbuild.ortweb import packaged_assets


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Path]:
    """Return the output of `webbuild pack` for the pose model, and the bundle; fail if the runtime was not built."""
    try:
        (
            packaged_assets.engine_build_files(),
            packaged_assets.engine_version(),
            packaged_assets.runtime_files(),
            packaged_assets.demo_page_files(),
        )
    except WebbuildError as error:
        pytest.fail(f"{error}", pytrace=False)
    out = tmp_path_factory.mktemp("packed") / "pose"
    return webbuild("pack", POSE, "-o", out, "--no-verify", "--json"), out


@pytest.fixture(scope="session")
def stand_in_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a few empty files in place of the built runtime."""
    root = tmp_path_factory.mktemp("web")
    names = ["runtime/webbuild.js", "runtime/worker.js", "runtime/webbuild.d.ts", "page/page.js", "page/page.css"]
    names += [f"ort/ort.{entry}.min.mjs" for entry in ("jspi", "webgpu", "wasm")]
    names += [f"ort/ort-wasm-simd-threaded{i}.{e}" for i in ("", ".jspi", ".asyncify") for e in ("mjs", "wasm.zst")]
    names += ["ort/LICENSE", "ort/ThirdPartyNotices.txt", "licenses/fzstd.txt"]
    for name in names:
        (root / name).parent.mkdir(exist_ok=True)
        content = f"// {name}\n".encode()
        (root / name).write_bytes(zstandard.compress(content) if name.endswith(".zst") else content)
    (root / "licenses" / "packages.json").write_text(
        '[{"name": "comlink", "version": "4.0.0", "license": "Apache-2.0"}]'
    )
    (root / "ort" / "VERSION").write_text("1.0.0\n")
    return root


@pytest.fixture
def stand_in(stand_in_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the built runtime with a few empty files; everything else in a bundle is the same."""
    monkeypatch.setattr(packaged_assets, "WEB_ROOT", stand_in_root)
