"""Which Firefox and which WebKit driver the tests use, and the message when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.browser_install import KINDS, ensure
from tests.browser.test_ensure_chromium import Pretended, nothing_said
from webbuild.errors import WebbuildError

FIREFOX, WEBKIT = KINDS["firefox"], KINDS["webkit"]
ESR, APT = "/usr/bin/firefox-esr", "/usr/bin/apt-get"
DRIVER, XVFB = "/usr/bin/WebKitWebDriver", "/usr/bin/Xvfb"


def test_debians_comes_first_and_any_other_will_do() -> None:
    there = {ESR, "/usr/bin/firefox"}
    assert ensure(FIREFOX, Pretended(there=there, starting=there), nothing_said) == Path(ESR)
    other = Pretended(there=there, starting={"/usr/bin/firefox"})
    assert ensure(FIREFOX, other, nothing_said) == Path("/usr/bin/firefox")


def test_one_that_is_not_there_is_installed() -> None:
    machine = Pretended(there={APT}, starting={ESR}, brings={"firefox-esr": ESR})
    assert ensure(FIREFOX, machine, nothing_said) == Path(ESR)
    assert machine.ran[-1].endswith("install -qy --no-install-recommends firefox-esr")


def test_webkit_needs_a_display() -> None:
    machine = Pretended(there={APT, DRIVER}, starting={DRIVER}, brings={"xvfb": XVFB})
    assert ensure(WEBKIT, machine, nothing_said) == Path(DRIVER)
    assert machine.ran[-1].endswith("install -qy --no-install-recommends xvfb")


@pytest.mark.parametrize(
    "machine",
    [
        Pretended(there={APT}, privileged=None),
        Pretended(there={APT}),
        Pretended(there={ESR, APT}, starting={ESR}, environ={FIREFOX.variable: "/opt/firefox"}),
    ],
    ids=["no root", "no network", "named and not there"],
)
def test_none_is_an_error_with_a_mend(machine: Pretended) -> None:
    with pytest.raises(WebbuildError, match="firefox") as caught:
        ensure(FIREFOX, machine, nothing_said)
    assert (caught.value.code, "apt-get install firefox-esr" in caught.value.fix) == ("no-firefox", True)


def test_webkit_without_a_display_is_an_error() -> None:
    with pytest.raises(WebbuildError, match="webkit: none is here") as caught:
        ensure(WEBKIT, Pretended(there={DRIVER}, starting={DRIVER}), nothing_said)
    assert (caught.value.code, "xvfb" in caught.value.fix) == ("no-webkit", True)
