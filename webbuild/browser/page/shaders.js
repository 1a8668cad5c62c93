// The shaders that an engine makes in a worker: what they use, and what their compiler says against them.

/** What uses subgroups. That they are enabled, and named as a parameter, every shader says where the adapter has them. */
const SUBGROUPS = /\b(subgroup|quad)[A-Z]\w*\s*\(|\bsubgroup_matrix|\bsg_(id|size)\b(?!\s*:)/;

/** @type {{ module: GPUShaderModule, label: string, code: string }[]} those made since `forgetShaders` */
let made = [];

const { createShaderModule } = globalThis.GPUDevice?.prototype ?? {};
if (createShaderModule) {
  GPUDevice.prototype.createShaderModule = function (given) {
    const module = createShaderModule.call(this, given);
    made.push({ module, label: given.label ?? "", code: given.code });
    return module;
  };
}

export function forgetShaders() {
  made = [];
}

export function usesSubgroups() {
  return made.some(({ code }) => SUBGROUPS.test(code));
}

/** What the compiler says, each error with the line that it is about, and the first shader that has one; or nothing. */
export async function shaderErrors() {
  const found = [];
  let source = "";
  for (const { module, label, code } of made) {
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
