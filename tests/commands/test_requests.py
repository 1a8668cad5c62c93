"""Requests: each option is named once, and no request can be made of positional values."""

from __future__ import annotations

import dataclasses
import pkgutil
from importlib import import_module

import pytest

from tests.commands.program import command
from webbuild.commands import requests

NAMES = [each.name for each in pkgutil.iter_modules(requests.__path__) if each.name != "shared"]


@pytest.mark.parametrize("name", NAMES)
def test_a_request_is_made_by_keyword_and_has_a_parameter_for_each_field(name: str) -> None:
    request = getattr(import_module(f"webbuild.commands.requests.{name}"), f"{name.title()}Request")
    fields = dataclasses.fields(request)
    assert all(field.kw_only for field in fields)
    assert {param.name for param in command(name).params} == {field.name for field in fields}
    with pytest.raises(TypeError):
        request(*range(len(fields)))
