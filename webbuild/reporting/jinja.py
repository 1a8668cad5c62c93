"""Where pages and texts are rendered: one way to open a package's templates, so that none of them forgets to escape."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def template_environment(*packages: str, html: bool = True, keep_trailing_newline: bool = False) -> Environment:
    """Return the templates in the folders `templates` of packages, then of `webbuild.reporting`.

    A missing name is an error. `html` escapes everything that is not marked safe. `reason` words a comparison's.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    from webbuild.reporting.comparison_text import describe_reason

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "webbuild.reporting")]),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keep_trailing_newline,
    )
    environment.filters["reason"] = describe_reason
    return environment
