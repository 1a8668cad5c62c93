// The shader that cuts crops out of a picture: bilinear, over white, normalized.

import { LUMA } from "../channels.js";

/** The workgroup is GROUP x GROUP threads; the third dimension of a dispatch counts crops. */
export const GROUP = 8;

export const BINDINGS = { picture: 0, crops: 1, parameters: 2, tensor: 3 } as const;

/** One thread for each pixel of a crop. The operations are in the order of cpu-crop.ts, in float32. */
export const SHADER = /* wgsl */ `
struct Parameters {
  plane: vec2u,       // the size of a crop
  channelStep: u32,
  pixelStep: u32,
  cropStep: u32,
  color: u32,         // 0 RGB, 1 BGR, 2 grey, 3 RGBA, whose A is 1
  pad: f32,
  scale: f32,         // for levels from 0 to 1
  mean: vec4f,
  divisor: vec4f,
}
// (column, row) of the crop -> pixel base + x * column + y * row + rest. The base is an integer, for float32's precision.
// Columns and rows beyond the used ones are padding.
struct Crop { x: vec2f, y: vec2f, rest: vec2f, base: vec2i, used: vec2i }

@group(0) @binding(${BINDINGS.picture}) var picture: texture_2d<f32>;
@group(0) @binding(${BINDINGS.crops}) var<storage, read> crops: array<Crop>;
@group(0) @binding(${BINDINGS.parameters}) var<uniform> parameters: Parameters;
@group(0) @binding(${BINDINGS.tensor}) var<storage, read_write> tensor: array<f32>;

fn overWhite(place: vec2i) -> vec3f {
  if (any(place < vec2i(0)) || any(place >= vec2i(textureDimensions(picture)))) { return vec3f(parameters.pad); }
  let pixel = textureLoad(picture, place, 0);
  return pixel.rgb * pixel.a + vec3f(1.0 - pixel.a);
}

@compute @workgroup_size(${GROUP}, ${GROUP})
fn cut(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= parameters.plane)) { return; }
  let crop = crops[id.z];
  let at = crop.x * f32(id.x) + crop.y * f32(id.y) + crop.rest;
  let whole = floor(at);
  let part = at - whole;
  let first = crop.base + vec2i(clamp(whole, vec2f(-1e9), vec2f(1e9)));
  let upper = mix(overWhite(first), overWhite(first + vec2i(1, 0)), part.x);
  let lower = mix(overWhite(first + vec2i(0, 1)), overWhite(first + vec2i(1, 1)), part.x);
  var value = mix(upper, lower, part.y);
  if (any(vec2i(id.xy) >= crop.used)) { value = vec3f(parameters.pad); }
  if (parameters.color == 1u) { value = value.bgr; }
  if (parameters.color == 2u) { value = vec3f(dot(value, vec3f(${LUMA.join(", ")}))); }
  let normal = (vec4f(value, 1.0) * parameters.scale - parameters.mean) / parameters.divisor;
  let into = id.z * parameters.cropStep + (id.y * parameters.plane.x + id.x) * parameters.pixelStep;
  let channels = array(3u, 3u, 1u, 4u)[parameters.color];
  for (var channel = 0u; channel < channels; channel++) { tensor[into + channel * parameters.channelStep] = normal[channel]; }
}
`;
