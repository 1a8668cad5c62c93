// The shaders of masks from prototypes: weighted sums where a mask needs them, then a bit for each pixel.

import { FLOAT_TESTS } from "../../../gpu/float-wgsl.js";
import { TAP } from "../../../gpu/map-taps.js";

/** Threads of a workgroup. */
export const GROUP = 64;

/** The size of struct MaskJob in words. */
export const JOB_WORDS = 12;

/** The binding numbers of the shaders' buffers. */
export const BINDING = {
  sizes: 0,
  protos: 1,
  jobs: 2,
  taps: 3,
  coefficients: 4,
  sums: 5,
  bits: 6,
  stats: 7,
} as const;

/** Same as process-mask.ts, but in float32 instead of float64: equal except where a sum is close to 0. */
export const SHADER = /* wgsl */ `
struct Sizes {
  grid: vec2u,          // the size of a prototype
  count: u32,           // the number of prototypes
  elements: u32,        // of all of them
}
struct MaskJob {
  columns: u32,         // of the mask
  rows: u32,
  left: u32,            // the part of the prototypes' grid that it needs
  top: u32,
  width: u32,
  height: u32,
  across: u32,          // where its taps begin
  down: u32,
  coefficients: u32,
  sums: u32,            // where its sums begin
  bits: u32,
  unused: u32,
}
${TAP}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> protos: array<f32>;
@group(0) @binding(2) var<storage, read> jobs: array<MaskJob>;
@group(0) @binding(3) var<storage, read> taps: array<Tap>;
@group(0) @binding(4) var<storage, read> coefficients: array<f32>;
@group(0) @binding(5) var<storage, read_write> sums: array<f32>;
@group(0) @binding(6) var<storage, read_write> bits: array<u32>;

// [0]: there is a NaN in the prototypes, [1]: they are not constant.
@group(0) @binding(7) var<storage, read_write> stats: array<atomic<u32>, 2>;
${FLOAT_TESTS}
@compute @workgroup_size(${GROUP})
fn recordStats(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var at = id.x; at < sizes.elements; at += groups.x * ${GROUP}u) {
    let value = protos[at];
    if (isNan(value) && atomicLoad(&stats[0]) == 0u) { atomicStore(&stats[0], 1u); }
    if (value != protos[0] && atomicLoad(&stats[1]) == 0u) { atomicStore(&stats[1], 1u); }
  }
}

@compute @workgroup_size(${GROUP})
fn sumPrototypes(@builtin(global_invocation_id) id: vec3u) {
  let job = jobs[id.y];
  if (id.x >= job.width * job.height) { return; }
  let cell = (job.top + id.x / job.width) * sizes.grid.x + job.left + id.x % job.width;
  var total = 0.0;
  for (var index = 0u; index < sizes.count; index++) {
    total += coefficients[job.coefficients + index] * protos[index * sizes.grid.x * sizes.grid.y + cell];
  }
  sums[job.sums + id.x] = total;
}

fn isCovered(job: MaskJob, pixel: u32) -> bool {
  let column = taps[job.across + pixel % job.columns];
  let row = taps[job.down + pixel / job.columns];
  let upper = job.sums + (row.first - job.top) * job.width - job.left;
  let lower = job.sums + (row.second - job.top) * job.width - job.left;
  let above = (1.0 - column.fraction) * sums[upper + column.first] + column.fraction * sums[upper + column.second];
  let below = (1.0 - column.fraction) * sums[lower + column.first] + column.fraction * sums[lower + column.second];
  return (1.0 - row.fraction) * above + row.fraction * below > 0.0;
}

@compute @workgroup_size(${GROUP})
fn thresholdMasks(@builtin(global_invocation_id) id: vec3u) {
  let job = jobs[id.y];
  let pixels = job.columns * job.rows;
  if (id.x * 32u >= pixels) { return; }
  var word = 0u;
  for (var bit = 0u; bit < 32u && id.x * 32u + bit < pixels; bit++) {
    if (isCovered(job, id.x * 32u + bit)) { word |= 1u << bit; }
  }
  bits[job.bits + id.x] = word;
}
`;
