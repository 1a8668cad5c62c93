// WGSL shared by the shaders that resample an output map (depth, matte) to the size of the picture. `mapTaps` makes the taps.

/** Two neighbouring cells of the map, the fraction between them, and whether the pixel is inside the input: 1 or 0. */
export const TAP = "struct Tap { first: u32, second: u32, fraction: f32, inside: u32 }";

/** They test bits, because WGSL compilers may assume that there is no NaN and no infinity. */
export const FLOAT_TESTS = /* wgsl */ `
fn isFinite(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}

fn isNan(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
}
`;

/** Float order as u32 order, for atomicMax and atomicMin, which take no floats. Keys of finite floats are above 0. */
export const FLOAT_KEYS = /* wgsl */ `
fn keyOf(value: f32) -> u32 {
  let bits = bitcast<u32>(value);
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}

fn valueOf(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, (key >> 31u) == 1u));
}
`;
