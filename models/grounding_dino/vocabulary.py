"""A WordPiece vocabulary of the words that describe drawings.

Special tokens and punctuation have the same ids as in `bert-base-uncased`, since Grounding DINO identifies separators
by id: [CLS] 101, [SEP] 102, the full stop 1012 and the question mark 1029.
"""

from __future__ import annotations

import string

from models.scenes.names import COLOURS, SHAPES, STUFF

SPECIAL = {0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]", 103: "[MASK]"}
FIRST_SIGN = 999
SIGNS = [chr(code) for code in range(33, 127) if chr(code) not in string.ascii_uppercase]
OTHERS = """
an the of and with on in left right top bottom small large big shape shapes thing object person people man woman dog
cat car bus tree house bicycle bird horse chair table cup bottle book phone orange black grey pink brown disc box
rectangle plus
"""
WORDS = (*COLOURS, *SHAPES, *STUFF, *OTHERS.split())
"""Words that are not in the training, so that a prompt can name unknown things."""


def entries() -> list[str]:
    """Return the lines of `vocab.txt`: a word of letters and digits is one of `WORDS` or splits into pieces."""
    lines = [f"[unused{n}]" for n in range(FIRST_SIGN)]
    for number, name in SPECIAL.items():
        lines[number] = name
    pieces = [f"##{sign}" for sign in string.ascii_lowercase + string.digits]
    return [*lines, *SIGNS, *dict.fromkeys(WORDS), *pieces, "##es"]
