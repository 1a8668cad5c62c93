"""The placement of nodes, read from the engine's log."""

from __future__ import annotations

from webbuild.ortweb.placement_log import node_placement, slowest_placement

_PREFIX = "2026-11-21 [V:onnxruntime:, session_state.cc:1318 VerifyEachNodeIsAssignedToAnEp]"
GPU = f"{_PREFIX}  Node(s) placed on [WebGpuExecutionProvider]. Number of nodes: 2"
CPU = f"{_PREFIX}  Node(s) placed on [CPUExecutionProvider]. Number of nodes: 1"


def line(op: str) -> str:
    return f"{_PREFIX}   {op} (n)"


def test_all_on_one() -> None:
    assert slowest_placement([f"{_PREFIX}  All nodes placed on [JsExecutionProvider]. Number of nodes: 1"]) == (
        "gpu",
        (),
    )
    assert slowest_placement([f"{_PREFIX}  All nodes placed on [CPUExecutionProvider]. Number of nodes: 1"]) == (
        "cpu",
        (),
    )


def test_one_node_on_the_cpu_is_the_cpu() -> None:
    assert slowest_placement([GPU, line("Mul"), CPU, line("HardSigmoid")]) == ("cpu", ("HardSigmoid",))


def test_copies_are_no_nodes_of_the_model() -> None:
    assert slowest_placement([CPU, line("MemcpyFromHost"), GPU, line("Mul")]) == ("gpu", ())


def test_what_is_not_said_is_not_known() -> None:
    assert slowest_placement([]) == (None, ())
    assert slowest_placement(["Node placement", CPU]) == (None, ())


def test_a_loop_is_where_it_is_and_not_where_its_body_is() -> None:
    log = [GPU, f"{_PREFIX}   If (n)", CPU, f"{_PREFIX}   Identity (inside)"]
    assert node_placement(log, "If", "n") == "gpu"
    assert node_placement(log, "Loop", "n") == "cpu"  # its parts are counted instead
    assert node_placement([], "If", "n") is None
