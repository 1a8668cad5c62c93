// The shaders that an engine compiles in a worker: whether they use subgroups, and their compilation errors.

/** Uses of subgroups. `enable subgroups` and parameters are not uses: every shader has them if the adapter does. */
const SUBGROUPS = /\b(subgroup|quad)[A-Z]\w*\s*\(|\bsubgroup_matrix|\bsg_(id|size)\b(?!\s*:)/;

/** @type {{ module: GPUShaderModule, label: string, code: string }[]} shaders compiled since `forgetShaders` */
let shaders = [];

const { createShaderModule } = globalThis.GPUDevice?.prototype ?? {};
if (createShaderModule) {
  GPUDevice.prototype.createShaderModule = function (descriptor) {
    const module = createShaderModule.call(this, descriptor);
    shaders.push({ module, label: descriptor.label ?? "", code: descriptor.code });
    return module;
  };
}

export function forgetShaders() {
  shaders = [];
}

export function usesSubgroups() {
  return shaders.some(({ code }) => SUBGROUPS.test(code));
}

/** The compilation errors, each with its line, and the source of the first shader with an error; empty if none. */
export async function shaderErrors() {
  const found = [];
  let source = "";
  for (const { module, label, code } of shaders) {
    const messages = await module.getCompilationInfo().then(
      (info) => info.messages,
      () => [], // the device is gone
    );
    for (const { type, message, lineNum } of messages) {
      if (type !== "error") continue;
      const line = lineNum ? code.split("\n")[lineNum - 1]?.trim() : "";
      const about = message.includes(label) ? "" : `shader '${label}': `;
      found.push(`${about}${message.trim()}${line ? `\nline ${lineNum}: ${line}` : ""}`);
      source ||= code;
    }
  }
  return { message: found.join("\n"), source };
}
