"""Every rule on models for which it fires, and on similar models for which it must not."""

from __future__ import annotations

import pytest

from tests.inspection.case import FOLDER, Case, all_cases
from webbuild.inspection.rules.base import ModelRule, Rule, all_rules
from webbuild.passes.registry import all_passes

CASES = all_cases()
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
WITHOUT_CASES = {"small-pointwise-conv-bias", "shape-subgraph-on-cpu"}
"""Rules for engines without a table here; `test_placement` tests them."""


def test_every_rule_has_a_case_that_it_finds_and_one_that_it_does_not() -> None:
    found = {(case.code, case.keep) for case in CASES}
    assert found == {
        (rule.code, keep) for rule in all_rules() if rule.code not in WITHOUT_CASES for keep in (True, False)
    }
    assert {folder.name for folder in FOLDER.iterdir()} == {code for code, _ in found}


@EACH
def test_a_rule_finds_what_it_is_about_and_nothing_else(case: Case) -> None:
    codes = [finding.code for finding in case.inspect().findings]
    assert (case.code in codes) is not case.keep, codes


@EACH
def test_a_finding_says_where_what_why_and_the_mend(case: Case) -> None:
    for finding in case.inspect().findings:
        assert finding.where
        assert finding.summary
        assert finding.reason
        assert finding.fix
        assert not finding.fix.endswith(".")


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rule_explains_itself(rule: Rule | ModelRule) -> None:
    assert "Fix: " in rule.page
    assert "Source: " in rule.page


def test_a_mend_that_is_named_exists() -> None:
    passes = {kind.code for kind in all_passes()}
    named = {code for rule in all_rules() if isinstance(rule, Rule) for code in rule.passes}
    assert named
    assert named <= passes
