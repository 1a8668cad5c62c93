"""Names that exporters give to a state's input and its next value: r1i and r1o, state and stateN."""

from __future__ import annotations

import re
from collections.abc import Iterator

_IN = "in|input|i|init|initial"
_OUT = "out|output|o|new|updated|upd|n"
_BEFORE = "past|prev|previous|last|old"
_AFTER = "present|next|cur|curr|current"
_CONTENT = frozenset(
    (
        *("image", "img", "picture", "frame", "video", "rgb", "bgr", "mask"),
        *("x", "y", "data", "input", "inputs", "src", "source", "audio", "wav", "waveform", "tokens", "ids"),
    )
)
"""Names of content: `image_in` and `image_out` are not a state, but `image_prev` and `image_next` are."""
_MEMORY = re.compile(
    r"(?<![a-z])(state|hidden|hiddens|cell|cache|cached|rnn|gru|lstm|prev|previous|past|buffer|carry|recurrent|[hc]0|[hc]x"
    r"|[hc]|r\d+i|states)(?![a-z])"
)
"""Words in the names of states."""


def next_value_markers(input_name: str, output_name: str) -> int:
    """Return the number of markers, such as `next` or `out`, in a pair of names of an input and its next value.

    r1i, r1o    state, stateN    h0, hn    past_key_values.0.key, present.0.key    cache, cache_next
    """
    best = 0
    for stem, strong, marked in _readings(input_name, _BEFORE, _IN, "i", "0"):
        for other, other_strong, other_marked in _readings(output_name, _AFTER, _OUT, "o", "n"):
            if stem == other and stem and (strong or other_strong or stem not in _CONTENT):
                best = max(best, marked + other_marked)
    return best


def names_memory(input_name: str) -> bool:
    """Whether an input's name has a word for a state, such as `hidden` or `cache`."""
    plain = _plain(input_name)
    return _MEMORY.search(plain) is not None and "hidden_states" not in plain


def _readings(name: str, strong: str, weak: str, letter: str, end: str) -> Iterator[tuple[str, bool, int]]:
    """Yield a name without its markers, whether a marker means time (`prev`, `next`), and how many were removed."""
    plain = _plain(name)
    yield plain, False, 0
    for words, in_time in ((strong, True), (weak, False)):
        for pattern in (rf"(?:{words})_(.+)", rf"(.+)_(?:{words})"):
            if (match := re.fullmatch(pattern, plain)) is not None:
                yield match[1], in_time, 1
    if (match := re.fullmatch(rf"(.*\d){letter}", plain)) is not None:  # r1i
        yield match[1], False, 1
    if (match := re.fullmatch(rf"(.*[a-z])_?{end}", plain)) is not None:  # h0, hn
        yield match[1], False, 1


def _plain(name: str) -> str:
    """Return a name in lower case, its words separated by underscores.

    stateN  ->  state_n    past_key_values.0.key  ->  past_0_key
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    words = re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")
    return words.replace("past_key_values", "past").replace("present_key_values", "present")
