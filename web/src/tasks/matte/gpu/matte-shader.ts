// The shaders of a cutout: alpha of each cell, its levels over the picture, and the picture with alpha.

import { FLOAT_KEYS, FLOAT_TESTS } from "../../../gpu/float-wgsl.js";
import { TAP } from "../../../gpu/map-taps.js";

/** Threads of a workgroup along a line, and in each direction of one that paints. */
export const GROUP = 64;
export const GROUP_SIDE = 8;

/** The binding numbers of the shaders' buffers. */
export const BINDING = {
  sizes: 0,
  values: 1,
  cells: 2,
  stats: 3,
  columns: 4,
  rows: 5,
  levels: 6,
  readStats: 7,
  readCells: 8,
  readLevels: 9,
  picture: 10,
  pixels: 11,
} as const;

export const STATS_WORDS = 3;

/** The names of `activation`, by their number in the uniforms. */
export const ACTIVATIONS = ["none", "sigmoid", "softmax"] as const;

/** Same as alpha.ts and cutout.ts, but in float32 instead of float64. */
export const SHADER = /* wgsl */ `
struct Sizes {
  grid: vec2u,          // the size of the map in cells
  out: vec2u,           // the size of the picture in pixels
  cellStep: u32,        // elements from a cell to the next,
  channelStep: u32,     // and from a channel to the next
  channels: u32,
  channel: u32,         // the channel of alpha
  activation: u32,
  minMax: u32,          // 1 if the minimum is transparent and the maximum opaque
  low: f32,
  high: f32,
}
${TAP}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read_write> cells: array<f32>;

// [0]: there is a NaN. Over the cells, as keys, 0 if none: [1]: the minimum, inverted, [2]: the maximum.
@group(0) @binding(3) var<storage, read_write> stats: array<atomic<u32>, ${STATS_WORDS}>;
@group(0) @binding(4) var<storage, read> columns: array<Tap>;
@group(0) @binding(5) var<storage, read> rows: array<Tap>;
@group(0) @binding(6) var<storage, read_write> levels: array<u32>;

// The statistics, for passes that only read them.
@group(0) @binding(7) var<storage, read> readStats: array<u32, ${STATS_WORDS}>;
@group(0) @binding(8) var<storage, read> readCells: array<f32>;
@group(0) @binding(9) var<storage, read> readLevels: array<u32>;
@group(0) @binding(10) var picture: texture_2d<f32>;
@group(0) @binding(11) var<storage, read_write> pixels: array<u32>;

${FLOAT_TESTS}${FLOAT_KEYS}
// Above this exp() may overflow, and the sigmoid is 0 or 1.
fn expOf(value: f32) -> f32 {
  return exp(clamp(value, -80.0, 80.0));
}

fn activated(at: u32) -> f32 {
  let value = values[at * sizes.cellStep + sizes.channel * sizes.channelStep];
  if (isNan(value) || sizes.activation == 0u) { return value; }
  if (sizes.activation == 1u) { return 1.0 / (1.0 + expOf(-value)); }
  var sum = 0.0;
  for (var channel = 0u; channel < sizes.channels; channel++) {
    let other = values[at * sizes.cellStep + channel * sizes.channelStep];
    if (isNan(other)) { return other; }
    sum += expOf(other - value);
  }
  return 1.0 / sum;
}

var<workgroup> least: atomic<u32>;
var<workgroup> most: atomic<u32>;

@compute @workgroup_size(${GROUP})
fn activate(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(num_workgroups) groups: vec3u,
) {
  let threads = groups.x * ${GROUP}u;
  var ends = vec2u(0u);
  for (var at = id.x; at < sizes.grid.x * sizes.grid.y; at += threads) {
    let value = activated(at);
    cells[at] = value;
    if (isNan(value)) { atomicStore(&stats[0], 1u); }
    if (isFinite(value)) { ends = max(ends, vec2u(~keyOf(value), keyOf(value))); }
  }
  atomicMax(&least, ends.x);
  atomicMax(&most, ends.y);
  workgroupBarrier();
  if (local != 0u) { return; }
  atomicMax(&stats[1], atomicLoad(&least));
  atomicMax(&stats[2], atomicLoad(&most));
}

// Returns alpha interpolated between four cells; 0 if one is NaN or the pixel is outside the input.
fn levelAt(pixel: u32, low: f32, high: f32) -> u32 {
  let column = columns[pixel % sizes.out.x];
  let row = rows[pixel / sizes.out.x];
  if (column.inside + row.inside != 2u) { return 0u; }
  let upper = row.first * sizes.grid.x;
  let lower = row.second * sizes.grid.x;
  let read = vec4f(
    readCells[upper + column.first], readCells[upper + column.second],
    readCells[lower + column.first], readCells[lower + column.second],
  );
  if (isNan(read.x) || isNan(read.y) || isNan(read.z) || isNan(read.w)) { return 0u; }
  let alpha = clamp((read - low) / (high - low), vec4f(0.0), vec4f(1.0));
  let above = (1.0 - column.fraction) * alpha.x + column.fraction * alpha.y;
  let below = (1.0 - column.fraction) * alpha.z + column.fraction * alpha.w;
  let share = (1.0 - row.fraction) * above + row.fraction * below;
  return u32(floor(255.0 * clamp(share, 0.0, 1.0) + 0.5));
}

// Four levels in a word, the first in its lowest bits.
@compute @workgroup_size(${GROUP})
fn resample(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  var low = sizes.low;
  var high = sizes.high;
  if (sizes.minMax == 1u && readStats[2] != 0u && ~readStats[1] != readStats[2]) {
    low = valueOf(~readStats[1]);
    high = valueOf(readStats[2]);
  }
  let pixels = sizes.out.x * sizes.out.y;
  for (var word = id.x; word * 4u < pixels; word += groups.x * ${GROUP}u) {
    var packed = 0u;
    for (var at = 0u; at < min(4u, pixels - word * 4u); at++) {
      packed |= levelAt(word * 4u + at, low, high) << (8u * at);
    }
    levels[word] = packed;
  }
}

// The picture's colours, not premultiplied, and the product of both alphas.
@compute @workgroup_size(${GROUP_SIDE}, ${GROUP_SIDE})
fn paint(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(picture);
  if (any(id.xy >= size)) { return; }
  let at = id.y * size.x + id.x;
  let level = (readLevels[at / 4u] >> (8u * (at % 4u))) & 255u;
  let color = textureLoad(picture, id.xy, 0);
  let alpha = u32(floor(f32(level) * color.a + 0.5));
  let own = vec3u(floor(255.0 * color.rgb + 0.5));
  pixels[at] = own.r | (own.g << 8u) | (own.b << 16u) | (alpha << 24u);
}
`;
