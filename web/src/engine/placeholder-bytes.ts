// Passes a compiled module to the engine, whose Emscripten script accepts only bytes.

/** An empty WebAssembly module: `\0asm`, version 1. */
const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** Returns bytes of an empty module. The next WebAssembly.instantiate() of such bytes instantiates `module` instead, once. */
export function placeholderBytes(module: WebAssembly.Module): Uint8Array<ArrayBuffer> {
  const { instantiate } = WebAssembly;
  const replaced = async (
    source: BufferSource | WebAssembly.Module,
    imports?: WebAssembly.Imports,
  ): Promise<WebAssembly.WebAssemblyInstantiatedSource | WebAssembly.Instance> => {
    const isEmpty = !(source instanceof WebAssembly.Module) && source.byteLength === EMPTY.byteLength;
    if (!isEmpty) return (instantiate as typeof replaced)(source, imports);
    WebAssembly.instantiate = instantiate;
    return { module, instance: await instantiate(module, imports) };
  };
  WebAssembly.instantiate = replaced as typeof WebAssembly.instantiate;
  return EMPTY.slice();
}
