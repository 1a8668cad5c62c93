"""Jinja environments for pages and texts. All templates are opened here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webbuild.errors import page_url

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def template_environment(*packages: str, html: bool = True, keep_trailing_newline: bool = False) -> Environment:
    """Return an environment with the templates of packages, then of `webbuild.reporting`.

    An undefined name is an error. `html` turns on escaping. Filters: `reason` is the text of a comparison's reason,
    `code_link` links a code to its page.
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
    environment.filters["code_link"] = _code_link
    return environment


def _code_link(code: str) -> Markup:
    """Return a code as a link to its page. A string that is not a code, as in files of others, is not linked."""
    from markupsafe import Markup

    if not re.fullmatch(r"[a-z0-9-]+", code):
        return Markup("<code>{}</code>").format(code)
    return Markup('<a href="{}"><code>{}</code></a>').format(page_url(code), code)
