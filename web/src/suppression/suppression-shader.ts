// The compute shader of suppression: three dispatches for any number of candidates, equal to `suppress` to the last box.

import { FLOAT_KEYS, FLOAT_TESTS } from "../gpu/map-wgsl.js";

/** Threads of a workgroup, which are the candidates that `suppress` decides at a time. */
export const GROUP = 256;
const WORDS = GROUP / 32;

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
} as const;

/** Words of an ordered candidate. */
export const ORDERED_WORDS = 8;

/**
 * 1. `selectAbove`: the anchors above the confidence threshold, in any order.
 * 2. `rank`: each goes to the place that is the number of those before it, by falling score and then by anchor.
 * 3. `suppress`, one workgroup: a block of candidates after the other; against the kept ones all at once, against each
 *    other by bits that one thread goes through in order. No matrix of all pairs, and nothing has to converge. Then it
 *    copies the rows of those that are kept.
 *
 * Numbers are compared as whole numbers where there may be NaN, and a step of float32 is sealed where the compiler might
 * fuse it with the next one: the CPU rounds after each.
 */
export const SHADER = /* wgsl */ `
struct Limits {
  anchors: u32, columns: u32, rowsOut: u32, most: u32,
  confidence: f32, iou: f32, zero: u32, padding: u32,
}
struct Candidate { anchor: u32, key: u32 }
struct Ordered { corners: vec4f, area: f32, anchor: u32 }

@group(0) @binding(${BINDING.limits}) var<uniform> limits: Limits;
@group(0) @binding(${BINDING.boxes}) var<storage, read> boxes: array<vec4f>;
@group(0) @binding(${BINDING.scores}) var<storage, read> scores: array<f32>;
@group(0) @binding(${BINDING.rows}) var<storage, read> rows: array<f32>;
@group(0) @binding(${BINDING.count}) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(${BINDING.candidates}) var<storage, read_write> candidates: array<Candidate>;
@group(0) @binding(${BINDING.ordered}) var<storage, read_write> ordered: array<Ordered>;
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

@compute @workgroup_size(${GROUP})
fn rank(@builtin(global_invocation_id) id: vec3u) {
  let total = atomicLoad(&count);
  if (id.x >= total) { return; }
  let own = candidates[id.x];
  var place = 0u;
  for (var at = 0u; at < total; at++) {
    let other = candidates[at];
    let before = other.key > own.key || (other.key == own.key && other.anchor < own.anchor);
    place += select(0u, 1u, before);
  }
  let box = boxes[own.anchor];
  let corners = vec4f(min(box.xy, box.zw), max(box.xy, box.zw));
  let area = (corners.z - corners.x) * (corners.w - corners.y);
  let isBox = isFinite(box.x) && isFinite(box.y) && isFinite(box.z) && isFinite(box.w) && isFinite(area);
  ordered[place] = Ordered(corners, select(0.0, area, isBox), own.anchor);
}

/** The value itself, which the compiler cannot know: what follows is no part of the same expression. */
fn seal(value: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(value) ^ limits.zero);
}

fn overlaps(first: Ordered, second: Ordered) -> bool {
  if (first.area <= 0.0 || second.area <= 0.0) { return false; }
  let sides = min(first.corners.zw, second.corners.zw) - max(first.corners.xy, second.corners.xy);
  if (sides.x <= 0.0 || sides.y <= 0.0) { return false; }
  let interArea = seal(sides.x * sides.y);
  let unionArea = seal(seal(first.area + second.area) - interArea);
  if (interArea <= 0.0 || unionArea <= 0.0 || !isFinite(unionArea)) { return false; }
  let ratio = interArea / unionArea;
  if (ratio > limits.iou * 1.00001) { return true; }
  if (ratio < limits.iou * 0.99999) { return false; }
  return isQuotientAbove(interArea, unionArea, limits.iou);
}

/**
 * Whether a / b, rounded to float32, is above t, which is close: a GPU's own quotient may be a few bits off.
 *
 * That is where a > b * m, m halfway from t to the next number; it is never a = b * m, as m has a bit more than a. With
 * the mantissas A, B, T of 24 bits and M = 2 T + 1 that is A * 2^shift > B * M, in two limbs of 24 bits.
 */
fn isQuotientAbove(a: f32, b: f32, t: f32) -> bool {
  let bits = vec3u(bitcast<u32>(a), bitcast<u32>(b), bitcast<u32>(t));
  let exponents = vec3i((bits >> vec3u(23u)) & vec3u(0xffu));
  let mantissas = (bits & vec3u(0x7fffffu)) | vec3u(0x800000u);
  let shift = exponents.x - exponents.y - exponents.z + 151;
  if (any(exponents == vec3i(0)) || shift < 20 || shift > 28) { return a / b > t; }
  let m = 2u * mantissas.z + 1u;
  let high = vec2u(mantissas.y >> 12u, m >> 12u);
  let low = vec2u(mantissas.y & 0xfffu, m & 0xfffu);
  let middle = high.x * low.y + low.x * high.y;
  let bottom = low.x * low.y + ((middle & 0xfffu) << 12u);
  let product = vec2u(high.x * high.y + (middle >> 12u) + (bottom >> 24u), bottom & 0xffffffu);
  var shifted = vec2u(mantissas.x, 0u);
  if (shift >= 24) {
    shifted.x = mantissas.x << u32(shift - 24);
  } else {
    shifted = vec2u(mantissas.x >> u32(24 - shift), (mantissas.x << u32(shift)) & 0xffffffu);
  }
  if (shifted.x != product.x) { return shifted.x > product.x; }
  return shifted.y > product.y;
}

var<workgroup> total: u32;
var<workgroup> keptCount: u32;
var<workgroup> alive: array<u32, ${GROUP}>;
/** For each candidate of the block, those before it in the block that overlap it. */
var<workgroup> hits: array<array<u32, ${WORDS}>, ${GROUP}>;

@compute @workgroup_size(${GROUP})
fn suppress(@builtin(local_invocation_index) lane: u32) {
  if (lane == 0u) {
    total = atomicLoad(&count);
    keptCount = 0u;
  }
  let end = workgroupUniformLoad(&total);
  var begin = 0u;
  loop {
    let before = workgroupUniformLoad(&keptCount);
    if (begin >= end || before >= limits.most) { break; }
    let at = begin + lane;
    var lives = at < end;
    if (lives) {
      let own = ordered[at];
      for (var index = 0u; index < before && lives; index++) { lives = !overlaps(ordered[kept[index]], own); }
      for (var word = 0u; word < ${WORDS}u && lives; word++) {
        var bits = 0u;
        for (var other = word * 32u; other < min(lane, word * 32u + 32u); other++) {
          if (overlaps(ordered[begin + other], own)) { bits |= 1u << (other & 31u); }
        }
        hits[lane][word] = bits;
      }
    }
    alive[lane] = select(0u, 1u, lives);
    workgroupBarrier();
    if (lane == 0u) { keepInOrder(begin); }
    storageBarrier();
    begin += ${GROUP}u;
  }
  let numbers = min(workgroupUniformLoad(&keptCount), limits.rowsOut) * limits.columns;
  for (var at = lane; at < numbers; at += ${GROUP}u) {
    let anchor = ordered[kept[at / limits.columns]].anchor;
    found[at] = rows[anchor * limits.columns + at % limits.columns];
  }
}

fn keepInOrder(begin: u32) {
  var chosen: array<u32, ${WORDS}>;
  var total = keptCount;
  for (var lane = 0u; lane < ${GROUP}u && total < limits.most; lane++) {
    var clash = 0u;
    for (var word = 0u; word < ${WORDS}u; word++) { clash |= hits[lane][word] & chosen[word]; }
    if (alive[lane] == 1u && clash == 0u) {
      chosen[lane >> 5u] |= 1u << (lane & 31u);
      kept[total] = begin + lane;
      total++;
    }
  }
  keptCount = total;
}
`;
