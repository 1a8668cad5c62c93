import { expect, test, vi } from "vitest";
import { moveStage } from "../../src/choice/move-stage.js";
import { OtherBackend } from "../../src/choice/other-backend.js";
import type { LoadRequest } from "../../src/fallback/load-request.js";
import type { LoadedModel } from "../../src/fallback/loaded-model.js";
import type { ResilientSession } from "../../src/fallback/resilient-session.js";
import type { Manifest } from "../../src/manifest/manifest.js";

const [gpu, wasm] = [{ backend: "webgpu" }, { backend: "wasm" }];
const ONE = {} as Manifest;
const TWO = {} as Manifest;

function place(candidate: object, remaining: object[]): LoadedModel {
  return { candidate, remaining, connection: { end: vi.fn() } } as unknown as LoadedModel;
}

/** Moves the sessions of two graphs, one after the other as `moves` says; calls may begin meanwhile. */
async function moved(signal: AbortSignal, ...moves: (() => boolean)[]) {
  const there = [place(wasm, []), place(wasm, [])];
  const left = [...there];
  const load = vi.fn(async () => left.shift() ?? place(wasm, []));
  const otherBackend = new OtherBackend({} as LoadRequest, signal, load);
  const sessions = [ONE, TWO].map((variant, at) => {
    const session = { loaded: place(gpu, [wasm]), moveTo: async () => moves[at]?.() ?? false };
    return [variant, session as unknown as ResilientSession] as [Manifest, ResilientSession];
  });
  const went = await moveStage({ opened: async () => sessions }, place(gpu, [wasm]), otherBackend, "faster");
  otherBackend.end();
  return { went, ended: there.map(({ connection }) => vi.mocked(connection.end).mock.calls.length > 0) };
}

test("a call that begins after a graph has moved does not end the session it runs on", async () => {
  const calls = new AbortController();
  const move = (): boolean => {
    calls.abort();
    return true;
  };
  expect(await moved(calls.signal, move, () => false)).toEqual({ went: true, ended: [false, true] });
});

test("either all graphs move, or the sessions opened for those that stay are closed", async () => {
  const { signal } = new AbortController();
  expect(
    await moved(
      signal,
      () => true,
      () => true,
    ),
  ).toEqual({ went: true, ended: [false, false] });
  expect(
    await moved(
      signal,
      () => false,
      () => false,
    ),
  ).toEqual({ went: false, ended: [true, true] });
});
