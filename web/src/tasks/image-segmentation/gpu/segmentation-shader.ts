// The shaders of masks: resize them, convert logits to probabilities, sum them to classes, and find the best
// at each pixel.

import { FLOAT_TESTS } from "../../../gpu/float-wgsl.js";
import { TAP } from "../../../gpu/map-taps.js";

/** Threads of a workgroup, in each direction. */
export const GROUP = 8;

/** From this many maps on, their numbers do not fit into a byte. */
const BYTE_LABELS = 256;

/** Returns how many labels a word of the output has. */
export function labelsPerWord(maps: number): 4 | 1 {
  return maps < BYTE_LABELS ? 4 : 1;
}

/** The binding numbers of the shaders' buffers. */
export const BINDING = {
  sizes: 0,
  maps: 1,
  columns: 2,
  rows: 3,
  candidates: 4,
  shares: 5,
  output: 6,
  labels: 7,
  counts: 8,
  stats: 9,
} as const;

/** Same as on the CPU, but in float32 instead of float64: equal except where two maps are nearly equal. */
export const SHADER = /* wgsl */ `
struct Sizes {
  cells: vec2u,       // the size of each input map
  out: vec2u,         // the size of the output
  count: u32,         // candidates, or classes
  queries: u32,
  threshold: f32,     // from which on a candidate's pixels are counted
  raw: u32,           // 1 if the maps are the model's outputs
}
${TAP}
struct Candidate { map: u32, weight: f32 }

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> maps: array<f32>;
@group(0) @binding(2) var<storage, read> columns: array<Tap>;
@group(0) @binding(3) var<storage, read> rows: array<Tap>;
@group(0) @binding(4) var<storage, read> candidates: array<Candidate>;
@group(0) @binding(5) var<storage, read> shares: array<f32>;
@group(0) @binding(6) var<storage, read_write> output: array<f32>;
@group(0) @binding(7) var<storage, read_write> labels: array<u32>;
@group(0) @binding(8) var<storage, read_write> counts: array<atomic<u32>>;

// [0]: there is a NaN in the model's maps, [1]: they are not constant.
@group(0) @binding(9) var<storage, read_write> stats: array<atomic<u32>, 2>;
${FLOAT_TESTS}
fn recordStats(value: f32) {
  if (sizes.raw == 0u) { return; }
  if (isNan(value) && atomicLoad(&stats[0]) == 0u) { atomicStore(&stats[0], 1u); }
  if (value != maps[0] && atomicLoad(&stats[1]) == 0u) { atomicStore(&stats[1], 1u); }
}

fn sampleMap(map: u32, column: Tap, row: Tap) -> f32 {
  let origin = map * sizes.cells.x * sizes.cells.y;
  let upper = origin + row.first * sizes.cells.x;
  let lower = origin + row.second * sizes.cells.x;
  recordStats(maps[upper + column.first]);
  let above = (1.0 - column.fraction) * maps[upper + column.first] + column.fraction * maps[upper + column.second];
  let below = (1.0 - column.fraction) * maps[lower + column.first] + column.fraction * maps[lower + column.second];
  return (1.0 - row.fraction) * above + row.fraction * below;
}

fn place(id: vec3u) -> u32 {
  return (id.z * sizes.out.y + id.y) * sizes.out.x + id.x;
}

@compute @workgroup_size(${GROUP}, ${GROUP})
fn sigmoidMaps(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= sizes.out)) { return; }
  let logit = sampleMap(candidates[id.z].map, columns[id.x], rows[id.y]);
  output[place(id)] = 1.0 / (1.0 + exp(-clamp(logit, -80.0, 80.0)));
}

@compute @workgroup_size(${GROUP}, ${GROUP})
fn classMaps(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= sizes.out)) { return; }
  var total = 0.0;
  for (var query = 0u; query < sizes.queries; query++) {
    total += shares[query * sizes.count + id.z] * maps[place(vec3u(id.xy, query))];
  }
  output[place(id)] = total;
}

// A word has the labels of four pixels of a row if they fit, see labelsPerWord().
@compute @workgroup_size(${GROUP}, ${GROUP})
fn argmax(@builtin(global_invocation_id) id: vec3u) {
  let perWord = select(1u, 4u, sizes.count < ${BYTE_LABELS}u);
  let words = (sizes.out.x + perWord - 1u) / perWord;
  if (id.x >= words || id.y >= sizes.out.y) { return; }
  let row = rows[id.y];
  var word = 0u;
  for (var lane = 0u; lane < min(perWord, sizes.out.x - id.x * perWord); lane++) {
    word |= likeliest(columns[id.x * perWord + lane], row) << (lane * 8u);
  }
  labels[id.y * words + id.x] = word;
}

fn likeliest(column: Tap, row: Tap) -> u32 {
  var label = 0u;
  var best = 0.0;
  for (var index = 0u; index < sizes.count && column.inside + row.inside == 2u; index++) {
    let value = sampleMap(candidates[index].map, column, row) * candidates[index].weight;
    if (value >= sizes.threshold) { atomicAdd(&counts[index], 1u); }
    if (label == 0u || value > best) {
      best = value;
      label = index + 1u;
    }
  }
  return label;
}
`;
