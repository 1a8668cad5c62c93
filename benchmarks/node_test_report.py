"""The results of ONNX's own tests, as a document and as data."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from webbuild.ortweb.packaged_assets import engine_version

PAGE = Path(__file__).parents[1] / "docs" / "node-tests.md"
DATA = Path(__file__).parent / "results" / "node-tests.json"

When = Literal["before", "after"]
TestOutcome = Literal["pass", "no session", "throws", "wrong", "not fed", "refused"]
ORDER: tuple[TestOutcome, ...] = ("pass", "no session", "throws", "wrong", "refused", "not fed")


class Result(Struct, frozen=True):
    """A test's verdict and its reason.

    `place` is `gpu`, `cpu` or `both`; empty if the graph was folded or never ran; `wasm` if webbuild's runtime uses the
    graph for WASM, with the reason in `reason`. `native` means that native ONNX Runtime fails the test too.
    """

    verdict: TestOutcome
    reason: str = ""
    place: str = ""
    native: bool = False


Results = dict[str, Result]


def write(version: str, state: str, before: Results, after: Results) -> None:
    """Write the document and the data. `state` is the commit that was measured."""
    PAGE.write_text(render_page(version, state, before, after), "utf-8")
    sides = {"before": before, "after": after}
    tests = {name: {when: _without_details(side[name]) for when, side in sides.items()} for name in before}
    rows = [f"{_json(name)}: {_json(row)}" for name, row in tests.items()]
    DATA.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


def _without_details(result: Result) -> Result:
    return msgspec.structs.replace(result, reason=shorten_message(result.reason))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def summary(results: Results) -> dict[str, int]:
    """Count the verdicts, and the placements of passing tests."""
    verdicts = Counter(result.verdict for result in results.values())
    counts: dict[str, int] = {name: verdicts[name] for name in ORDER}
    places = Counter(result.place for result in results.values() if result.verdict == "pass")
    named = {"gpu": "wholly on the GPU", "both": "partly", "cpu": "wholly on the CPU", "": "computed while loading"}
    return counts | {name: places[place] for place, name in named.items()} | {"on WASM instead": places["wasm"]}


def render_page(version: str, state: str, before: Results, after: Results) -> str:
    """Return the document."""
    first, second = summary(before), summary(after)
    unfed = Counter(result.reason for result in after.values() if result.verdict == "not fed")
    lines = [
        "# ONNX's own tests of single operators",
        "",
        f"The {len(before)} tests of onnx {version}, in Chromium on onnxruntime-web {engine_version()}'s native WebGPU",
        "build and a software adapter without `shader-f16`: unchanged, and after webbuild's passes.",
        f"Written by `python -m benchmarks.node_tests DATA --write`; both columns are of commit {state}.",
        "",
        "| | unchanged | after the passes |",
        "|---|---|---|",
        *(f"| {name} | {first[name]} | {second[name]} |" for name in first),
        "",
        "Types that a page cannot use: " + ", ".join(f"{kind} ({n})" for kind, n in unfed.most_common()) + ".",
        "`refused` models are rejected by `webbuild pack` and `patch`, with the reason.",
    ]
    for title, chosen in _sections(before, after).items():
        lines += ["", f"## {title}: {len(chosen)}", ""]
        lines += [f"- `{name}` {_result_text(after[name])}" for name in chosen] or ["None."]
    lines += ["", *_on_wasm(after)]
    return "\n".join(lines) + "\n"


def _on_wasm(after: Results) -> list[str]:
    """Return the reasons why passing tests run on WASM, the most frequent first."""
    moved = [
        (name, result.reason) for name, result in after.items() if result.verdict == "pass" and result.place == "wasm"
    ]
    reasons: dict[str, list[str]] = {}
    for name, reason in moved:
        reasons.setdefault(re.sub(r"'[^']*'", "", reason.split(": ")[-1]).strip(), []).append(name)
    lines = [f"## On WASM instead, where the native build would fail: {len(moved)}", ""]
    for reason, names in sorted(reasons.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        lines.append(f"- {shorten_message(reason)} ({len(names)}): " + ", ".join(f"`{name}`" for name in names))
    return lines if moved else [*lines, "None."]


def _sections(before: Results, after: Results) -> dict[str, list[str]]:
    bad = [name for name in after if after[name].verdict not in ("pass", "not fed")]
    own = [name for name in bad if not after[name].native]
    return {
        "Worse after the passes": [name for name in own if before[name].verdict == "pass"],
        "Failing before and after": [name for name in own if before[name].verdict != "pass"],
        "Failing in native ONNX Runtime too": [name for name in bad if after[name].native],
    }


def _result_text(result: Result) -> str:
    return f"{result.verdict}: {shorten_message(result.reason)}"


def shorten_message(text: str) -> str:
    """Return the essential part of an engine message, in at most 160 characters."""
    line = re.sub(r"\s+", " ", text).replace("`", "'")
    line = re.sub(r".*(ERROR_MESSAGE|Status Message): (Exception during initialization: )?", "", line)
    line = re.sub(r"/\S+/", "", line)
    return line if len(line) <= 160 else line[:159] + "…"
