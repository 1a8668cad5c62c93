"""A run that never ends is terminated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.models import HEADER, parsed, save
from webbuild.errors import WebbuildError
from webbuild.runners import native

ENDLESS = f"""{HEADER} g (float[2] x, bool go) => (float[2] y)
{{ y = Loop (, go, x) <body = b (int64 i, bool c, float[2] a) => (bool d, float[2] e)
  {{ d = Identity (c) e = Identity (a) }}> }}"""


def test_a_loop_without_an_end_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "RUN_SECONDS", 0.2)
    runner = native.NativeRunner(save(parsed(ENDLESS), tmp_path / "m.onnx"))
    x = np.ones(2, np.float32)
    with pytest.raises(WebbuildError, match=r"had not finished after 0\.2 seconds") as raised:
        runner.run({"x": x, "go": np.array(True)})
    assert raised.value.code == "reference-run-too-long"
    assert runner.run({"x": x, "go": np.array(False)})["y"] == pytest.approx(x)
