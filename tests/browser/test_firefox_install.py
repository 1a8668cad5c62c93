"""Which Firefox the tests take, and what is said when none can be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.firefox_install import VARIABLE, ensure
from tests.browser.test_ensure_chromium import Pretended, nothing_said
from webbuild.errors import WebbuildError

ESR, APT = "/usr/bin/firefox-esr", "/usr/bin/apt-get"


def test_debians_comes_first_and_any_other_will_do() -> None:
    there = {ESR, "/usr/bin/firefox"}
    assert ensure(Pretended(there=there, starting=there), nothing_said) == Path(ESR)
    assert ensure(Pretended(there=there, starting={"/usr/bin/firefox"}), nothing_said) == Path("/usr/bin/firefox")


def test_one_that_is_not_there_is_installed() -> None:
    machine = Pretended(there={APT}, starting={ESR}, brings={"firefox-esr": ESR})
    assert ensure(machine, nothing_said) == Path(ESR)
    assert machine.ran[-1].endswith("install -qy --no-install-recommends firefox-esr")


@pytest.mark.parametrize(
    "machine",
    [
        Pretended(there={APT}, privileged=None),
        Pretended(there={APT}),
        Pretended(there={ESR, APT}, starting={ESR}, environ={VARIABLE: "/opt/firefox"}),
    ],
    ids=["no root", "no network", "named and not there"],
)
def test_none_is_an_error_with_a_mend(machine: Pretended) -> None:
    with pytest.raises(WebbuildError, match="firefox") as caught:
        ensure(machine, nothing_said)
    assert (caught.value.code, "apt-get install firefox-esr" in caught.value.fix) == ("no-firefox", True)
