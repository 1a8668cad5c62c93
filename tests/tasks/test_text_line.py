"""Recognition of text recognizers, which dictionary fits, and when two texts are the same."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.text_models import CHARACTERS, dictionary
from webbuild.compare.comparison import ComparedOutput
from webbuild.compare.tolerances import NATIVE
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import ImageInput, TensorTask, TextLineTask
from webbuild.model.hub_files import HubFiles
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.tasks.decoding.characters import TextLine, TextWord
from webbuild.tasks.metrics.compare_text import character_error_rate, compare_lines
from webbuild.tasks.options.known_size import known_picture_size
from webbuild.tasks.options.labels import read_labels
from webbuild.tasks.recognition.text_dictionary import fit_dictionary
from webbuild.tasks.registry import match_task
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.text_line import TASK


def facts(
    output: tuple[Dim, ...] = (1, 40, 97), picture: tuple[Dim, ...] = (1, 3, 48, 320), **told: object
) -> ModelSignature:
    inputs = (TensorSpec("x", "float32", picture),)
    seen = ModelSignature("rec.onnx", "", {}, inputs, (TensorSpec("y", "float32", output),))
    return msgspec.structs.replace(seen, **told)


def line(found: TaskMatch | None) -> TextLineTask:
    assert found is not None
    assert isinstance(found.task, TextLineTask)
    return found.task


@pytest.mark.parametrize(("output", "layout"), [((1, 40, 97), "ntc"), ((40, 1, 97), "tnc")])
def test_a_recognizer_is_known_by_its_shapes(output: tuple[Dim, ...], layout: str) -> None:
    found = match_task(facts(output))
    assert (line(found).layout, line(found).blank, line(found).logits) == (layout, 0, True)
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.color, image.mean, image.std, image.letterbox.mode) == ("bgr", [0.5] * 3, [0.5] * 3, "line")


@pytest.mark.parametrize(
    "other",
    [
        facts((1, 197, 768), (1, 3, 224, 224)),
        facts((1, 40, 97), (1, 3, 64, 320)),
        facts((1, 40, 97), (1, 3, 48, 40)),
        facts((1, 26, 97), (1, 3, 32, 128)),
        facts((1, 40, 40)),
        facts((1, 320, 97)),
        facts((2, 40, 97)),
        facts((1, 40, 97), (1, 1, 48, 320)),
        facts(outputs=(TensorSpec("y", "float32", (1, 40, 97)), TensorSpec("z", "float32", (1, 40, 97)))),
    ],
)
def test_other_models_are_not_taken_for_one(other: ModelSignature) -> None:
    assert isinstance(match_task(other).task, TensorTask)


def test_a_small_dictionary_that_the_model_brings_along_tells_it() -> None:
    assert isinstance(match_task(facts((1, 40, 12))).task, TensorTask)
    digits = match_task(facts((1, 40, 12), metadata={"character": "\n".join("0123456789")}))
    assert line(digits).characters == "\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n "
    listed = match_task(facts((1, 40, 12), hub_files=HubFiles(characters=tuple("0123456789"))))
    assert line(listed) == line(digits)


def test_a_recognizer_of_grey_lines_needs_a_dictionary() -> None:
    grey = facts((26, 1, 37), (1, 1, 32, 104))
    assert isinstance(match_task(grey).task, TensorTask)
    own = msgspec.structs.replace(grey, metadata={"character": "\n".join("0123456789abcdefghijklmnopqrstuvwxyz")})
    for found in (TASK.infer(grey, requested=True), match_task(own)):
        assert line(found).layout == "tnc"
        assert found is not None
        (image,) = found.inputs
        assert isinstance(image, ImageInput)
        assert (image.color, image.mean, image.std, image.letterbox.mode) == ("gray", [0.5], [0.5], "line")


def test_doctr_has_its_vocabulary_in_config_json_and_the_blank_last() -> None:
    config = {"vocab": "abcé", "mean": [0.5, 0.25, 0.125], "std": [0.2, 0.3, 0.4]}
    found = match_task(facts((1, 32, 5), (1, 3, 32, 128), hub_files=HubFiles(config=config)))
    assert (line(found).characters, line(found).blank) == ("a\nb\nc\né\n", 4)
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.color, image.mean, image.std) == ("rgb", [0.5, 0.25, 0.125], [0.2, 0.3, 0.4])
    assert (image.letterbox.mode, image.letterbox.anchor, image.letterbox.pad) == ("letterbox", "top-left", 0)


def test_doctrs_readers_of_33_columns_end_with_a_token_and_are_no_ctc() -> None:
    hub = HubFiles(config={"vocab": "abcé"})
    found = match_task(facts((1, 33, 5), (1, 3, 32, 128), hub_files=hub))
    assert (line(found).decoding, line(found).characters, line(found).blank) == ("end-token", "a\nb\nc\né\n", 4)
    assert any("end token" in each for each in found.assumptions)
    logits = np.full((1, 33, 5), -3, np.float32)
    logits[..., 0] = 3  # photographs full of the first letter: no reason to take it for the blank
    measured = line(TASK.with_values(found, [logits]))
    assert (measured.blank, measured.logits, measured.characters) == (4, True, line(found).characters)
    columns_first = TASK.infer(facts((33, 1, 97), (1, 3, 32, 128)), requested=True)
    assert line(columns_first).decoding == "ctc"


def test_doctrs_sar_of_31_columns_is_told_by_the_best_class_that_it_reads_back() -> None:
    shapes = (1, 31, 127), (1, 3, 32, 128)
    assert line(match_task(facts(*shapes, operators=frozenset({"LSTM", "ArgMax"})))).decoding == "end-token"
    assert isinstance(match_task(facts(*shapes, operators=frozenset({"LSTM"}))).task, TensorTask)


def test_a_free_width_is_that_of_paddles_lines() -> None:
    found = known_picture_size(facts(("n", "t", 97), ("n", 3, 48, "w")))
    assert found is not None
    assert found.size[1] == 320
    assert known_picture_size(facts(("n", "t", 97), ("n", 3, 224, "w"))) is None


FREE = ("batch", 3, "?", "width")
OWN = {"character": "\n".join(map(str, range(95)))}


@pytest.mark.parametrize(
    ("file", "metadata", "size"),
    [
        ("model.onnx", OWN, (48, 320)),
        ("ch_PP-OCRv4_rec_infer.onnx", {}, (48, 320)),
        ("ch_PP-OCRv2_rec_infer.onnx", {}, (32, 320)),
        ("ch_ppocr_mobile_v2.0_rec_infer.onnx", {}, (32, 320)),
        ("model.onnx", {"character": "a\nb"}, None),
        ("recognizer.onnx", {}, None),
    ],
)
def test_a_free_height_is_paddles_where_the_dictionary_or_the_name_says_so(
    file: str, metadata: dict[str, str], size: tuple[int, int] | None
) -> None:
    found = known_picture_size(facts(("batch", "columns", 97), FREE, file=file, metadata=metadata))
    assert (found and found.size) == size


@pytest.mark.parametrize(
    ("characters", "first", "want"),
    [
        ("abc", True, ("", "a", "b", "c")),
        ("abc", False, ("a", "b", "c", "")),
        ("ab", True, ("", "a", "b", " ")),
        ("a", True, None),
        ("abcd", True, None),
    ],
)
def test_a_dictionary_fits_with_the_blank_and_perhaps_a_space(
    characters: str, first: bool, want: tuple[str, ...] | None
) -> None:
    fitted = fit_dictionary(characters, 4, blank_first=first)
    assert (None if fitted is None else fitted.characters) == want


def test_a_dictionary_may_say_where_the_blank_is() -> None:
    fitted = fit_dictionary(["a", "<blank>", "b"], 3, blank_first=True)
    assert fitted is not None
    assert (fitted.characters, fitted.blank) == (("a", "", "b"), 1)


def test_only_line_feeds_end_a_line_of_a_dictionary(tmp_path: Path) -> None:
    odd = "".join([*CHARACTERS[:60], "\u2028", "\u3000", " "])
    found = TASK.with_labels(match_task(facts((1, 40, 65))), read_labels(dictionary(tmp_path / "d.txt", odd)))
    assert line(found).characters.split("\n") == ["", *odd, " "]


def test_a_dictionary_may_have_a_character_twice(tmp_path: Path) -> None:
    """PaddleOCR's ppocrv5_arabic_dict.txt lists its digits twice; each line is a class of the model."""
    twice = "".join([*CHARACTERS[:60], *CHARACTERS[:4]])
    found = TASK.with_labels(match_task(facts((1, 40, 65))), read_labels(dictionary(tmp_path / "d.txt", twice)))
    assert line(found).characters.split("\n") == ["", *twice]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\nb\n", "d.txt: 2 characters, and output 'y' has 97 classes"),
        ("a\n\nb\n", "line 2 is empty"),
    ],
)
def test_a_dictionary_that_is_none_of_the_model_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "d.txt").write_text(text, "utf-8")
    with pytest.raises(WebbuildError, match=said) as caught:
        TASK.with_labels(match_task(facts()), read_labels(tmp_path / "d.txt"))
    assert caught.value.code == "wrong-labels"
    if "classes" in said:
        assert "96 characters, of 95 to which a space is added, or of 97" in caught.value.fix


def scores(classes: list[int], count: int = 97) -> np.ndarray:
    """Return probabilities [1, T, C], 1 for one class in each column."""
    return np.eye(count, dtype=np.float32)[classes][None]


def test_photographs_show_which_class_is_the_blank_and_whether_scores_are_probabilities() -> None:
    found = match_task(facts())
    measured = line(TASK.with_values(found, [scores([0] * 30 + [5] * 10)] * 2))
    assert (measured.blank, measured.logits) == (0, False)
    assert line(TASK.with_values(found, [scores([0] * 30 + [5] * 10) * 3])).logits
    last = TASK.with_values(found, [scores([96] * 30 + [5] * 10)])
    assert line(last).blank == 96
    assert line(TASK.with_values(found, [scores([96] * 30 + [0] * 10)])).blank == 0


def verdicts(want: list[TextLine], got: list[TextLine]) -> dict[str, str]:
    found = compare_lines(ComparedOutput("wasm", "a.png", "decoded", ""), want, got, NATIVE)
    return {each.subject.quantity: each.verdict for each in found}


def read(text: str, score: float = 0.9) -> TextLine:
    words = tuple(TextWord(word, score, 4.0 * at, 4.0 * at + 3) for at, word in enumerate(text.split()))
    return TextLine(text, score, words)


def test_one_character_is_a_difference() -> None:
    assert verdicts([read("a b")], [read("a b")]) == {"character error rate": "OK", "score": "OK"}
    assert verdicts([read("a b")], [read("a c")])["character error rate"] == "DIFFERS"
    assert verdicts([read("a b")], [])["character error rate"] == "DIFFERS"
    assert verdicts([read("ab", 0.9)], [read("ab", 0.8)]) == {"character error rate": "OK", "score": "DIFFERS"}


def test_words_have_to_be_those_of_the_text() -> None:
    wrong = msgspec.structs.replace(read("a b"), words=read("a c").words)
    assert verdicts([read("a b")], [wrong])["character error rate"] == "DIFFERS"


def test_words_of_arabic_are_in_the_order_of_the_text() -> None:
    words = (TextWord("با", 0.9, 48, 80), TextWord("12", 0.9, 0, 32))
    arabic = TextLine("با 12", 0.9, words)
    assert verdicts([arabic], [arabic]) == {"character error rate": "OK", "score": "OK"}


def test_no_text_says_nothing() -> None:
    (rate, _) = compare_lines(ComparedOutput("wasm", "a.png", "decoded", ""), [read("")], [read("")], NATIVE)
    assert rate.signal == 0
    assert TASK.is_empty([read("")])


@pytest.mark.parametrize(
    ("want", "got", "rate"), [("kitten", "sitting", 0.5), ("ab", "ab", 0), ("", "a", 1), ("", "", 0), ("abcd", "", 1)]
)
def test_the_error_rate_counts_edits(want: str, got: str, rate: float) -> None:
    assert character_error_rate(want, got) == rate


def raw(want: np.ndarray, got: np.ndarray, *, logits: bool = False) -> str:
    """Return the verdict on scores [1, T, C]; `default` compares them number by number."""
    task = msgspec.structs.replace(line(match_task(facts())), logits=logits)
    found = TASK.compare_output(task, ComparedOutput("wasm", "a.png", "raw", "y"), want, got, RunContext(), NATIVE)
    return "default" if found is None else found[0].verdict


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True), np.float32)


def test_probabilities_are_compared_as_the_logits_that_they_come_from() -> None:
    logits = np.random.default_rng(0).normal(0, 3, (1, 40, 97))
    want, moved = softmax(logits), np.sign(logits)
    assert raw(want, softmax(logits + 5e-4 * moved)) == "OK"
    assert raw(want, softmax(logits + 5e-3 * moved)) == "DIFFERS"
    other = want.copy()
    other[0, 3] = np.roll(other[0, 3], 1)
    assert raw(want, other) == "DIFFERS"
    assert raw(want, np.full_like(want, np.nan)) == "DIFFERS"


def test_what_are_no_probabilities_is_compared_number_by_number() -> None:
    want = softmax(np.zeros((1, 40, 97)))
    assert raw(want, want - 1) == "default"
    assert raw(want, want * 200) == "default"
    assert raw(want, want, logits=True) == "default"
