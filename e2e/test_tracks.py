"""The ids that objects keep in a film, in the page as in Python."""

from __future__ import annotations

import json
from pathlib import Path

from e2e.conftest import Webbuild


def test_verify_compares_the_ids_of_a_film(webbuild: Webbuild, bundle: Path) -> None:
    done = webbuild("verify", bundle, "--backend", "wasm", "--track", "--json")
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)["backends"]
    film = run["results"][-1]
    assert film["sample"].startswith("32 frames of ")
    (ids,) = (each for each in film["comparisons"] if each["subject"]["quantity"] == "ids")
    assert (ids["verdict"], ids["nearThreshold"]) == ("OK", 0)
    assert ids["signal"] > 5
