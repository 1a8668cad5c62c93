"""Names of stages from file names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from webbuild.bundle.file_names import safe_file_name


def stage_names(stems: Sequence[str]) -> tuple[str, list[str]]:
    """Return the common part of file names and the rest of each: `sam_encoder`, `sam_decoder` -> `sam`, `encoder`...

    Names without a common part are joined.
    """
    if len(set(stems)) == 1:
        return stems[0], [f"{stems[0]}-{at}" for at in range(1, len(stems) + 1)]
    alike = "".join(letters[0] for letters in takewhile(lambda each: len(set(each)) == 1, zip(*stems, strict=False)))
    common = re.sub(r"[^-_.]*$", "", alike)
    left = [safe_file_name((stem[len(common) :] or stem).replace(".", "-")) for stem in stems]
    if len(set(left)) < len(left):
        left = [safe_file_name(f"{name}-{at}") for at, name in enumerate(left, 1)]
    return common.strip("-_.") or "-".join(stems), left
