// WGSL that both shaders of suppression begin with: the candidates, and the place of each in the order of their scores.

import { FLOAT_KEYS, FLOAT_TESTS } from "../gpu/float-wgsl.js";

/** Threads of a workgroup. */
export const GROUP = 256;

/** No such column. */
export const NO_COLUMN = 0xffffffff;

/** Words of an ordered candidate, whatever its boxes are. */
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
 * `selectAbove`: the anchors of each label above the confidence threshold, in any order. `placeOf`: the number of
 * candidates of its label before one, by falling score and then by anchor. The candidates of label `i` begin at
 * `i * anchors`; where there is a single label, `i` is 0. Numbers are compared as whole numbers where there may be NaN,
 * and a step of float32 is sealed where the compiler might fuse it with the next one: the CPU rounds after each.
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
/** The places of those that are kept. */
@group(0) @binding(${BINDING.kept}) var<storage, read_write> kept: array<u32>;
@group(0) @binding(${BINDING.found}) var<storage, read_write> found: array<f32>;

${FLOAT_TESTS}
${FLOAT_KEYS}

/** The key of a number, the same of both zeros. */
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

/** How many of the ordered candidates of a label count. */
fn candidateCount(label: u32) -> u32 {
  return min(atomicLoad(&count[label]), limits.mostCandidates);
}

/** The value itself, which the compiler cannot know: what follows is no part of the same expression. */
fn seal(value: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(value) ^ limits.zero);
}
`;
