"""A bundle's loaders export the functions of the JavaScript API."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OWN = {"load", "isCached", "clearCache"}
"""Functions that the loader has itself."""
RETURNED = {"Model", "Scene", "ModelState", "Stream"}
"""Classes whose objects the API returns."""


def exported(text: str) -> set[str]:
    """Return the names of `export { ... } from`, without types."""
    lists = re.findall(r"^export \{([^}]+)\} from", text, re.MULTILINE)
    return {name for names in lists for each in names.split(",") if (name := each.strip()) and " " not in name}


@pytest.mark.parametrize("loader", ["loader.js.j2", "npm.js.j2"])
def test_a_loader_exports_every_function(loader: str) -> None:
    functions = exported((ROOT / "web/src/index.ts").read_text("utf-8")) - OWN - RETURNED
    assert functions >= {"toCoco", "WebbuildError", "Tracker"}
    assert exported((ROOT / "webbuild/bundle/templates" / loader).read_text("utf-8")) == functions
