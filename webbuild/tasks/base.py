"""A task: recognised by the model's interface, decoded from its outputs in the context of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import Input, Task
from webbuild.manifest.tasks.tensor import JoinedTensor
from webbuild.manifest.tasks.tile_plan import TilePlan
from webbuild.model.signature import ModelSignature
from webbuild.postprocess.spec import GroundingPostprocess, Postprocess
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.point_prompt import PointPrompt
from webbuild.preprocess.prompt import Prompt
from webbuild.tasks.detection import Detection
from webbuild.tasks.type_names import TypeNames

SegmentationMode = Literal["panoptic", "instance", "semantic"]
Tensors = Mapping[str, NDArray[Any]]


MAX_FLAT_ELEMENTS = 1 << 18
"""Elements up to which an output is looked through for being flat, as in the runtime."""


class TaskMatch(Struct, frozen=True):
    """What a model was taken for. `assumptions` are sentences: what was not said and is believed.

    `postprocess` is what the model lacks before its output is what `task` says. `files` go into the bundle
    under these names. `guessed` says that shapes alone told it, which answers to photographs have to confirm.
    `guessed_recipe` is the assumption that says how pictures go in, where neither the model nor its family tells it.
    `measured_output` is one whose values on photographs say what they mean, as the graph does not.
    """

    task: Task
    inputs: tuple[Input, ...]
    assumptions: tuple[str, ...]
    postprocess: Postprocess | None = None
    files: Mapping[str, bytes] = {}
    guessed: bool = False
    guessed_recipe: str = ""
    measured_output: str = ""

    @property
    def lacks_head(self) -> bool:
        """Whether operators are to be appended to the model's outputs."""
        return not isinstance(self.postprocess, GroundingPostprocess | None)


class TiledOutput(Struct, frozen=True):
    """What a model makes of a tile: `scale` times as large, from `low` for black to `high` for white.

    `reach` is how many pixels of the source around a pixel its colour depends on, besides what the model reads.
    """

    name: str
    layout: Literal["nchw", "nhwc"]
    scale: int = 1
    low: float = 0.0
    high: float = 1.0
    reach: int = 0

    def rows_axis(self, rank: int) -> int:
        """Return the axis of the rows, before that of the columns: of [1, h, w], [1, c, h, w] or [1, h, w, c]."""
        return 2 if rank == 4 and self.layout == "nchw" else 1


class RunContext(Struct, frozen=True):
    """One run's decoding parameters: everything that an answer depends on besides the outputs.

    Attributes:
        placement: where the picture lies in the model's input, None for plain tensors.
        thresholds: by option. Those that are inputs of the graph have done their work there.
        prompt: what is looked for, in the words of the caller.
        mode: how to segment, None for the task's own mode.
        picture_file: the picture, or the first of a stack; None where the feeds are no picture's.
        hole: which pixels of the picture are filled in, [height, width]; None of a model that takes no mask.
        points: what is pointed at; None of a model that takes no clicks.
    """

    placement: ImagePlacement | None = None
    thresholds: Mapping[str, float] = {}
    prompt: Prompt | None = None
    mode: SegmentationMode | None = None
    picture_file: Path | None = None
    hole: NDArray[np.bool_] | None = None
    points: PointPrompt | None = None


class TaskKind:
    """A task. Its file is found by walking this folder, where it is called `TASK`.

    `spec` is what the manifest says of a model of this task, and the tag of that its name. A task overrides `infer`,
    `needed_outputs` and `decode`; the other defaults are those of a task without page template, types and drawings.
    """

    spec: ClassVar[type[Task]]
    description: str = "Takes pictures or tensors, returns tensors"
    """What a model of this task does, in a few words."""
    wants: str = ""
    """What the inputs and outputs of such a model have to be, in a sentence without its full stop."""
    page_template: str = ""
    """The file in `bundle/templates/page/` that has the markup of the predictions; empty where the outputs' tensors are
    shown, or the task's view in `web/page/views/` makes its own."""
    noun: str = ""
    """What one thing of a prediction is called, where there are several."""
    makes_image: bool = False
    """Whether a prediction is a map or a picture, which a report shows as `image` draws it."""
    image_caption: str = ""
    """What such an image shows, after the name of the task or of a backend."""
    makes_picture: bool = False
    """Whether a prediction is a picture, whose range and order answers to photographs show."""
    page_options: bool = False
    """Whether what is chosen on the page are options of `run()`, which its lines of code show."""
    blends_tiles: bool = True
    """Whether tiles that differ where they meet are blended there; else only exact tiles are put together."""
    compares_predictions: bool = True
    """Whether answers are compared by what is decoded from them, not tensor by tensor."""
    takes_prompt: bool = False
    """Whether a run needs a prompt, and the bundle the code of a tokenizer."""
    has_detections: bool = False
    """Whether predictions hold objects with boxes, which are drawn and counted."""
    finds_anywhere: bool = False
    """Whether the same objects are found in a picture that is mirrored or cropped."""
    ranks_classes: bool = False
    """Whether predictions are classes with scores, the most probable first."""
    predicts_more: bool = False
    """Whether a prediction says what no single output does: masks, words, regions."""

    needs_earlier: bool = False
    """Whether such a model takes what an earlier stage makes; alone it is one of plain tensors."""
    checks_answers: bool = False
    """Whether `answer_warnings` may find something."""

    @property
    def draws(self) -> bool:
        """Whether a report shows what a prediction says of a picture: objects, classes or a map."""
        return bool(self.noun) or self.ranks_classes or self.makes_image

    @property
    def kind(self) -> str:
        """Name of the task in the manifest and of `--task`."""
        return str(self.spec.__struct_config__.tag)

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Return what the model is if it is of this kind, else None.

        `requested` says that the user named this task: what fits is believed without the model's own word.

        Raises:
            WebbuildError: `class-count-mismatch` for a model of this kind whose metadata and scores do not agree.
        """
        raise NotImplementedError

    def is_named(self, signature: ModelSignature) -> bool:
        """Whether outputs have names that only models of this kind give them; the others are then not asked."""
        return False

    def needed_outputs(self, task: Any) -> Sequence[str]:
        """Return the outputs that the task is decoded from."""
        raise NotImplementedError

    def decode(self, task: Any, outputs: Tensors, context: RunContext) -> Sequence[Any]:
        """Return the objects in the outputs, in source pixels; none where the context lacks what they depend on."""
        raise NotImplementedError

    def compare_output(
        self,
        task: Any,
        subject: ComparedOutput,
        expected: NDArray[Any],
        actual: NDArray[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison] | None:
        """Compare one output, of equal shape and type, in the task's own terms; None to compare it number by number."""
        return None

    def compare(
        self,
        task: Any,
        subject: ComparedOutput,
        expected: Sequence[Any],
        actual: Sequence[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare two predictions, a comparison for each quantity."""
        return ()

    def default_thresholds(self, task: Any) -> Mapping[str, float]:
        """Return the exported thresholds by option, of a task that has them outside of the graph."""
        return {}

    def candidate_scores(self, task: Any, outputs: Tensors) -> NDArray[Any] | None:
        """Return the scores of all candidates in the outputs, best first; None where no threshold is in the graph."""
        return None

    def tiled_outputs(self, task: Any) -> Sequence[TiledOutput]:
        """Return what tiles of a picture are put together of, nothing for a task that pictures are resized for."""
        return ()

    def reads_whole_picture(self, task: Any) -> str:
        """Return why the outputs of a tile say too little, however local the graph is; empty where they do not."""
        return ""

    def with_tiles(self, task: Any, plan: TilePlan) -> Any:
        """Return the task with the tiles that pictures are run in; of one that has `tiled_outputs`."""
        raise NotImplementedError

    def tile_plan(self, task: Any) -> TilePlan | None:
        """Return the tiles that pictures are run in, None where they are resized."""
        return None

    def draw_tile(self, task: Any, outputs: Tensors, source: NDArray[np.uint8], context: RunContext) -> NDArray[Any]:
        """Return what becomes of a tile `source`, RGBA, to be put together; of a task with a `tile_plan`."""
        raise NotImplementedError

    def join_tiles(self, task: Any, joined: NDArray[np.uint8], picture: Path) -> Sequence[Any]:
        """Return the prediction of what the tiles of a picture were put together to, RGBA."""
        raise NotImplementedError

    def with_joined(self, task: Any, joined: Sequence[JoinedTensor]) -> Any:
        """Return the task with what its outputs are joined from; the same where it reads the outputs itself."""
        return task

    def answer_warnings(self, task: Any, answers: Sequence[Tensors]) -> Sequence[str]:
        """Return what speaks against the answers to photographs that have nothing in common, in sentences."""
        return ()

    def describe_flat(self, task: Any, name: str, array: NDArray[Any]) -> str:
        """Say in what an output of finite numbers is the same everywhere, as no model means it; empty for none."""
        flat = 1 < array.size <= MAX_FLAT_ELEMENTS and bool((array == array.flat[0]).all())
        return f"{name} holds {array.flat[0]:g} everywhere" if flat else ""

    def is_empty(self, prediction: Sequence[Any]) -> bool:
        """Whether a prediction says nothing at all, so that an equal one proves nothing."""
        return not prediction

    def read_result(self, result: Mapping[str, Any]) -> Sequence[Any]:
        """Return the prediction in a result of the runtime: its fields by name, with NumPy arrays [length].

        Nothing for a task whose results are compared tensor by tensor.
        """
        return ()

    def detections(self, prediction: Sequence[Any]) -> Sequence[Detection]:
        """Return the objects of a prediction, where it has any."""
        return prediction

    def fallback_mode(self, task: Any) -> SegmentationMode | None:
        """Return the mode in which a prediction is never empty, None for a task that has none."""
        return None

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return in words how far two equal predictions may lie apart; empty where tensors are compared."""
        return ""

    def summary(self, task: Any, pictures: int) -> str:
        """Return what a model does, in a sentence; empty where only its inputs and outputs are known.

        `pictures` is how many it takes at a time.
        """
        return ""

    def staged_summary(self, task: Any, earlier: Sequence[Task]) -> str:
        """Return what a model of several stages does: the last is of this task, those before it of `earlier`."""
        return self.summary(task, 1)

    def typescript(self, task: Any) -> TypeNames:
        """Return the names and types of a model's results."""
        return TypeNames()

    def image(self, task: Any, prediction: Any, like: Any, pixels: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
        """Return a prediction as RGBA [height, width, 4]; of a task that `makes_image`.

        Args:
            task: says what the numbers mean.
            prediction: what is drawn.
            like: the prediction of the reference, on whose scale it is drawn.
            pixels: the picture, RGBA, None where that is not at hand.
        """
        raise NotImplementedError

    def infer_earlier(self, signature: ModelSignature, later: Sequence[ModelSignature]) -> TaskMatch | None:
        """Return what a stage is whose outputs the stages `later` take, None where this task knows none of them.

        Its task is then that of plain tensors; what is known is how its inputs are filled in.
        """
        return None

    def with_earlier(self, match: TaskMatch, earlier: Sequence[TaskMatch]) -> TaskMatch:
        """Return the match of a stage with what the stages before it say, such as how pictures go in."""
        return match

    def with_values(self, match: TaskMatch, values: Sequence[NDArray[Any]]) -> TaskMatch:
        """Return the match with what the values of its `measured_output` on photographs say."""
        return match

    def skeleton(self, task: Any) -> Sequence[Sequence[int]]:
        """Return the pairs of keypoints that a drawing joins."""
        return ()

    def with_prompts(self, match: TaskMatch, prompts: Sequence[str]) -> TaskMatch:
        """Return the match with these example prompts, else its own cut to fit.

        Raises:
            WebbuildError: `invalid-prompt` for one that the model cannot take.
        """
        return match

    def prompts(self, match: TaskMatch) -> Sequence[Prompt]:
        """Return the prompts that samples are tried with, in turn; none for a task that takes none."""
        return ()

    def edge_case_prompts(self, match: TaskMatch) -> Sequence[Prompt]:
        """Return the shortest prompt and a long one; none for a task that takes none."""
        return ()

    def prompt_files(self, task: Any) -> Sequence[str]:
        """Return the files of a bundle that `read_prompt` needs in a match."""
        return ()

    def read_prompt(self, match: TaskMatch, text: str) -> Prompt:
        """Return a prompt, the first example where the text is empty; of a task that takes prompts.

        Raises:
            WebbuildError: `invalid-prompt` for one that the model cannot take.
        """
        raise NotImplementedError

    def prompt_feeds(self, match: TaskMatch, prompt: Prompt) -> Mapping[str, NDArray[Any]]:
        """Return the inputs that a prompt fills in."""
        return {}

    def example_points(self, match: TaskMatch, placement: ImagePlacement, index: int) -> PointPrompt | None:
        """Return clicks for the sample of a number, as many as the graph takes; None for a task that takes none."""
        return None

    def point_feeds(self, match: TaskMatch, prompt: PointPrompt, placement: ImagePlacement) -> Tensors:
        """Return the inputs that clicks and boxes fill in."""
        return {}
