"""The names of stages that are given as files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from webbuild.bundle.file_names import safe_file_name


def stage_names(stems: Sequence[str]) -> tuple[str, list[str]]:
    """Return what file names have in common, and what is left of each: `sam`, [`encoder`, `decoder`] of `sam_encoder`.

    Names that have nothing in common are joined.
    """
    if len(set(stems)) == 1:
        return stems[0], [f"{stems[0]}-{at}" for at in range(1, len(stems) + 1)]
    alike = "".join(letters[0] for letters in takewhile(lambda each: len(set(each)) == 1, zip(*stems, strict=False)))
    common = re.sub(r"[^-_.]*$", "", alike)
    left = [safe_file_name((stem[len(common) :] or stem).replace(".", "-")) for stem in stems]
    if len(set(left)) < len(left):
        left = [safe_file_name(f"{name}-{at}") for at, name in enumerate(left, 1)]
    return common.strip("-_.") or "-".join(stems), left
