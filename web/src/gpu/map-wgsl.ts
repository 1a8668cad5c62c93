// WGSL that shaders share which read a map at the pixels of a picture. Taps are made by `mapTaps`.

/** The two cells of a line that a pixel lies between, how far it is from the first, and whether the model saw it: 1 or 0. */
export const TAP = "struct Tap { first: u32, second: u32, fraction: f32, inside: u32 }";

/** By their bits: a compiler may take it that there is no NaN and no infinity. */
export const FLOAT_TESTS = /* wgsl */ `
fn isFinite(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}

fn isNan(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
}
`;

/** For atomicMax, which has no form for floats: their order as whole numbers, of finite ones above 0. */
export const FLOAT_KEYS = /* wgsl */ `
fn keyOf(value: f32) -> u32 {
  let bits = bitcast<u32>(value);
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}

fn valueOf(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, (key >> 31u) == 1u));
}
`;
