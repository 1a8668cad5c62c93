// React: a hook that loads a bundle's model while a component is mounted, and a component that shows its results.

import type { LoadedModel, WebModelElement } from "@webbuild/element";
import { createElement, type HTMLAttributes, type ReactElement, useEffect, useRef, useState } from "react";
import { isSame } from "./same-options.js";

interface Progress {
  bytesDone: number;
  bytesTotal: number;
}

export interface ModelState<Model> {
  /** Null until it is loaded. */
  model: Model | null;
  /** The error of loading: `code`, `message` and `fix`. */
  error: (Error & { code?: string; fix?: string }) | null;
  /** From 0 to 1, by bytes. */
  progress: number;
}

/**
 * Loads a model with a bundle's `load`, and disposes of it with the component. If `options` or `load` changes, it loads
 * again.
 */
export function useModel<Model extends { dispose(): Promise<void> }, Options extends object>(
  load: (options?: Options) => Promise<Model>,
  options?: Omit<Options, "signal" | "onProgress">,
): ModelState<Model> {
  const [state, setState] = useState<ModelState<Model>>(waiting);
  const used = useSame(options);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const set = (next: Partial<ModelState<Model>>) => {
      if (!signal.aborted) setState({ ...waiting(), ...next });
    };
    const onProgress = ({ bytesDone, bytesTotal }: Progress) =>
      set({ progress: bytesTotal > 0 ? bytesDone / bytesTotal : 0 });
    const start = async () => {
      // StrictMode cleans up the first effect immediately: that effect must not load.
      await null;
      if (signal.aborted) return;
      const model = await load({ ...used, signal, onProgress } as unknown as Options);
      signal.addEventListener("abort", () => void model.dispose());
      if (signal.aborted) await model.dispose();
      set({ model, progress: 1 });
    };
    set({});
    start().catch((error) => set({ error }));
    return () => ending.abort();
  }, [load, used]);
  return state;
}

/** Returns the options of the first render that had the same ones. */
function useSame<Options>(options: Options): Options {
  const last = useRef(options);
  if (!isSame(last.current, options)) last.current = options;
  return last.current;
}

function waiting<Model>(): ModelState<Model> {
  return { model: null, error: null, progress: 0 };
}

/** The result of a model's runs. */
type ResultOf<Model extends LoadedModel> = Awaited<ReturnType<Model["run"]>>;

export interface ModelViewProps<Model extends LoadedModel>
  extends Omit<HTMLAttributes<HTMLElement>, "onError"> {
  /** The model of `useModel`. */
  model: Model | null;
  /** The first picture or its URL; a visitor may choose another one, or the camera. */
  picture?: Blob | string | undefined;
  /** The options of every run. */
  options?: Parameters<Model["run"]>[1];
  onResult?: ((result: ResultOf<Model>) => void) | undefined;
  onError?: ((error: Error) => void) | undefined;
}

/** `<web-model>` for React: shows a picture or the camera, with the model's results. */
export function ModelView<Model extends LoadedModel>(props: ModelViewProps<Model>): ReactElement {
  const { model, picture, options, onResult, onError, ...attributes } = props;
  const element = useRef<WebModelElement | null>(null);
  const listeners = useRef({ onResult, onError });
  listeners.current = { onResult, onError };
  const used = useSame(options);
  useEffect(() => {
    // A server has no custom elements, so import only in an effect.
    void import("@webbuild/element");
    const listener = ({ type, detail }: CustomEvent) => {
      if (type === "result") listeners.current.onResult?.(detail);
      else listeners.current.onError?.(detail);
    };
    const target = element.current;
    for (const type of ["result", "error"]) target?.addEventListener(type, listener as EventListener);
    return () => {
      for (const type of ["result", "error"]) target?.removeEventListener(type, listener as EventListener);
    };
  }, []);
  useEffect(() => void (element.current && Object.assign(element.current, { model })), [model]);
  useEffect(() => void (element.current && Object.assign(element.current, { options: used ?? {} })), [used]);
  useEffect(() => {
    if (picture instanceof Blob)
      void customElements.whenDefined("web-model").then(() => element.current?.show(picture));
  }, [picture]);
  return createElement("web-model", {
    ...attributes,
    ref: element,
    ...(typeof picture === "string" ? { picture } : {}),
  });
}
