"""The option of tests and e2e that writes snapshots."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--regenerate", action="store_true", help="Write the snapshots again instead of comparing.")


@pytest.fixture
def regenerate(request: pytest.FixtureRequest) -> bool:
    """Whether to write snapshots instead of comparing with them."""
    return bool(request.config.getoption("--regenerate"))
