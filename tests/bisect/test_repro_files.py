"""The files that a bisection writes: a graph that runs, a self-contained page, and a text to paste into an issue."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import onnx
import pytest

from tests.bisect.generated import branches
from tests.bisect.looking import looked, subject
from tests.bisect.planted import Fault, constant, swapped
from tests.models import HEADER, parsed
from tests.verify.test_report_html import HOSTILE, Tags
from webbuild.bisect.error_plot import LEFT, WIDTH, layout_plot, render_error_plot
from webbuild.bisect.issue_text import code_block, inline_code
from webbuild.bisect.report import BisectReport, exit_code
from webbuild.bisect.repro_files import write_findings
from webbuild.runners.native import NativeRunner


def kept(model: onnx.ModelProto, folder: Path, *faults: Fault) -> tuple[BisectReport, Path]:
    made = subject(model, folder)
    report, result, tester = looked(made, folder / "values", *faults)
    return write_findings(folder / "out", report, result, tester, made), folder / "out"


def tensors(folder: Path, kind: str) -> dict[str, np.ndarray]:
    read = (onnx.TensorProto.FromString(file.read_bytes()) for file in sorted(folder.glob(f"{kind}_*.pb")))
    return {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in read}


def test_the_cut_gives_what_was_wanted_of_it(tmp_path: Path) -> None:
    report, out = kept(branches((17, 23, 9)), tmp_path, Fault(30, swapped))
    assert exit_code(report) == 1
    (finding,) = report.findings
    assert finding.files == ("repro.onnx", "repro.html", "issue.md")
    onnx.checker.check_model(str(out / "repro.onnx"), full_check=True)
    model = onnx.load(out / "repro.onnx")
    assert [node.op_type for node in model.graph.node] == [finding.nodes[0].operator]
    data = out / "test_data_set_0"
    wanted, found = tensors(data, "output"), NativeRunner(out / "repro.onnx").run(tensors(data, "input"))
    assert wanted.keys() == found.keys() == {"y0"}
    np.testing.assert_array_equal(found["y0"], wanted["y0"])


def test_several_findings_have_a_folder_each(tmp_path: Path) -> None:
    report, out = kept(branches((17, 23, 9)), tmp_path, Fault(3, swapped), Fault(4, constant(2)), Fault(12, swapped))
    assert [(each.files[:1], each.downstream) for each in report.findings] == [
        (("repro.onnx",), False),
        (("2/repro.onnx",), False),
        ((), True),
    ]
    assert sorted(path.name for path in out.iterdir()) == [
        "2", "bisect.json", "issue.md", "ort", "repro.html", "repro.onnx", "test_data_set_0"
    ]  # fmt: skip
    assert json.loads((out / "bisect.json").read_text())["findings"][1]["code"] == "node-mismatch"
    assert {path.name for path in (out / "ort").iterdir()} == {"ort.jspi.min.mjs", "glue.mjs", "engine.wasm"}
    assert '"local": "../ort/"' in (out / "2" / "repro.html").read_text()


def hostile() -> onnx.ModelProto:
    """Return a graph of one node whose names all try to inject markup into a page."""
    model = parsed(f"{HEADER} g (float[6,6] x) => (float[6,6] y) {{ y = LeakyRelu <alpha = 0.5> (x) }}")
    (node,) = model.graph.node
    node.name = f"{HOSTILE}</script>`|\n# title"
    node.output[0] = model.graph.output[0].name = f"{HOSTILE}</script>`out"
    return model


def test_names_of_a_model_never_become_html_or_markdown(tmp_path: Path) -> None:
    report, out = kept(hostile(), tmp_path, Fault(0, constant(2)))
    page = (out / "repro.html").read_text()
    tags = Tags(page)
    assert not {"img", "svg"} & set(tags.names)
    assert tags.names.count("script") == 2
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
    assert HOSTILE in tags.text
    text = (out / "issue.md").read_text()
    assert HOSTILE not in text
    assert "\n# title" not in text
    assert (
        report.findings[0].nodes[0].label
        in msgspec.json.decode((out / "bisect.json").read_bytes())["findings"][0]["nodes"][0]["label"]
    )


def test_code_in_markdown_stays_code() -> None:
    assert inline_code("a`b`\n# c\x1b") == "`a'b' # c\\x1b`"
    assert inline_code("") == inline_code("\n") == "` `"
    assert code_block("a\n````\nb\x1b", "wgsl") == "`````wgsl\na\n````\nb\\x1b\n`````"


def test_the_page_holds_all_but_the_engine(tmp_path: Path) -> None:
    _, out = kept(branches((5,)), tmp_path, Fault(2, constant(2)))
    tags = Tags((out / "repro.html").read_text())
    loaded = [value for name, value in tags.attributes if name in ("src", "href") and not value.startswith("data:")]
    assert loaded == []
    assert "https://cdn.jsdelivr.net/npm/onnxruntime-web@1.2.3/dist/" in tags.text


def test_the_text_says_what_a_maker_asks_for(tmp_path: Path) -> None:
    _, out = kept(branches((9,)), tmp_path, Fault(3, constant(2)))
    text = (out / "issue.md").read_text()
    for said in ("`Transpose`, opset 18", "- `perm`: `[1, 0]`", "| engine | `faulty` |", "- in: x0, `float32 [6, 6]`"):
        assert said in text
    assert "| y0 | [" in text


def test_a_search_that_compared_nothing_is_no_success(tmp_path: Path) -> None:
    model = parsed(f"{HEADER} g (float[6,6] x) => (float[6,6] y) {{ y = Sub (x, x) }}")
    report, _, _ = looked(subject(model, tmp_path), tmp_path / "values")
    assert (report.whole_graph_verdict, report.compared_values, exit_code(report)) == ("agrees", 0, 1)


def test_nothing_differs(tmp_path: Path) -> None:
    report, _, _ = looked(subject(branches((9,)), tmp_path), tmp_path / "values")
    assert (report.whole_graph_verdict, report.findings, exit_code(report)) == ("agrees", (), 0)


@pytest.mark.parametrize("after", [1, 2, 3])
def test_an_interrupted_search_goes_on(after: int, tmp_path: Path, cache: Path) -> None:
    from tests.bisect.planted import Faulty

    class Interrupted(Faulty):
        """Stops as Ctrl-C does."""

        def run_model(self, *given, **more):  # type: ignore[no-untyped-def]
            if self.sessions == after:
                raise KeyboardInterrupt
            return super().run_model(*given, **more)

    made, fault = subject(branches((40, 30)), tmp_path), Fault(33, swapped)
    with pytest.raises(KeyboardInterrupt):
        looked(made, tmp_path / "first", engine=Interrupted(fault))
    assert len(list(cache.glob("*.jsonl"))) == 1
    engine = Faulty(fault)
    report, _, _ = looked(made, tmp_path / "second", engine=engine, resume=True)
    assert [each.nodes[0].index for each in report.findings] == [33]
    assert engine.sessions == report.sessions - after
    assert list(cache.glob("*.jsonl")) == []


def test_errors_that_accumulate_have_a_picture_of_how_they_grow(tmp_path: Path) -> None:
    faults = [Fault(node, constant(1 + 2e-5)) for node in range(40)]
    report, out = kept(branches((17, 23, 9)), tmp_path, *faults)
    (finding,) = report.findings
    assert (finding.code, finding.files) == ("error-accumulation", ("error-by-depth.html",))
    page = (out / "error-by-depth.html").read_text("utf-8")
    assert page.count("<circle") == len(report.depth_errors) > 20
    drawn = layout_plot(report).dots
    assert drawn[-1].y < drawn[3].y, "larger errors are higher up"
    assert drawn[0].x < drawn[-1].x <= LEFT + WIDTH
    assert not {"script", "img"} & set(Tags(page).names)


def test_a_value_with_a_hostile_name_is_text_in_the_picture(tmp_path: Path) -> None:
    report, _ = kept(branches((17, 23, 9)), tmp_path, *[Fault(node, constant(1 + 2e-5)) for node in range(40)])
    hostile = [msgspec.structs.replace(depth, value=HOSTILE, error=None) for depth in report.depth_errors]
    page = render_error_plot(msgspec.structs.replace(report, depth_errors=tuple(hostile)))
    tags = Tags(page)
    assert HOSTILE in tags.text
    assert not {"script", "img"} & set(tags.names)
    assert page.count('infinite" cx') == len(hostile)
