// WebGPU's flags, which TypeScript's DOM library does not declare as values.

declare const GPUBufferUsage: Readonly<
  Record<"COPY_DST" | "COPY_SRC" | "MAP_READ" | "STORAGE" | "UNIFORM", number>
>;
declare const GPUTextureUsage: Readonly<Record<"COPY_DST" | "RENDER_ATTACHMENT" | "TEXTURE_BINDING", number>>;
declare const GPUMapMode: Readonly<Record<"READ", number>>;
