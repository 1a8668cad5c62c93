"""The HTML report: complete, self-contained, and safe against markup in model and file names."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from tests.manifests import stages_manifest
from tests.verify.detections_made import PROBLEM, backend, comparison, person, report
from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.manifest.manifest import DepthTask, ImageTask, MatteTask, Task, TensorTask, encode
from webbuild.verify.error_rows import error_rows
from webbuild.verify.page_messages import ExecutedNode, RuntimeWarningInfo
from webbuild.verify.report import PointedAt, Problem, ProviderPlacement, SampleReport, SampleResult
from webbuild.verify.report_html import render_verify_report

DEPTH = DepthTask(output="depth", quantity="depth", unit="metres")
HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(2)>"'><svg onload=alert(3)>{{ 7 * 7 }}{% raw %}&lt;"""


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "<hostile> \"name'.png"
    Image.new("RGBA", (64, 48), (200, 30, 30, 128)).save(path)
    return path


def hostile(picture: Path) -> str:
    compared = comparison(
        "DIFFERS",
        HOSTILE,
        subject=ComparedOutput("webgpu", HOSTILE, "decoded", HOSTILE),
        want=HOSTILE,
        got=HOSTILE,
        reason="unmatched",
        details=(HOSTILE,),
    )
    case = SampleResult(sample=HOSTILE, comparisons=(compared,), detections=(person(HOSTILE),), fallback_reason=HOSTILE)
    node = ExecutedNode(HOSTILE, HOSTILE)
    run = backend(
        reason=HOSTILE,
        adapter=HOSTILE,
        engine_build=HOSTILE,
        results=(case,),
        placements=(
            ProviderPlacement(provider=HOSTILE, expected=False, count=1, operators={HOSTILE: 1}, nodes=(node,)),
        ),
        warnings=(RuntimeWarningInfo(HOSTILE, HOSTILE, HOSTILE),),
        problems=(Problem(code=HOSTILE, where=HOSTILE, message=HOSTILE, fix=HOSTILE),),
    )
    sample = SampleReport(title=HOSTILE, file=str(picture), width=64, height=48, detections=(person(HOSTILE),))
    return render_verify_report(report(run, title=HOSTILE, source=HOSTILE, reference=HOSTILE, samples=(sample,)))


def test_hostile_strings_stay_text(picture: Path) -> None:
    page = hostile(picture)
    tags = Tags(page)
    assert "script" not in tags.names
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
    assert all(value.startswith("data:image/jpeg;base64,") for name, value in tags.attributes if name == "src")
    assert tags.names.count("img") == 1
    assert tags.text.count("<script>alert(1)</script>") > 10
    assert "{{ 7 * 7 }}" in tags.text
    assert page.count("<h1") == page.count("</h1>") == 1


def test_nothing_is_loaded_from_anywhere(picture: Path) -> None:
    page = hostile(picture)
    tags = Tags(page)
    assert not {"script", "link", "iframe", "object", "embed", "form"} & set(tags.names)
    assert not re.search(r"url\(|@import|https?://", page)
    assert "default-src 'none'" in page


def test_a_clean_report_says_so() -> None:
    text = Tags(render_verify_report(report(backend(comparison()), backend(comparison(), backend="wasm")))).text
    assert "Same results" in text
    assert "WebGPU and WASM agree with native ONNX Runtime on 1 sample, 1 detection." in text


def test_a_failure_is_told_with_its_mend() -> None:
    text = Tags(
        render_verify_report(report(backend(comparison("DIFFERS", max_abs=3.0, reason="too-far"), problems=(PROBLEM,))))
    ).text
    for part in ("Not the same", "1 of 1 comparison differs", "differs by 3", "console-error", "boom", "look"):
        assert part in text


@pytest.mark.parametrize("empty", [report(), report(backend(results=(), timings=None)), report(samples=())])
def test_a_report_with_nothing_in_it_renders(empty: object) -> None:
    assert "Same results" not in render_verify_report(empty)  # type: ignore[arg-type]


def test_a_map_is_told_by_its_range_and_judged_by_its_error(picture: Path) -> None:
    about = [ComparedOutput("webgpu", "desk", "decoded", name) for name in ("depth", "confidence")]
    case = SampleResult(sample="desk", comparisons=tuple(comparison(subject=each) for each in about))
    sample = SampleReport(title="desk", file=str(picture), width=64, height=48, detections=(), depth=(0.7, 2.8))
    page = render_verify_report(report(backend(results=(case,)), samples=(sample,), task=DEPTH))
    assert "depth 0.7 to 2.8" in page
    assert "nothing found" not in page
    assert "an absolute relative error of 0.001" in page
    assert [f'<th scope="col">{name}</th>' in page for name in ("Depth", "Confidence", "Score")] == [True, True, False]


@pytest.mark.parametrize(
    ("compared", "words"),
    [
        ((comparison(output="mask"),), "outputs agree"),
        ((comparison(output="mask"), comparison("DIFFERS", "scores")), "outputs differ"),
        ((comparison("VACUOUS", "mask"),), "nothing compared"),
    ],
    ids=["equal", "different", "vacuous"],
)
def test_of_plain_tensors_a_picture_says_whether_they_agree(
    picture: Path, compared: tuple[Comparison, ...], words: str
) -> None:
    case = SampleResult(sample="desk", comparisons=compared)
    sample = SampleReport(title="desk", file=str(picture), width=64, height=48, detections=())
    page = render_verify_report(report(backend(results=(case,)), samples=(sample,), task=TensorTask()))
    assert f'aria-label="{words}"' in page
    assert f'<span class="quiet">{words}</span>' in page
    assert not [
        each
        for each in ("found", "Detections of each backend", "Results of each backend", "drawn over", 'class="toggles"')
        if each in page
    ]


@pytest.mark.parametrize("task", [MatteTask(output="alpha"), ImageTask(output="y")])
def test_of_pictures_that_are_made_nothing_is_counted(picture: Path, task: Task) -> None:
    case = SampleResult(sample="desk", comparisons=(comparison(output="y"),))
    sample = SampleReport(title="desk", file=str(picture), width=64, height=48, detections=())
    page = render_verify_report(report(backend(results=(case,)), samples=(sample,), task=task))
    assert "Results of each backend" in page
    assert '<span class="quiet">outputs agree</span>' in page
    assert not [each for each in ("nothing", "found", "Detections", "on one scale") if each in Tags(page).text]


def test_what_was_pointed_at_is_drawn_on_its_picture(picture: Path) -> None:
    pointed = PointedAt(object=((10, 20), (30, 40)), background=((5, 6),), box=(1, 2, 50, 44))
    sample = SampleReport(title="desk", file=str(picture), width=64, height=48, detections=(), pointed=pointed)
    asked = report(backend(comparison(output="mask")), samples=(sample,), task=MatteTask(output="alpha"))
    page = render_verify_report(asked)
    drawn = page[page.index('<g class="prompt">') : page.index("</svg>", page.index('<g class="prompt">'))]
    assert re.findall(r'class="click (\w+)"><title>([^<]+)</title><path class="rim" d="([^"]+)"', drawn) == [
        ("object", "a click on the object", "M10 20h0"),
        ("object", "a click on the object", "M30 40h0"),
        ("background", "a click on the background", "M5 6h0"),
    ]
    assert drawn.count('d="M1 2H50V44H1Z"') == 2


def test_a_stage_has_one_row_for_all_numbers_of_points() -> None:
    """The worst result is shown, a difference before any that is allowed."""
    near, far = comparison(output="mask", max_abs=0.4), comparison("DIFFERS", "mask", max_abs=0.7, reason="too-far")
    runs = [
        backend(each, backend=f"{on} decoder {count} points")
        for on in ("wasm", "webgpu")
        for count, each in ((2, far if on == "webgpu" else near), (3, near), (4, comparison(output="mask")))
    ]
    ((sample, rows),) = error_rows(report(*runs, stages=("decoder",)))
    assert (sample, [row.backend for row in rows]) == (
        "street",
        ["wasm decoder 2 to 4 points", "webgpu decoder 2 to 4 points"],
    )
    assert [row.decoded["mask"] for row in rows] == [near, far]


def test_what_only_a_new_task_compares_has_a_column_behind_the_others() -> None:
    compared = [
        comparison(subject=ComparedOutput("webgpu", "street", "decoded", "y", "", name))
        for name in ("brightness", "score")
    ]
    page = render_verify_report(report(backend(*compared)))
    columns = re.findall(r"<th[^>]*>([^<]*)</th>", page)
    assert columns.index("Score") < columns.index("Brightness") < columns.index("Raw outputs")


def test_a_picture_that_is_gone_is_left_out() -> None:
    sample = SampleReport(title="gone", file="/nowhere/gone.png", width=4, height=4, detections=())
    assert "img" not in Tags(render_verify_report(report(backend(comparison()), samples=(sample,)))).names


def test_a_graph_in_half_precision_has_a_colour_of_its_own_and_one_that_was_not_run_says_why() -> None:
    half = backend(
        comparison(subject=ComparedOutput("webgpu fp16", "street", "decoded", "score")), backend="webgpu fp16"
    )
    absent = backend(backend="webgpu mixed", results=(), skip_reason="this adapter has <no> shader-f16")
    page = render_verify_report(report(half, backend(comparison()), absent))
    assert '<i class="swatch half"></i>WebGPU fp16' in page
    assert (
        "In half precision, as when it was proven: detections are matched by overlap, never by rank: score 0.01,"
        in page
    )
    assert "Not run: this adapter has &lt;no&gt; shader-f16." in page
    assert "WebGPU fp16 and WebGPU agree" in page
    assert "In half precision" not in render_verify_report(report(backend(comparison())))


def test_the_stages_of_a_bundle_are_drawn(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(encode(stages_manifest()))
    told = report(backend(backend="webgpu decoder"), stages=("encoder", "middle", "decoder"))
    tags = Tags(render_verify_report(told, tmp_path))
    assert ("class", "pipeline") in tags.attributes
    assert "encoder.embedding  float32 [1, 8, 4, 4]" in tags.text
    assert "pipeline" not in render_verify_report(report(backend())).partition("</style>")[2]
