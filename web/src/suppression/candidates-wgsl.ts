// WGSL that both suppression shaders begin with: the candidates, and their rank by score.

import { FLOAT_KEYS, FLOAT_TESTS } from "../gpu/float-wgsl.js";

/** Threads of a workgroup. */
export const GROUP = 256;

/** Means that there is no such column. */
export const NO_COLUMN = 0xffffffff;

/** The size of an ordered candidate in words, for both kinds of boxes. */
export const ORDERED_WORDS = 8;

export const BINDING = {
  limits: 0,
  boxes: 1,
  scores: 2,
  rows: 3,
  count: 4,
  candidates: 5,
  ordered: 6,
  kept: 7,
  found: 8,
  spared: 9,
  keptCounts: 10,
} as const;

/**
 * `selectAbove`: the anchors of each label above the confidence threshold, in any order. `placeOf`: a
 * candidate's rank within its label, by falling score and then by anchor. The candidates of label `i` begin
 * at `i * anchors`; with a single label, `i` is 0. Numbers that may be NaN are compared as integers. A
 * float32 step that the compiler might fuse with the next one is sealed, because the CPU rounds after each.
 */
export const CANDIDATES = /* wgsl */ `
struct Limits {
  anchors: u32, columns: u32, rowsOut: u32, most: u32,
  confidence: f32, overlap: f32, zero: u32, mostCandidates: u32,
  labels: u32, mostOfLabel: u32, scoreColumn: u32, labelColumn: u32,
  byScore: u32,
}
struct Candidate { anchor: u32, key: u32 }

@group(0) @binding(${BINDING.limits}) var<uniform> limits: Limits;
@group(0) @binding(${BINDING.scores}) var<storage, read> scores: array<f32>;
@group(0) @binding(${BINDING.rows}) var<storage, read> rows: array<f32>;
@group(0) @binding(${BINDING.count}) var<storage, read_write> count: array<atomic<u32>>;
@group(0) @binding(${BINDING.candidates}) var<storage, read_write> candidates: array<Candidate>;
/** The ranks of the kept candidates. */
@group(0) @binding(${BINDING.kept}) var<storage, read_write> kept: array<u32>;
@group(0) @binding(${BINDING.found}) var<storage, read_write> found: array<f32>;

${FLOAT_TESTS}
${FLOAT_KEYS}

/** The key of a number; +0 and -0 have the same. */
fn orderOf(value: f32) -> u32 {
  return keyOf(select(value, 0.0, (bitcast<u32>(value) & 0x7fffffffu) == 0u));
}

@compute @workgroup_size(${GROUP})
fn selectAbove(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= limits.anchors) { return; }
  let first = id.y * limits.anchors;
  let score = scores[first + id.x];
  let key = orderOf(score);
  if (isNan(score) || isNan(limits.confidence) || key <= orderOf(limits.confidence)) { return; }
  candidates[first + atomicAdd(&count[id.y], 1u)] = Candidate(id.x, key);
}

fn placeOf(own: Candidate, first: u32, total: u32) -> u32 {
  var place = 0u;
  for (var at = first; at < first + total; at++) {
    let other = candidates[at];
    let before = other.key > own.key || (other.key == own.key && other.anchor < own.anchor);
    place += select(0u, 1u, before);
  }
  return place;
}

/** The number of a label's candidates that are used. */
fn candidateCount(label: u32) -> u32 {
  return min(atomicLoad(&count[label]), limits.mostCandidates);
}

/** Returns the value. The compiler cannot know that, so it does not fuse the expression with the next one. */
fn seal(value: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(value) ^ limits.zero);
}
`;
