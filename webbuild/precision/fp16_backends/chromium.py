"""Float16 in Chromium, if its adapter has `shader-f16`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from webbuild.browser.chromium import BrowserHandle, open_chromium
from webbuild.errors import WebbuildError
from webbuild.model.cache_folder import cache_folder
from webbuild.ortweb import packaged_assets
from webbuild.ortweb.browser_session import SessionOptions, open_sessions
from webbuild.ortweb.build import get_build
from webbuild.precision.fp16_backends.base import Fp16Backend
from webbuild.runners.session import SessionRunner
from webbuild.runners.suppression import apply_suppression, read_suppression
from webbuild.runners.tensors import Tensors
from webbuild.targets.target import Target

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.manifest import StateInput


class SessionFp16(Fp16Backend):
    """A float16 backend that runs sessions of onnxruntime-web.

    Args:
        name: the display name.
        reason: why this backend was chosen.
        engine: runs the models.
        close: closes the engine.
    """

    def __init__(self, name: str, reason: str, engine: SessionRunner, close: Callable[[], None]) -> None:
        self.name, self.reason = name, reason
        self.engine = engine
        self._close = close

    def run(
        self, model: ir.Model, feeds: Sequence[Tensors], states: Sequence[StateInput] = ()
    ) -> list[dict[str, NDArray[Any]]]:
        """Return the outputs for each feed. The engine's WebbuildErrors are raised too."""
        import onnx_ir as ir

        data = ir.to_proto(model).SerializeToString()
        suppression = read_suppression(model.metadata_props, [value.name or "" for value in model.graph.outputs])

        def run_one(run_feeds: Tensors) -> dict[str, NDArray[Any]]:
            outputs = self._run_one(data, run_feeds)
            return outputs if suppression is None else apply_suppression(suppression, outputs, run_feeds)

        return self._in_turn(run_one, feeds, states)

    def _run_one(self, data: bytes, feeds: Tensors) -> dict[str, NDArray[Any]]:
        outputs: dict[str, NDArray[Any]] = {}
        ended = self.engine.run_model(data, feeds, outputs.__setitem__)
        if ended.status != "ran":
            raise WebbuildError(
                "fp16-backend-failed",
                f"float16, {self.name}: {ended.status}: {ended.message}",
                "keep the operator that it names in float32",
            )
        return outputs

    def close(self) -> None:
        """Close the engine."""
        self._close()


def chromium_backend(opened: BrowserHandle | None = None) -> SessionFp16 | str:
    """Return Chromium as a float16 backend, or the feature that it lacks.

    Args:
        opened: a running browser, which stays open; else one is started. Playwright allows one per thread.

    Raises:
        WebbuildError: `no-runtime`.
    """
    with ExitStack() as stack:
        build = get_build(Target(packaged_assets.engine_version(), "webgpu"), cache_folder())
        try:
            browser = opened or stack.enter_context(open_chromium())
            (session,) = stack.enter_context(open_sessions(browser, [(build, SessionOptions())]))
        except WebbuildError as error:
            return error.message
        if lacking := session.missing_features(("shader-f16",)):
            return f"its adapter, {session.adapter}, has no {lacking[0]}"
        return SessionFp16(
            "Chromium", f"its adapter, {session.adapter}, has shader-f16", session, stack.pop_all().close
        )
    raise AssertionError("the block returns")
