// A device of the benchmark's own, and buffers on it.

export async function openDevice(): Promise<GPUDevice> {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (adapter === null) throw new Error("no WebGPU adapter");
  return adapter.requestDevice();
}

export function upload(device: GPUDevice, data: Float32Array<ArrayBuffer>): GPUBuffer {
  const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const buffer = device.createBuffer({ size: data.byteLength, usage: STORAGE | COPY_SRC | COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

export async function download(device: GPUDevice, buffer: GPUBuffer): Promise<Float32Array> {
  const copy = device.createBuffer({
    size: buffer.size,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const data = new Float32Array(copy.getMappedRange().slice(0));
  copy.destroy();
  return data;
}
