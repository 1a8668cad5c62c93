// A text about a model for a bug report: without pictures, URLs of the site or prompts.

import { graphFiles } from "../manifest/graphs.js";
import type { ModelStage } from "../runs/model-stage.js";
import type { AdapterInfo, Result, SelfTest, StageInfo, Warning } from "./types.js";

interface ReportedModel {
  stages: readonly { stage: ModelStage; info: StageInfo }[];
  warnings: readonly Warning[];
}

/** A URL of any scheme, also one that contains another, such as "blob:https://...". */
const ADDRESS = /\b(?:blob:)?[a-z][a-z0-9+.-]*:\/\/[^\s"'`),;]+/gi;

/** A text in quotes, as JSON writes it. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** Returns the report. `model` is null if none was loaded, `error` undefined if nothing failed. */
export function reportText(model: ReportedModel | null, error?: unknown): string {
  const lines = [
    ...(error === undefined ? [] : errorLines(error)),
    ...browserLines(),
    ...(model === null ? [] : modelLines(model)),
  ];
  return `${lines.join("\n").replace(ADDRESS, "(address)")}\n`;
}

function errorLines(error: unknown): string[] {
  const { code, message, fix, cause } = Object(error) as Record<string, unknown>;
  const text = `${message ?? error}`;
  // The message about a prompt quotes it.
  const unquoted = code === "invalid-prompt" ? text.replace(QUOTED, "(text)") : text;
  const lines = [`error: ${code === undefined ? "" : `[${code}] `}${unquoted}`];
  if (fix !== undefined) lines.push(`fix: ${fix}`);
  if (cause !== undefined) lines.push(`cause: ${cause}`);
  return lines;
}

function browserLines(): string[] {
  const facts = [
    `${navigator.hardwareConcurrency} cores`,
    "gpu" in navigator ? "WebGPU" : "no WebGPU",
    crossOriginIsolated ? "isolated" : "not isolated",
    isSecureContext ? "secure" : "not secure",
  ];
  return [`browser: ${navigator.userAgent}`, `page: ${facts.join(", ")}`];
}

function modelLines({ stages, warnings }: ReportedModel): string[] {
  const [first] = stages;
  if (first === undefined) return [];
  const {
    name,
    task: { kind },
    generator,
    engine,
  } = first.stage.manifest;
  const { build, threads } = first.info.engine;
  return [
    `bundle: ${name}, ${kind}, packed by ${generator.name} ${generator.version}`,
    `engine: ${engine.name} ${engine.version}, ${build}, ${threads} threads`,
    ...stages.flatMap(({ stage, info }) => stageLines(stage, info)),
    ...(warnings.length === 0 ? ["warnings: none"] : warnings.map(warningLine)),
  ];
}

function stageLines(stage: ModelStage, info: StageInfo): string[] {
  const { adapter, choice, graphCapture, postprocess, precision, preprocess, selfTest, suppression } = info;
  const times = Object.entries(choice.times ?? {}).map(([backend, runs]) => `; ${backend} ${runs.map(ms)}`);
  const rows: [string, string | null][] = [
    ["backend", `${info.backend}: ${info.reason}`],
    ["adapter", adapter && adapterText(adapter)],
    ["choice", `${choice.reason}${times.join("")}`],
    ["precision", `${precision.used}: ${precision.reason}`],
    ["self-test", selfTest ? selfTestText(selfTest) : "none"],
    ["graph capture", `${graphCapture.used ? "yes" : "no"}: ${graphCapture.reason}`],
    ["preprocess", `${preprocess.path}: ${preprocess.reason}`],
    ["postprocess", `${postprocess.path}: ${postprocess.reason}`],
    ["suppression", suppression && `${suppression.path}: ${suppression.reason}`],
    ["size", sizeText(stage)],
    ["loading", timesText(info.timings)],
    ["runs", runsText(info.runs, stage.lastTimings)],
  ];
  const heading = stage.name === "" ? [] : [`stage ${stage.name}`];
  return [...heading, ...rows.flatMap(([name, text]) => (text === null ? [] : [`${name}: ${text}`]))];
}

function adapterText({ vendor, architecture, device, description }: AdapterInfo): string {
  return [vendor, architecture, device, description].filter((part) => part !== "").join(", ") || "not named";
}

function selfTestText({ sample, fromCache }: SelfTest): string {
  return `passed with the sample "${sample}"${fromCache ? ", on an earlier visit" : ""}`;
}

/** Returns the graph in use and the size of its weights, as downloaded. */
function sizeText({ session, manifest: { files } }: ModelStage): string {
  const { graph } = session.loaded.candidate;
  const sizes = graphFiles(graph).map((path) => files.find((each) => each.path === path)?.size ?? 0);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return `${(bytes / 1e6).toFixed(1)} MB, ${graph.nodes} nodes`;
}

function runsText(runs: number, last: Result["timings"] | null): string {
  return last === null ? `${runs}` : `${runs}, the last: ${timesText(last)}`;
}

function timesText(timings: object): string {
  return Object.entries(timings)
    .map(([name, time]) => `${name} ${ms(Number(time))}`)
    .join(", ");
}

function ms(time: number): string {
  return `${time.toFixed(time < 10 ? 1 : 0)} ms`;
}

function warningLine({ code, message }: Warning): string {
  return `warning: [${code}] ${message}`;
}
