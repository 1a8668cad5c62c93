// WGSL that both shaders of suppression begin with: the candidates, and the place of each in the order of their scores.

import { FLOAT_KEYS, FLOAT_TESTS } from "../gpu/map-wgsl.js";

/** Threads of a workgroup. */
export const GROUP = 256;

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
} as const;

/**
 * `selectAbove`: the anchors above the confidence threshold, in any order. `placeOf`: the number of candidates before
 * one, by falling score and then by anchor. Numbers are compared as whole numbers where there may be NaN, and a step of
 * float32 is sealed where the compiler might fuse it with the next one: the CPU rounds after each.
 */
export const CANDIDATES = /* wgsl */ `
struct Limits {
  anchors: u32, columns: u32, rowsOut: u32, most: u32,
  confidence: f32, overlap: f32, zero: u32, mostCandidates: u32,
}
struct Candidate { anchor: u32, key: u32 }

@group(0) @binding(${BINDING.limits}) var<uniform> limits: Limits;
@group(0) @binding(${BINDING.scores}) var<storage, read> scores: array<f32>;
@group(0) @binding(${BINDING.rows}) var<storage, read> rows: array<f32>;
@group(0) @binding(${BINDING.count}) var<storage, read_write> count: atomic<u32>;
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
  let score = scores[id.x];
  let key = orderOf(score);
  if (isNan(score) || isNan(limits.confidence) || key <= orderOf(limits.confidence)) { return; }
  candidates[atomicAdd(&count, 1u)] = Candidate(id.x, key);
}

fn placeOf(own: Candidate, total: u32) -> u32 {
  var place = 0u;
  for (var at = 0u; at < total; at++) {
    let other = candidates[at];
    let before = other.key > own.key || (other.key == own.key && other.anchor < own.anchor);
    place += select(0u, 1u, before);
  }
  return place;
}

/** How many of the ordered candidates count. */
fn candidateCount() -> u32 {
  return min(atomicLoad(&count), limits.mostCandidates);
}

/** The value itself, which the compiler cannot know: what follows is no part of the same expression. */
fn seal(value: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(value) ^ limits.zero);
}
`;
