// WGSL functions on floats that shaders share.

/** The tests read bits, because WGSL compilers may assume that there is no NaN and no infinity. */
export const FLOAT_TESTS = /* wgsl */ `
fn isFinite(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}

fn isNan(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
}
`;

/** Keys in u32 with the order of floats, for atomicMax, which takes no floats. Keys of finite floats are above 0. */
export const FLOAT_KEYS = /* wgsl */ `
fn keyOf(value: f32) -> u32 {
  let bits = bitcast<u32>(value);
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}

fn valueOf(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, (key >> 31u) == 1u));
}
`;
