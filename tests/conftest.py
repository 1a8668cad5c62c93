"""Options for the whole suite, and how much of it is drawn at random."""

from __future__ import annotations

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

_PATIENT = (HealthCheck.too_slow, HealthCheck.filter_too_much)
settings.register_profile("few", max_examples=10, deadline=None, derandomize=True, suppress_health_check=_PATIENT)
settings.register_profile("fuzz", max_examples=200, deadline=None, suppress_health_check=_PATIENT)
settings.load_profile(os.environ.get("WEBBUILD_EXAMPLES", "few"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="Write the snapshots anew instead of comparing.")


def pytest_collection_finish() -> None:
    """Leave the tests themselves, thousands of them, out of every search for garbage: a session that ends makes one."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def regenerate(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--regenerate"))
