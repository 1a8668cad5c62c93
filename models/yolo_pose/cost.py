"""Count the arithmetic operations of an ONNX model: a multiply-add counts as two.

python -m models.yolo_pose.cost models/yolo-pose.onnx
"""

import argparse
from math import prod
from pathlib import Path

import onnx


def operations(model: onnx.ModelProto) -> int:
    """Return the number of operations in the convolutions and matrix products of one run."""
    graph = onnx.shape_inference.infer_shapes(model).graph
    shapes = {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    for value in [*graph.input, *graph.value_info, *graph.output]:
        shapes[value.name] = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
    total = 0
    for node in graph.node:
        if node.op_type == "Conv":  # each output takes in-channels by kernel products
            total += 2 * prod(shapes[node.output[0]]) * prod(shapes[node.input[1]][1:])
        elif node.op_type == "MatMul":
            total += 2 * prod(shapes[node.output[0]]) * shapes[node.input[0]][-1]
    return total


def main() -> None:
    """Read the command line and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("onnx", type=Path)
    print(f"{operations(onnx.load(parser.parse_args().onnx)) / 1e9:.3f} GFLOP")


if __name__ == "__main__":
    main()
