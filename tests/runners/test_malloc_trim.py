"""Garbage in cycles is collected, and a later search leaves out what stayed at the first."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import gc, weakref
from webbuild.runners.malloc_trim import collect_and_trim

class Node:
    def __init__(self):
        self.itself = self

collect_and_trim()
assert gc.get_freeze_count() > 1000, gc.get_freeze_count()
frozen, node = gc.get_freeze_count(), Node()
gone = weakref.ref(node)
collect_and_trim()
assert gc.get_freeze_count() <= frozen and gone()
del node
collect_and_trim()
assert not gone()
"""


def test_what_stayed_at_the_first_search_is_left_out_of_later_ones() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
