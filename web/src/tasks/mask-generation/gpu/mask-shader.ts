// The shader of masks over the picture: interpolates logits, compares them with the threshold, and finds the
// bounding box.

import { FLOAT_TESTS } from "../../../gpu/float-wgsl.js";

/** Threads of a workgroup. */
export const GROUP = 64;

/** The binding numbers of the shader's buffers. */
export const BINDING = { sizes: 0, logits: 1, columns: 2, rows: 3, mask: 4, stats: 5 } as const;

/** The size of the statistics in words: the box's sides (minimums inverted), and whether there is a NaN. */
export const STATS_WORDS = 5;

/**
 * Same as decode-masks.ts, but in float32 instead of float64: equal except where a logit is close to the
 * threshold.
 */
export const SHADER = /* wgsl */ `
struct Sizes {
  grid: vec2u,          // the size of the logits in cells
  out: vec2u,           // the size of the picture in pixels
  offset: u32,          // of this mask in the output
  taps: u32,            // taps of a pixel along a side
  threshold: f32,
  unused: u32,
}
struct Tap { at: u32, weight: f32 }

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> logits: array<f32>;
@group(0) @binding(2) var<storage, read> columns: array<Tap>;
@group(0) @binding(3) var<storage, read> rows: array<Tap>;
@group(0) @binding(4) var<storage, read_write> mask: array<u32>;

// [0], [1]: the maximum of ~x and ~y; [2], [3]: of x + 1 and y + 1; [4]: there is a NaN.
@group(0) @binding(5) var<storage, read_write> stats: array<atomic<u32>, ${STATS_WORDS}>;

${FLOAT_TESTS}
fn logitAt(x: u32, y: u32) -> f32 {
  var sum = 0.0;
  for (var j = y * sizes.taps; j < (y + 1u) * sizes.taps; j++) {
    let row = sizes.offset + rows[j].at * sizes.grid.x;
    var line = 0.0;
    for (var i = x * sizes.taps; i < (x + 1u) * sizes.taps; i++) {
      line += columns[i].weight * logits[row + columns[i].at];
    }
    sum += rows[j].weight * line;
  }
  return sum;
}

var<workgroup> ends: array<atomic<u32>, 4>;

// Four pixels a word, the first in its lowest bits.
@compute @workgroup_size(${GROUP})
fn threshold(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(num_workgroups) groups: vec3u,
) {
  let pixels = sizes.out.x * sizes.out.y;
  for (var word = id.x; word * 4u < pixels; word += groups.x * ${GROUP}u) {
    var packed = 0u;
    for (var at = 0u; at < min(4u, pixels - word * 4u); at++) {
      let pixel = word * 4u + at;
      let x = pixel % sizes.out.x;
      let y = pixel / sizes.out.x;
      let value = logitAt(x, y);
      if (isNan(value)) { atomicStore(&stats[4], 1u); continue; }
      if (!(value > sizes.threshold)) { continue; }
      packed |= 1u << (8u * at);
      atomicMax(&ends[0], ~x);
      atomicMax(&ends[1], ~y);
      atomicMax(&ends[2], x + 1u);
      atomicMax(&ends[3], y + 1u);
    }
    mask[word] = packed;
  }
  workgroupBarrier();
  if (local < 4u) { atomicMax(&stats[local], atomicLoad(&ends[local])); }
}
`;
