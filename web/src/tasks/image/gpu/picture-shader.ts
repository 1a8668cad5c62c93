// The shader of an output picture: interpolates its planes at the pixels of the enlarged source.

import { FLOAT_TESTS } from "../../../gpu/float-wgsl.js";
import { TAP } from "../../../gpu/map-taps.js";
import { LUMA } from "../../../preprocess/channels.js";

/** Threads of a workgroup in each direction. */
export const GROUP_SIDE = 8;

/** The binding numbers of the shader's buffers. */
export const BINDING = {
  sizes: 0,
  values: 1,
  columns: 2,
  rows: 3,
  pixels: 4,
  stats: 5,
  colors: 6,
  phases: 7,
} as const;

/** The size of the statistics in words: whether there is a NaN, the inverse of the minimum, the maximum. */
export const STATS_WORDS = 3;

/** Same as picture-pixels.ts, but in float32 instead of float64. */
export const SHADER = /* wgsl */ `
struct Sizes {
  cells: vec2u,         // the size of a plane
  source: vec2u,        // the size of the source picture
  step: u32,            // elements from a cell to the next
  stride: u32,          // elements from a channel to the next
  first: u32,           // the channel of red, 0 or 2
  scale: u32,           // pixels of the result for one of the source, along each side
  luma: u32,            // 1 if the values are Y; the chroma is the source's
  low: f32,             // the value of black
  high: f32,            // the value of white
}
${TAP}

// The weights of four cells for each remainder of a position modulo the scale; "first" is relative to the
// position's cell.
struct Phase {
  weights: vec4f,
  first: i32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read> columns: array<Tap>;
@group(0) @binding(3) var<storage, read> rows: array<Tap>;
@group(0) @binding(4) var<storage, read_write> pixels: array<u32>;
@group(0) @binding(5) var<storage, read_write> stats: array<atomic<u32>, ${STATS_WORDS}>;
@group(0) @binding(6) var<storage, read> colors: array<u32>;
@group(0) @binding(7) var<storage, read> phases: array<Phase>;

${FLOAT_TESTS}
fn cell(column: u32, row: u32, channel: u32) -> f32 {
  return values[(row * sizes.cells.x + column) * sizes.step + channel * sizes.stride];
}

fn valueAt(column: Tap, row: Tap, channel: u32) -> f32 {
  let a = cell(column.first, row.first, channel);
  let b = cell(column.second, row.first, channel);
  let c = cell(column.first, row.second, channel);
  let d = cell(column.second, row.second, channel);
  let above = (1.0 - column.fraction) * a + column.fraction * b;
  let below = (1.0 - column.fraction) * c + column.fraction * d;
  return (1.0 - row.fraction) * above + row.fraction * below;
}

/// Returns the source's colour over white.
fn colorAt(x: i32, y: i32) -> vec3f {
  let at = clamp(vec2i(x, y), vec2i(0), vec2i(sizes.source) - 1);
  let color = 255.0 * unpack4x8unorm(colors[u32(at.y) * sizes.source.x + u32(at.x)]);
  return mix(vec3f(255.0), color.rgb, color.a / 255.0);
}

fn enlargedColor(at: vec2u) -> vec3f {
  let across = phases[at.x % sizes.scale];
  let down = phases[at.y % sizes.scale];
  let first = vec2i(at / sizes.scale) + vec2i(across.first, down.first);
  var sum = vec3f(0.0);
  for (var y = 0; y < 4; y++) {
    for (var x = 0; x < 4; x++) {
      sum += across.weights[x] * down.weights[y] * colorAt(first.x + x, first.y + y);
    }
  }
  return sum;
}

/// Returns the levels of a pixel, 0 to 255: its luma with the chroma of the source.
fn withChroma(luma: f32, color: vec3f) -> vec3f {
  let weights = vec3f(${LUMA.join(", ")});
  let old = dot(weights, color);
  let red = luma + 1.402 * clamp((color.r - old) / 1.402, -128.0, 127.0);
  let blue = luma + 1.772 * clamp((color.b - old) / 1.772, -128.0, 127.0);
  return vec3f(red, (luma - weights.r * red - weights.b * blue) / weights.g, blue);
}

@compute @workgroup_size(${GROUP_SIDE}, ${GROUP_SIDE})
fn paint(@builtin(global_invocation_id) id: vec3u) {
  let out = sizes.source * sizes.scale;
  if (any(id.xy >= out)) { return; }
  let column = columns[id.x];
  let row = rows[id.y];
  var word = 0u;
  if (column.inside + row.inside == 2u) {
    word = 0xff000000u;
    var levels = vec3f(0.0);
    for (var color = 0u; color < select(3u, 1u, sizes.luma == 1u); color++) {
      let value = valueAt(column, row, select(2u - color, color, sizes.first == 0u));
      if (isNan(value)) { word = 0u; break; }
      levels[color] = 255.0 * clamp((value - sizes.low) / (sizes.high - sizes.low), 0.0, 1.0);
    }
    if (sizes.luma == 1u) { levels = withChroma(levels.r, enlargedColor(id.xy)); }
    let whole = vec3u(floor(clamp(levels, vec3f(0.0), vec3f(255.0)) + 0.5));
    if (word != 0u) { word |= whole.r | (whole.g << 8u) | (whole.b << 16u); }
    if (word == 0u) {
      atomicStore(&stats[0], 1u);
    } else {
      atomicMax(&stats[1], ~word);
      atomicMax(&stats[2], word);
    }
  }
  pixels[id.y * out.x + id.x] = word;
}
`;
