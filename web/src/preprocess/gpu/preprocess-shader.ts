// The shader that preprocesses a picture: resampled, over white, padded, normalized.

import { LUMA } from "../channels.js";

/** The workgroup is GROUP x GROUP threads. */
export const GROUP = 8;

/** The texture that the shader reads: a copy of the picture, or a VideoFrame as an external texture. */
export type TextureKind = "copied" | "external";

/** External textures are premultiplied by alpha, and exceed 0 to 1 if the frame's colours are outside of sRGB. */
const PICTURES: Record<TextureKind, string> = {
  copied: /* wgsl */ `
@group(0) @binding(0) var picture: texture_2d<f32>;

fn overWhite(x: u32, y: u32) -> vec3f {
  let pixel = textureLoad(picture, vec2u(x, y), 0);
  return pixel.rgb * pixel.a + vec3f(1.0 - pixel.a);
}`,
  external: /* wgsl */ `
@group(0) @binding(0) var picture: texture_external;

fn overWhite(x: u32, y: u32) -> vec3f {
  let pixel = saturate(textureLoad(picture, vec2u(x, y)));
  return pixel.rgb + vec3f(1.0 - pixel.a);
}`,
};

/**
 * One thread for each pixel of the input. The weights of the taps are computed in float64 by preprocess/resample.ts. Here they
 * are only summed, in float32, columns before rows as on the CPU.
 */
export const shaderOf = (kind: TextureKind): string => /* wgsl */ `
struct Parameters {
  plane: vec2u,       // the size of the input
  first: vec2u,       // the first pixel that the picture covers
  end: vec2u,         // the one after the last
  taps: vec2u,        // the number of taps of a column and of a row
  offset: u32,        // of this picture in the tensor
  channelStep: u32,
  pixelStep: u32,
  color: u32,         // 0 RGB, 1 BGR, 2 grey, 3 RGBA, whose A is 1
  low: f32,           // the bounds that a sum is clamped to
  high: f32,
  meanPad: u32,       // 1: the padding is the mean, which is 0 in the tensor
  scale: f32,         // for levels from 0 to 1
  mean: vec4f,
  divisor: vec4f,
  pad: vec4f,         // RGB, from 0 to 1
}
struct Tap { at: u32, weight: f32 }

${PICTURES[kind]}
@group(0) @binding(1) var<storage, read> columns: array<Tap>;
@group(0) @binding(2) var<storage, read> rows: array<Tap>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> tensor: array<f32>;

fn resampled(column: u32, row: u32) -> vec3f {
  var sum = vec3f(0.0);
  for (var j = row * parameters.taps.y; j < (row + 1) * parameters.taps.y; j++) {
    var line = vec3f(0.0);
    for (var i = column * parameters.taps.x; i < (column + 1) * parameters.taps.x; i++) {
      line += columns[i].weight * overWhite(columns[i].at, rows[j].at);
    }
    sum += rows[j].weight * line;
  }
  return clamp(sum, vec3f(parameters.low), vec3f(parameters.high));
}

@compute @workgroup_size(${GROUP}, ${GROUP})
fn preprocess(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= parameters.plane)) { return; }
  var value = parameters.pad.rgb;
  let drawn = all(id.xy >= parameters.first) && all(id.xy < parameters.end);
  if (drawn) {
    value = resampled(id.x - parameters.first.x, id.y - parameters.first.y);
  }
  if (parameters.color == 1u) { value = value.bgr; }
  if (parameters.color == 2u) { value = vec3f(dot(value, vec3f(${LUMA.join(", ")}))); }
  var normal = (vec4f(value, 1.0) * parameters.scale - parameters.mean) / parameters.divisor;
  if (!drawn && parameters.meanPad == 1u) { normal = vec4f(vec3f(0.0), normal.w); }
  let at = parameters.offset + (id.y * parameters.plane.x + id.x) * parameters.pixelStep;
  let channels = array(3u, 3u, 1u, 4u)[parameters.color];
  for (var channel = 0u; channel < channels; channel++) { tensor[at + channel * parameters.channelStep] = normal[channel]; }
}
`;
