"""The model for each size of picture that it is packed for: loaded once, and compiled for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import Struct

from webbuild.compile.compile_model import CompiledModel, LoadedModel, resize_model
from webbuild.errors import WebbuildError
from webbuild.samples.sample import Sample
from webbuild.tasks.base import TaskMatch
from webbuild.tasks.picture_sizes import PictureSize


class ModelVariant(Struct, frozen=True):
    """A model for one size, and the samples to compare it on. `name` is that size, empty where there is one alone."""

    loaded: LoadedModel
    compiled: CompiledModel
    samples: Sequence[Sample] = ()
    name: str = ""

    @property
    def suffix(self) -> str:
        """The name after a space, to add to what is said of it."""
        return f" {self.name}" if self.name else ""


def compile_sizes(
    loaded: LoadedModel,
    dims: Mapping[str, int],
    sizes: Sequence[PictureSize],
    compile_one: Callable[[LoadedModel, TaskMatch | None], CompiledModel],
) -> list[ModelVariant]:
    """Compile a model for each size.

    Args:
        loaded: the model for the first size, or for the only one that it has.
        dims: given sizes of other free dimensions.
        sizes: of pictures; the first is that of `loaded`.
        compile_one: compiles for one size, after the first like that.

    Raises:
        WebbuildError: what `resize_model` and `compile_one` raise, with the size in the message.
    """
    names = [size.name for size in sizes] if len(sizes) > 1 else [""]
    with naming_variant(names[0]):
        first = compile_one(loaded, None)
    variants = [ModelVariant(loaded, first, name=names[0])]
    for size in sizes[1:]:
        with naming_variant(size.name):
            resized = resize_model(loaded, dims, size)
            variants.append(ModelVariant(resized, compile_one(resized, first.match), name=size.name))
    return variants


@contextmanager
def naming_variant(name: str) -> Iterator[None]:
    """Say in the message of an error which variant it is of, where there are several."""
    try:
        yield
    except WebbuildError as error:
        if not name:
            raise
        said = f"{name}: {error.message}"
        raise WebbuildError(error.code, said, error.fix, exit_code=error.exit_code) from error
