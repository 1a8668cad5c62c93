"""All probes: those of every module in `cases`."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module

from webbuild.probe import cases
from webbuild.probe.probe_model import Probe
from webbuild.probe.random_data import RandomData

FEATURES = {"float16": "shader-f16", "subgroups": "subgroups"}
"""Families of probes that require a WebGPU feature. They are not in the kernel table of a build, but measured in two
browsers; see `browser_differences`."""


def families() -> list[str]:
    """Return the names of the modules in `cases`, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(cases.__path__))


def family_probes(family: str) -> Iterator[Probe]:
    """Yield the probes of a family's `cases(draw)`, named `family/case`."""
    module = import_module(f"{cases.__name__}.{family}")
    for probe in module.cases(RandomData(family)):
        yield replace(probe, name=f"{family}/{probe.name}")
