"""Options for the whole test suite, and the number of random examples.

Every run draws other examples. WEBBUILD_SEED, which is printed, draws them again.
"""

from __future__ import annotations

import gc
import os
import random
import time
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from webbuild.passes.base import CHECK
from webbuild.runners.content_cache import NO_CACHE

os.environ[CHECK] = "1"
os.environ[NO_CACHE] = "1"
SEED = int(os.environ.setdefault("WEBBUILD_SEED", str(random.SystemRandom().randrange(1 << 32))))
"""The processes of `-n` inherit it."""
EXPLORING = 120.0
"""Seconds of new random examples per session, over all its processes; later tests draw those of seed 0."""

_EXAMPLES = os.environ.get("WEBBUILD_EXAMPLES", "few")
_FOUND = DirectoryBasedExampleDatabase(Path(__file__).parents[1] / ".hypothesis" / "examples")
for _name, _count in (("few", 10), ("fuzz", 200)):
    settings.register_profile(
        _name,
        max_examples=_count,
        deadline=None,
        derandomize=False,
        database=_FOUND,
        print_blob=True,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much),
    )
settings.load_profile(_EXAMPLES)

_spent = 0.0


def pytest_report_header() -> str:
    return f"random examples: WEBBUILD_SEED={SEED} draws those of this run again"


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Seed a hypothesis test, and print how to reproduce its failure."""
    global _spent
    if not is_hypothesis_test(pyfuncitem.obj):
        return (yield)
    share = EXPLORING / int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    seed = SEED if _spent < share or _EXAMPLES == "fuzz" else 0
    hypothesis.seed(seed)(pyfuncitem.obj)
    begun = time.monotonic()
    try:
        return (yield)
    except Exception as error:
        error.add_note(f"reproduce with: WEBBUILD_SEED={seed} .venv/bin/python -m pytest '{pyfuncitem.nodeid}'")
        raise
    finally:
        _spent += time.monotonic() - begun


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"random examples were drawn with WEBBUILD_SEED={SEED}")


def pytest_collection_finish() -> None:
    """Exclude the collected tests, thousands of objects, from garbage collection: each closed session triggers one."""
    gc.collect()
    gc.freeze()
