"""Model variants: a model compiled for each picture size and each batch size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild.compile.compile_model import CompiledModel
from webbuild.compile.float16_export import compile_accurately
from webbuild.compile.load_model import LoadedModel, resize_model
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Input, PictureInput, StateInput
from webbuild.manifest.states import state_inputs
from webbuild.runners.batch_runner import PictureBatch
from webbuild.samples.sample import Sample
from webbuild.samples.sequences import make_sequence
from webbuild.tasks.options.picture_batches import with_batch
from webbuild.tasks.options.picture_sizes import PictureSize
from webbuild.tasks.task_match import TaskMatch


class ModelVariant(Struct, frozen=True):
    """A model compiled for one input size and one batch size, with its samples.

    `name` is the size, the batch or both; empty for a single variant.
    """

    loaded: LoadedModel
    compiled: CompiledModel
    samples: Sequence[Sample] = ()
    name: str = ""
    batch: int = 1

    @property
    def single_inputs(self) -> tuple[Input, ...]:
        """The inputs with a batch size of 1."""
        return tuple(
            msgspec.structs.replace(spec, shape=[1, *spec.shape[1:]]) if self.batch > 1 else spec
            for spec in self.compiled.match.inputs
        )

    @property
    def picture_batch(self) -> PictureBatch | None:
        """The input that takes a batch of images, None for a batch of 1."""
        pictures = (spec.name for spec in self.compiled.match.inputs if isinstance(spec, PictureInput))
        return PictureBatch(next(pictures), self.batch) if self.batch > 1 else None

    @property
    def states(self) -> list[StateInput]:
        """The state inputs of a recurrent model."""
        return state_inputs(self.compiled.match.inputs)

    @property
    def suffix(self) -> str:
        """The name after a space, to append to a message; empty without a name."""
        return f" {self.name}" if self.name else ""

    def make_sequence(self) -> list[Sample]:
        """Return the steps of a sequence, for a model with states."""
        return make_sequence(self.samples, self.compiled.match.inputs, self.loaded.ranges)


def compile_variants(
    loaded: LoadedModel,
    dims: Mapping[str, int],
    sizes: Sequence[PictureSize],
    batches: Sequence[int],
    compile_single: Callable[[LoadedModel, TaskMatch | None], CompiledModel],
    compile_several: Callable[[LoadedModel, CompiledModel, int], CompiledModel],
    samples: Sequence[Path] = (),
) -> list[ModelVariant]:
    """Compile a model for each size and each batch; the batches of a size are adjacent.

    Args:
        loaded: the model for the first size, or for its only size.
        dims: sizes of other free dimensions.
        sizes: the picture sizes; the first is the size of `loaded`.
        batches: the batch sizes; the first is 1.
        compile_single: compiles for one size; takes the match of the first size, None for the first size itself.
        compile_several: compiles for a batch; takes the model compiled for one picture.
        samples: the user's sample files.

    Raises:
        WebbuildError: what `with_batch`, `resize_model` and the two callbacks raise, with the variant in the message.
    """
    batch_dims = {batch: with_batch(loaded.source.signature, batch, dims) for batch in batches}
    variants: list[ModelVariant] = []
    for size in sizes or (None,):
        single: CompiledModel | None = None
        for batch in batches:
            name_parts = (size.name if size and len(sizes) > 1 else "", f"batch {batch}" if len(batches) > 1 else "")
            name = " ".join(filter(None, name_parts))
            with prefix_errors(name):
                resized = resize_model(loaded, batch_dims[batch], size) if variants else loaded
                if not variants:
                    loaded, compiled = compile_accurately(loaded, lambda one: compile_single(one, None), samples)
                    resized, single = loaded, compiled
                elif single is None:
                    single = compiled = compile_single(resized, variants[0].compiled.match)
                else:
                    compiled = compile_several(resized, single, batch)
            variants.append(ModelVariant(resized, compiled, name=name, batch=batch))
    return variants


@contextmanager
def prefix_errors(name: str) -> Iterator[None]:
    """Prefix the message of a WebbuildError raised in the block with `name` (a variant or a field), unless empty."""
    try:
        yield
    except WebbuildError as error:
        if not name:
            raise
        message = f"{name}: {error.message}"
        raise WebbuildError(error.code, message, error.fix, exit_code=error.exit_code) from error
