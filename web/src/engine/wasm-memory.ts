// The size of WebAssembly's memory in this worker. Measured here because only Chromium reports it.

const memories = new Set<WebAssembly.Memory>();

/** Records the memory of every module that is instantiated from now on. */
export function watchMemory(): void {
  const { instantiate } = WebAssembly;
  const watched = async (
    source: BufferSource | WebAssembly.Module,
    imports?: WebAssembly.Imports,
  ): Promise<WebAssembly.WebAssemblyInstantiatedSource | WebAssembly.Instance> => {
    const made = await (instantiate as typeof watched)(source, imports);
    const { exports } = made instanceof WebAssembly.Instance ? made : made.instance;
    for (const each of [exports, ...Object.values(imports ?? {})])
      for (const value of Object.values(each)) if (value instanceof WebAssembly.Memory) memories.add(value);
    return made;
  };
  WebAssembly.instantiate = watched as typeof WebAssembly.instantiate;
}

/** Returns the bytes of all recorded memories. */
export function wasmBytes(): number {
  return [...memories].reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}
