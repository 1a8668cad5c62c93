// The compute shader of rotated suppression: four dispatches for any number of candidates.

import { BINDING, CANDIDATES, GROUP } from "./candidates-wgsl.js";

/**
 * 1. `selectAbove` and 2. `rank`, as for upright boxes; each box becomes a normal distribution.
 * 3. `spare`: keeps each candidate that has no better one near it, in parallel: a suppressed box suppresses
 * others too.
 * 4. `copyRows`: copies the rows of the best of them.
 *
 * `limits.overlap` is the distance of two distributions below which they overlap too much
 * (`rotated-overlap.ts`).
 */
export const ROTATED_SHADER = /* wgsl */ `${CANDIDATES}
/** A normal distribution: its covariance is [[a, c], [c, b]], and \`own\` its determinant. */
struct Ordered { centre: vec2f, a: f32, b: f32, c: f32, own: f32, anchor: u32 }

@group(0) @binding(${BINDING.boxes}) var<storage, read> boxes: array<f32>;
@group(0) @binding(${BINDING.ordered}) var<storage, read_write> ordered: array<Ordered>;
@group(0) @binding(${BINDING.spared}) var<storage, read_write> spared: array<u32>;

const EPSILON = 1e-7;

@compute @workgroup_size(${GROUP})
fn rank(@builtin(global_invocation_id) id: vec3u) {
  let total = atomicLoad(&count[0]);
  if (id.x >= total) { return; }
  let own = candidates[id.x];
  let first = own.anchor * 5u;
  let along = seal(boxes[first + 2u] * boxes[first + 2u]) / 12.0;
  let down = seal(boxes[first + 3u] * boxes[first + 3u]) / 12.0;
  let cosine = cos(boxes[first + 4u]);
  let sine = sin(boxes[first + 4u]);
  let cosine2 = seal(cosine * cosine);
  let sine2 = seal(sine * sine);
  let a = seal(along * cosine2) + seal(down * sine2);
  let b = seal(along * sine2) + seal(down * cosine2);
  let c = seal((along - down) * cosine) * sine;
  let determinant = max(seal(a * b) - seal(c * c), 0.0);
  let centre = vec2f(boxes[first], boxes[first + 1u]);
  ordered[placeOf(own, 0u, total)] = Ordered(centre, a, b, c, determinant, own.anchor);
}

fn isNear(first: Ordered, second: Ordered) -> bool {
  let gap = first.centre - second.centre;
  let a = first.a + second.a;
  let b = first.b + second.b;
  let c = first.c + second.c;
  let joint = seal(a * b) - seal(c * c);
  let least = joint + EPSILON;
  let far = (a * gap.y * gap.y + b * gap.x * gap.x) / least * 0.25;
  let askew = -(c * gap.x) * gap.y / least * 0.5;
  let ratio = joint / (4.0 * sqrt(first.own * second.own) + EPSILON) + EPSILON;
  if (isNan(ratio) || ratio <= 0.0) { return false; }
  let distance = far + askew + log(ratio) * 0.5;
  return !isNan(distance) && clamp(distance, EPSILON, 100.0) < limits.overlap;
}

@compute @workgroup_size(${GROUP})
fn spare(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= candidateCount(0u)) { return; }
  let own = ordered[id.x];
  var alone = true;
  for (var at = 0u; at < id.x && alone; at++) { alone = !isNear(ordered[at], own); }
  spared[id.x] = select(0u, 1u, alone);
}

var<workgroup> keptCount: u32;

@compute @workgroup_size(${GROUP})
fn copyRows(@builtin(local_invocation_index) lane: u32) {
  if (lane == 0u) {
    let total = candidateCount(0u);
    var chosen = 0u;
    for (var at = 0u; at < total && chosen < limits.most; at++) {
      if (spared[at] == 1u) {
        kept[chosen] = at;
        chosen++;
      }
    }
    keptCount = chosen;
    found[limits.rowsOut * limits.columns] = f32(chosen);
  }
  let numbers = min(workgroupUniformLoad(&keptCount), limits.rowsOut) * limits.columns;
  storageBarrier();
  for (var at = lane; at < numbers; at += ${GROUP}u) {
    let anchor = ordered[kept[at / limits.columns]].anchor;
    found[at] = rows[anchor * limits.columns + at % limits.columns];
  }
}
`;
