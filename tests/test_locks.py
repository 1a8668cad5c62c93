"""The lock files: they cover the declared dependencies, and name only the public registries."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def loaded(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / name).read_text("utf-8"))


def declared(requirements: list[str], extra: str | None = None) -> set[tuple[str | None, str]]:
    return {(extra, requirement.replace(" ", "")) for requirement in requirements}


def test_the_lock_is_of_what_pyproject_declares() -> None:
    project = loaded("pyproject.toml")
    (locked,) = (each for each in loaded("uv.lock")["package"] if each["name"] == "webbuild")
    wanted = declared(project["project"]["dependencies"])
    extras = project["project"]["optional-dependencies"]
    for extra, requirements in extras.items():
        for requirement in requirements:
            own = re.fullmatch(r"webbuild\[(.+)\]", requirement)
            several = [one for name in own[1].split(",") for one in extras[name]] if own else [requirement]
            wanted |= declared(several, extra)
    found = set()
    for each in locked["metadata"]["requires-dist"]:
        extra = re.fullmatch(r"extra == '(.+)'", each.get("marker", ""))
        extras_of = f"[{','.join(each['extras'])}]" if "extras" in each else ""
        found.add((extra and extra[1], each["name"] + extras_of + each.get("specifier", "")))
    assert found == wanted, "run `uv lock`"
    assert set(locked["metadata"]["requires-dev"]) == set(project["dependency-groups"])


def test_the_locks_name_the_public_registries_only() -> None:
    hosts = set(re.findall(r'(?:registry|url) = "(\w+://[^/]+)/', (ROOT / "uv.lock").read_text("utf-8")))
    assert hosts == {"https://pypi.org", "https://files.pythonhosted.org"}
    for lock in ("package-lock.json", "tools/docs/package-lock.json"):
        packages = json.loads((ROOT / lock).read_text("utf-8"))["packages"]
        hosts = {each["resolved"].split("/")[2] for each in packages.values() if "resolved" in each}
        assert hosts <= {"registry.npmjs.org"}, lock


def test_webbuild_alone_is_taken_from_here() -> None:
    local = [each["name"] for each in loaded("uv.lock")["package"] if "registry" not in each["source"]]
    assert local == ["webbuild"]
