const repro = JSON.parse(document.getElementById("data").textContent);
const ARRAYS = {
  float32: Float32Array, float64: Float64Array, float16: globalThis.Float16Array ?? Uint16Array,
  int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array, bool: Uint8Array,
};
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const values = ({ type, data }) => new ARRAYS[type](bytes(data).buffer);
const show = (id, text) => { document.getElementById(id).textContent = text; };

function verdict(kind, text) {
  const line = document.getElementById("verdict");
  line.dataset.verdict = kind;
  line.textContent = text;
}

/** The engine next to this page; if it cannot be imported, the same version from a public host. */
async function engine() {
  const { local, entry, glue, wasm, cdn, cdnEntry } = repro.engine;
  const jspi = !entry.includes("jspi") || "Suspending" in WebAssembly;
  if (location.protocol !== "file:" && jspi) {
    const at = new URL(local, location.href).href;
    const ort = await import(at + entry);
    ort.env.wasm.wasmPaths = { mjs: at + glue, wasm: at + wasm };
    show("engine", at + entry);
    return ort;
  }
  show("engine", cdn + cdnEntry);
  return import(cdn + cdnEntry);
}

function place(at, dims) {
  const found = [];
  for (const dim of [...dims].reverse()) {
    found.unshift(at % dim);
    at = Math.floor(at / dim);
  }
  return found;
}

/** Compares like webbuild: floats within a fraction of the largest magnitude, everything else exactly. */
function compare(want, got, type) {
  const exact = !type.startsWith("float");
  let signal = 0;
  for (const value of want) if (Number.isFinite(Number(value))) signal = Math.max(signal, Math.abs(Number(value)));
  const allowed = exact ? 0 : repro.tolerance * signal;
  let largest = -1, worst = 0, count = 0;
  for (let at = 0; at < want.length; at++) {
    const a = Number(want[at]), b = Number(got[at]);
    const same = want[at] === got[at] || (Number.isNaN(a) && Number.isNaN(b));
    const distance = same ? 0 : Number.isNaN(a - b) ? Infinity : exact ? Math.max(1, Math.abs(a - b)) : Math.abs(a - b);
    if (distance > allowed) count++;
    if (distance > largest) [largest, worst] = [distance, at];
  }
  return { largest: Math.max(0, largest), worst, count, allowed };
}

/** Nine digits, enough to distinguish float32 numbers. */
const short = (value) => (typeof value === "number" ? Number(value.toPrecision(9)) : value);

function row(cells) {
  const line = document.createElement("tr");
  for (const cell of cells) line.append(Object.assign(document.createElement("td"), { textContent: String(cell) }));
  document.getElementById("outputs").append(line);
}

async function run() {
  show("browser", navigator.userAgent);
  const adapter = await navigator.gpu?.requestAdapter();
  const info = adapter?.info;
  const words = info ? [info.vendor, info.architecture, info.device, info.description].filter(Boolean) : ["none"];
  show("adapter", words.join(", ") || "unnamed");
  const ort = await engine();
  ort.env.wasm.numThreads = 1;
  let stage = "The session cannot be created";
  try {
    const session = await ort.InferenceSession.create(bytes(repro.model), repro.options);
    stage = "The run throws";
    const feeds = repro.feeds.map((each) => [each.name, new ort.Tensor(each.type, values(each), each.dims)]);
    const answers = await session.run(Object.fromEntries(feeds));
    stage = "The outputs cannot be read";
    let differing = 0;
    for (const want of repro.wanted) {
      const tensor = answers[want.name];
      const got = await tensor.getData();
      if (String(tensor.dims) !== String(want.dims) || tensor.type !== want.type) {
        differing++;
        row([want.name, "", `${want.type} [${want.dims}]`, `${tensor.type} [${tensor.dims}]`, "", "", "all"]);
        continue;
      }
      const wanted = values(want);
      const { largest, worst, count, allowed } = compare(wanted, got, want.type);
      differing += count > 0;
      const share = `${count} of ${wanted.length}`;
      row([want.name, `[${place(worst, want.dims)}]`, short(wanted[worst]), short(got[worst]), largest.toPrecision(3), allowed.toPrecision(3), share]);
    }
    if (differing) verdict("differs", "The outputs differ in this browser.");
    else verdict("agrees", "The outputs are right in this browser.");
  } catch (error) {
    verdict("fails", `${stage} in this browser: ${error?.message ?? error}`);
  }
}

run().catch((error) => verdict("fails", `The engine does not start: ${error?.message ?? error}`));
