// The shader of a picture that a model makes: reads its planes at the pixels of the enlarged source.

import { FLOAT_TESTS, TAP } from "../../../gpu/map-wgsl.js";

/** Threads of a workgroup in each direction. */
export const GROUP_SIDE = 8;

/** What the shader reads and writes, by the number of its binding. */
export const BINDING = { sizes: 0, values: 1, columns: 2, rows: 3, pixels: 4, stats: 5 } as const;

/** Words of the statistics: whether there is a NaN, the inverse of the least colour, the largest. */
export const STATS_WORDS = 3;

/** The same as picture-pixels.ts does in float64, in float32. */
export const SHADER = /* wgsl */ `
struct Sizes {
  cells: vec2u,         // of a plane
  out: vec2u,           // pixels
  step: u32,            // from an element to that of the next cell
  stride: u32,          // from an element to that of the next channel
  first: u32,           // the channel that is red, 0 or 2
  low: f32,             // the values of black
  high: f32,            // and of white
}
${TAP}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read> columns: array<Tap>;
@group(0) @binding(3) var<storage, read> rows: array<Tap>;
@group(0) @binding(4) var<storage, read_write> pixels: array<u32>;
@group(0) @binding(5) var<storage, read_write> stats: array<atomic<u32>, ${STATS_WORDS}>;

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

@compute @workgroup_size(${GROUP_SIDE}, ${GROUP_SIDE})
fn paint(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= sizes.out)) { return; }
  let column = columns[id.x];
  let row = rows[id.y];
  var word = 0u;
  if (column.inside + row.inside == 2u) {
    word = 0xff000000u;
    for (var color = 0u; color < 3u; color++) {
      let value = valueAt(column, row, select(2u - color, color, sizes.first == 0u));
      if (isNan(value)) { word = 0u; break; }
      let share = clamp((value - sizes.low) / (sizes.high - sizes.low), 0.0, 1.0);
      word |= u32(floor(255.0 * share + 0.5)) << (8u * color);
    }
    if (word == 0u) {
      atomicStore(&stats[0], 1u);
    } else {
      atomicMax(&stats[1], ~word);
      atomicMax(&stats[2], word);
    }
  }
  pixels[id.y * sizes.out.x + id.x] = word;
}
`;
