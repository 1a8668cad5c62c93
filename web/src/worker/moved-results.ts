// Results that are transferred to the page: large parts are moved, not copied.

import type { Result, Tensors } from "../api/types.js";
import { taskOf } from "../tasks/registry.js";
import type { HostedModel } from "./hosted-model.js";
import { withTransfer } from "./transfer.js";

export function movedResult<T extends Result | Result[]>(
  { manifest }: Pick<HostedModel, "manifest">,
  results: T,
): T {
  const { transfer } = taskOf(manifest);
  const large = [results].flat().map((result) => transfer?.(result));
  return withTransfer(
    results,
    large.flatMap((each) => each?.arrays ?? []),
    large.flatMap((each) => each?.others ?? []),
  );
}

export function movedTensors(tensors: Tensors): Tensors {
  return withTransfer(tensors, arraysOf(tensors));
}

export function arraysOf(tensors: Tensors): Tensors[string]["data"][] {
  return Object.values(tensors).map(({ data }) => data);
}
