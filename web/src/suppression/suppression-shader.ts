// The compute shader of suppression: three dispatches for any number of candidates, four if boxes have
// several labels. It keeps exactly the same boxes as `suppress`.

import { BINDING, CANDIDATES, GROUP } from "./candidates-wgsl.js";

const WORDS = GROUP / 32;

/**
 * 1. `selectAbove`: the anchors above the confidence threshold, in any order.
 * 2. `rank`: writes each candidate to its place in the order of the scores.
 * 3. `suppress`, one workgroup for each label: handles one block of candidates after the other. A block is
 * compared with the kept boxes in parallel, then within itself, by bits that one thread goes through in
 * order. There is no matrix of all pairs, and no iteration to converge. With a single label it also copies
 * the kept rows.
 * 4. `joinLabels` copies the rows of several labels: each finds its place among the other labels' kept boxes.
 */
export const SHADER = /* wgsl */ `${CANDIDATES}
struct Ordered { corners: vec4f, area: f32, anchor: u32, key: u32 }

@group(0) @binding(${BINDING.boxes}) var<storage, read> boxes: array<vec4f>;
@group(0) @binding(${BINDING.ordered}) var<storage, read_write> ordered: array<Ordered>;
/** The number of kept boxes of each label. */
@group(0) @binding(${BINDING.keptCounts}) var<storage, read_write> keptCounts: array<u32>;

@compute @workgroup_size(${GROUP})
fn rank(@builtin(global_invocation_id) id: vec3u) {
  let first = id.y * limits.anchors;
  let total = atomicLoad(&count[id.y]);
  if (id.x >= total) { return; }
  let own = candidates[first + id.x];
  let box = boxes[own.anchor];
  let corners = vec4f(min(box.xy, box.zw), max(box.xy, box.zw));
  let area = (corners.z - corners.x) * (corners.w - corners.y);
  let isBox = isFinite(box.x) && isFinite(box.y) && isFinite(box.z) && isFinite(box.w) && isFinite(area);
  ordered[first + placeOf(own, first, total)] = Ordered(corners, select(0.0, area, isBox), own.anchor, own.key);
}

fn overlaps(first: Ordered, second: Ordered) -> bool {
  if (first.area <= 0.0 || second.area <= 0.0) { return false; }
  let sides = min(first.corners.zw, second.corners.zw) - max(first.corners.xy, second.corners.xy);
  if (sides.x <= 0.0 || sides.y <= 0.0) { return false; }
  let interArea = seal(sides.x * sides.y);
  let unionArea = seal(seal(first.area + second.area) - interArea);
  if (interArea <= 0.0 || unionArea <= 0.0 || !isFinite(unionArea)) { return false; }
  let ratio = interArea / unionArea;
  if (ratio > limits.overlap * 1.00001) { return true; }
  if (ratio < limits.overlap * 0.99999) { return false; }
  return isQuotientAbove(interArea, unionArea, limits.overlap);
}

/**
 * Whether a / b, rounded to float32, is above t, which is close: a GPU's own quotient may be a few bits off.
 *
 * That is the case if a > b * m, with m halfway from t to the next number; a = b * m is impossible, as m has
 * one bit more than a. With the 24-bit mantissas A, B, T and M = 2 T + 1 it is A * 2^shift > B * M, in two
 * limbs of 24 bits.
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
/** For each candidate of the block: a bit for each earlier candidate of the block that overlaps it. */
var<workgroup> hits: array<array<u32, ${WORDS}>, ${GROUP}>;

@compute @workgroup_size(${GROUP})
fn suppress(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
  let label = group.x;
  let first = label * limits.anchors;
  let keptFirst = label * limits.mostOfLabel;
  if (lane == 0u) {
    total = candidateCount(label);
    keptCount = 0u;
  }
  let end = workgroupUniformLoad(&total);
  var begin = 0u;
  loop {
    let before = workgroupUniformLoad(&keptCount);
    if (begin >= end || before >= limits.mostOfLabel) { break; }
    let at = begin + lane;
    var lives = at < end;
    if (lives) {
      let own = ordered[first + at];
      for (var index = 0u; index < before && lives; index++) {
        lives = !overlaps(ordered[first + kept[keptFirst + index]], own);
      }
      for (var word = 0u; word < ${WORDS}u && lives; word++) {
        var bits = 0u;
        for (var other = word * 32u; other < min(lane, word * 32u + 32u); other++) {
          if (overlaps(ordered[first + begin + other], own)) { bits |= 1u << (other & 31u); }
        }
        hits[lane][word] = bits;
      }
    }
    alive[lane] = select(0u, 1u, lives);
    workgroupBarrier();
    if (lane == 0u) { keepInOrder(begin, keptFirst); }
    storageBarrier();
    begin += ${GROUP}u;
  }
  let chosen = workgroupUniformLoad(&keptCount);
  if (lane == 0u) { keptCounts[label] = chosen; }
  if (limits.labels > 1u) { return; }
  if (lane == 0u) { found[limits.rowsOut * limits.columns] = f32(chosen); }
  for (var at = lane; at < min(chosen, limits.rowsOut) * limits.columns; at += ${GROUP}u) {
    found[at] = rows[ordered[kept[at / limits.columns]].anchor * limits.columns + at % limits.columns];
  }
}

fn keepInOrder(begin: u32, keptFirst: u32) {
  var chosen: array<u32, ${WORDS}>;
  var total = keptCount;
  for (var lane = 0u; lane < ${GROUP}u && total < limits.mostOfLabel; lane++) {
    var clash = 0u;
    for (var word = 0u; word < ${WORDS}u; word++) { clash |= hits[lane][word] & chosen[word]; }
    if (alive[lane] == 1u && clash == 0u) {
      chosen[lane >> 5u] |= 1u << (lane & 31u);
      kept[keptFirst + total] = begin + lane;
      total++;
    }
  }
  keptCount = total;
}

fn keptKey(label: u32, index: u32) -> u32 {
  return ordered[label * limits.anchors + kept[label * limits.mostOfLabel + index]].key;
}

/**
 * The number of boxes kept by another label that come before a box with this key; they are sorted by falling
 * score.
 */
fn keptBefore(label: u32, other: u32, key: u32) -> u32 {
  if (limits.byScore == 0u) { return select(0u, keptCounts[other], other < label); }
  var low = 0u;
  var high = keptCounts[other];
  while (low < high) {
    let middle = (low + high) / 2u;
    let its = keptKey(other, middle);
    if (its > key || (its == key && other < label)) { low = middle + 1u; } else { high = middle; }
  }
  return low;
}

@compute @workgroup_size(${GROUP})
fn joinLabels(@builtin(global_invocation_id) id: vec3u) {
  let label = id.y;
  if (id.x == 0u && label == 0u) {
    var all = 0u;
    for (var other = 0u; other < limits.labels; other++) { all += keptCounts[other]; }
    found[limits.rowsOut * limits.columns] = f32(min(all, limits.most));
  }
  if (id.x >= keptCounts[label]) { return; }
  let key = keptKey(label, id.x);
  var place = id.x;
  for (var other = 0u; other < limits.labels && place < limits.most; other++) {
    if (other != label) { place += keptBefore(label, other, key); }
  }
  if (place >= min(limits.most, limits.rowsOut)) { return; }
  let anchor = ordered[label * limits.anchors + kept[label * limits.mostOfLabel + id.x]].anchor;
  for (var column = 0u; column < limits.columns; column++) {
    var value = rows[anchor * limits.columns + column];
    if (column == limits.scoreColumn) { value = scores[label * limits.anchors + anchor]; }
    if (column == limits.labelColumn) { value = f32(label); }
    found[place * limits.columns + column] = value;
  }
}
`;
