"""Operators without inputs. A Constant is no node any more when nodes are placed."""

from __future__ import annotations

from webbuild.probe.form import always, code

FORMS = dict.fromkeys(("RandomNormal", "RandomUniform"), always(shape=[2, 3], dtype=code))
