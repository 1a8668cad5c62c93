"""Cyclic garbage is collected; modules are excluded from the search, models are not."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import gc, weakref
from webbuild.runners.malloc_trim import collect_and_trim, freeze_modules

class Node:
    def __init__(self):
        self.itself = self

freeze_modules()
frozen, node = gc.get_freeze_count(), Node()
assert frozen > 1000, frozen
gone = weakref.ref(node)
freeze_modules()
collect_and_trim()
assert gc.get_freeze_count() <= frozen and gone()
del node
collect_and_trim()
assert not gone()
"""


def test_what_comes_after_the_modules_is_collected() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
