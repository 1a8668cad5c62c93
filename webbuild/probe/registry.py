"""All probes: every module in `cases`, found by walking the folder."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module

from webbuild.probe import cases
from webbuild.probe.probe_model import Probe
from webbuild.probe.random_data import RandomData

FEATURES = {"float16": "shader-f16", "subgroups": "subgroups"}
"""Families of kernels that take a feature of WebGPU. The table of a build, measured on an adapter of any kind, has none
of them; they are measured in two browsers, see `browser_differences`."""


def families() -> list[str]:
    """Return the names of the modules that make cases, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(cases.__path__))


def family_probes(family: str) -> Iterator[Probe]:
    """Yield the probes of a family: what its `cases(draw)` yields, named `family/case`."""
    module = import_module(f"{cases.__name__}.{family}")
    for probe in module.cases(RandomData(family)):
        yield replace(probe, name=f"{family}/{probe.name}")
