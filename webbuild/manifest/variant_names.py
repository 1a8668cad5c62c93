"""What reports call the variants of a model: by the size of their pictures."""

from __future__ import annotations

from webbuild.manifest.inputs import ImageInput, StackInput
from webbuild.manifest.manifest import Manifest


def variant_names(manifest: Manifest) -> list[str]:
    """Return a name for each of `every_variant`, such as `640x480`; an empty one for a model that has one alone."""
    every = manifest.every_variant
    return [_name(each) for each in every] if len(every) > 1 else [""]


def picture_size(manifest: Manifest) -> tuple[int, int] | None:
    """Return the width and height of the pictures that a model takes, None where it takes none."""
    spec = next((each for each in manifest.inputs if isinstance(each, ImageInput | StackInput)), None)
    if spec is None:
        return None
    height, width = spec.shape[1:3] if isinstance(spec, ImageInput) and spec.layout == "nhwc" else spec.shape[-2:]
    return width, height


def picture_sizes(manifest: Manifest) -> list[tuple[int, int]]:
    """Return the width and height of pictures of each variant, each once."""
    sizes = (picture_size(each) for each in manifest.every_variant)
    return list(dict.fromkeys(size for size in sizes if size is not None))


def _name(manifest: Manifest) -> str:
    size = picture_size(manifest)
    return "" if size is None else f"{size[0]}x{size[1]}"
