// The shaders of a depth map: the minimum and maximum over the picture, and the colours.

import { FLOAT_KEYS, FLOAT_TESTS } from "../../../gpu/float-wgsl.js";
import { TAP } from "../../../gpu/map-taps.js";
import { stops } from "./viridis.js";

/** Threads of a workgroup for the statistics. For the colours, the number in each direction follows. */
export const GROUP = 64;
export const GROUP_SIDE = 8;

/** The binding numbers of the shaders' buffers. */
export const BINDING = {
  sizes: 0,
  depth: 1,
  confidence: 2,
  columns: 3,
  rows: 4,
  stats: 5,
  pixels: 6,
  readStats: 7,
} as const;

/** The size of the statistics in words. */
export const STATS_WORDS = 5;

const colors = stops.map((stop) => `vec3f(${stop.join(", ")})`).join(", ");

/**
 * Interpolates a map between four cells. `known` is false if one of them is not finite, or the pixel is
 * outside of the input. Between equal cells the value is exactly theirs, without rounding: a constant map
 * stays constant.
 */
const readFunction = (name: string, map: string): string => /* wgsl */ `
fn ${name}(column: Tap, row: Tap) -> Read {
  let upper = row.first * sizes.cells.x;
  let lower = row.second * sizes.cells.x;
  let a = ${map}[upper + column.first];
  let b = ${map}[upper + column.second];
  let c = ${map}[lower + column.first];
  let d = ${map}[lower + column.second];
  if (column.inside + row.inside != 2u || !(isFinite(a) && isFinite(b) && isFinite(c) && isFinite(d))) {
    return Read(0.0, false);
  }
  let above = (1.0 - column.fraction) * a + column.fraction * b;
  let below = (1.0 - column.fraction) * c + column.fraction * d;
  let value = (1.0 - row.fraction) * above + row.fraction * below;
  return Read(clamp(value, min(min(a, b), min(c, d)), max(max(a, b), max(c, d))), true);
}`;

/** Same as cpu-colormap.ts, but in float32 instead of float64. */
export const SHADER = /* wgsl */ `
struct Sizes {
  cells: vec2u,         // of the maps
  out: vec2u,           // pixels that are read
  near: f32,            // of the model's own range,
  far: f32,
  ranged: u32,          // 1 where it has one
  inverse: u32,         // 1 where what is near is large
  faded: u32,           // 1 where the confidence counts
}
${TAP}
struct Read { value: f32, known: bool }

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> depth: array<f32>;
@group(0) @binding(2) var<storage, read> confidence: array<f32>;
@group(0) @binding(3) var<storage, read> columns: array<Tap>;
@group(0) @binding(4) var<storage, read> rows: array<Tap>;

// [0]: there is a NaN in the depth, [1]: in the confidence. Over the picture's pixels, as keys: [2]: the
// minimum depth, inverted, [3]: the maximum, [4]: the maximum confidence. 0 if there is none.
@group(0) @binding(5) var<storage, read_write> stats: array<atomic<u32>, ${STATS_WORDS}>;
@group(0) @binding(6) var<storage, read_write> pixels: array<u32>;

// The statistics, for passes that only read them.
@group(0) @binding(7) var<storage, read> readStats: array<u32, ${STATS_WORDS}>;

${FLOAT_TESTS}${FLOAT_KEYS}${readFunction("depthAt", "depth")}
${readFunction("confidenceAt", "confidence")}

var<workgroup> least: atomic<u32>;
var<workgroup> most: atomic<u32>;
var<workgroup> mostConfident: atomic<u32>;

@compute @workgroup_size(${GROUP})
fn measureRange(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(num_workgroups) groups: vec3u,
) {
  let threads = groups.x * ${GROUP}u;
  for (var at = id.x; at < sizes.cells.x * sizes.cells.y; at += threads) {
    if (isNan(depth[at])) { atomicStore(&stats[0], 1u); }
    if (sizes.faded == 1u && isNan(confidence[at])) { atomicStore(&stats[1], 1u); }
  }
  var ends = vec3u(0u);
  for (var at = id.x; at < sizes.out.x * sizes.out.y; at += threads) {
    let column = columns[at % sizes.out.x];
    let row = rows[at / sizes.out.x];
    let read = depthAt(column, row);
    if (read.known) { ends = max(ends, vec3u(~keyOf(read.value), keyOf(read.value), 0u)); }
    if (sizes.faded == 1u) {
      let sure = confidenceAt(column, row);
      if (sure.known) { ends.z = max(ends.z, keyOf(sure.value)); }
    }
  }
  atomicMax(&least, ends.x);
  atomicMax(&most, ends.y);
  atomicMax(&mostConfident, ends.z);
  workgroupBarrier();
  if (local != 0u) { return; }
  atomicMax(&stats[2], atomicLoad(&least));
  atomicMax(&stats[3], atomicLoad(&most));
  atomicMax(&stats[4], atomicLoad(&mostConfident));
}

const stops = array<vec3f, ${stops.length}>(${colors});

fn colorOf(share: f32) -> vec3u {
  let along = clamp(share, 0.0, 1.0) * ${stops.length - 1}.0;
  let first = min(u32(along), ${stops.length - 2}u);
  let low = stops[first];
  return vec3u(floor(low + (along - f32(first)) * (stops[first + 1u] - low) + 0.5));
}

fn opacity(column: Tap, row: Tap) -> u32 {
  if (sizes.faded == 0u) { return 255u; }
  let sure = confidenceAt(column, row);
  if (!sure.known) { return 0u; }
  let opaque = max(1.0, valueOf(max(readStats[4], 0x80000000u)));
  return u32(floor(255.0 * clamp(sure.value / opaque, 0.0, 1.0) + 0.5));
}

@compute @workgroup_size(${GROUP_SIDE}, ${GROUP_SIDE})
fn applyColormap(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= sizes.out)) { return; }
  let column = columns[id.x];
  let row = rows[id.y];
  let read = depthAt(column, row);
  var word = 0u;
  if (read.known) {
    var ends = vec2f(valueOf(~readStats[2]), valueOf(readStats[3]));
    if (sizes.inverse == 1u) { ends = ends.yx; }
    if (sizes.ranged == 1u) { ends = vec2f(sizes.near, sizes.far); }
    var share = 0.5;
    if (ends.x != ends.y) { share = (read.value - ends.y) / (ends.x - ends.y); }
    let color = colorOf(share);
    word = color.r | (color.g << 8u) | (color.b << 16u) | (opacity(column, row) << 24u);
  }
  pixels[id.y * sizes.out.x + id.x] = word;
}
`;
