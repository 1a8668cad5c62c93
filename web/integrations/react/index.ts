// React: a bundle's model for as long as a component is there, and a component that shows what it finds.

import type { LoadedModel, WebModelElement } from "@webbuild/element";
import { createElement, type HTMLAttributes, type ReactElement, useEffect, useRef, useState } from "react";

interface Progress {
  bytesDone: number;
  bytesTotal: number;
}

export interface ModelState<Model> {
  /** Null until it is loaded. */
  model: Model | null;
  /** What loading failed with: `code`, `message` and `fix`. */
  error: (Error & { code?: string; fix?: string }) | null;
  /** From 0 to 1, by bytes. */
  progress: number;
}

/**
 * Loads a model, `load` as a bundle exports it, and disposes of it with the component. Other `options` or another `load`
 * load again.
 */
export function useModel<Model extends { dispose(): Promise<void> }, Options extends object>(
  load: (options?: Options) => Promise<Model>,
  options?: Omit<Options, "signal" | "onProgress">,
): ModelState<Model> {
  const [state, setState] = useState<ModelState<Model>>(waiting);
  const key = JSON.stringify(options ?? {});
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const set = (next: Partial<ModelState<Model>>) => {
      if (!signal.aborted) setState({ ...waiting(), ...next });
    };
    const onProgress = ({ bytesDone, bytesTotal }: Progress) =>
      set({ progress: bytesTotal > 0 ? bytesDone / bytesTotal : 0 });
    const start = async () => {
      // StrictMode ends every first effect at once: that one loads nothing.
      await null;
      if (signal.aborted) return;
      const model = await load({ ...JSON.parse(key), signal, onProgress } as unknown as Options);
      signal.addEventListener("abort", () => void model.dispose());
      if (signal.aborted) await model.dispose();
      set({ model, progress: 1 });
    };
    set({});
    start().catch((error) => set({ error }));
    return () => ending.abort();
  }, [load, key]);
  return state;
}

function waiting<Model>(): ModelState<Model> {
  return { model: null, error: null, progress: 0 };
}

/** The result of a model's runs. */
type ResultOf<Model extends LoadedModel> = Awaited<ReturnType<Model["run"]>>;

export interface ModelViewProps<Model extends LoadedModel>
  extends Omit<HTMLAttributes<HTMLElement>, "onError"> {
  /** As `useModel` gives it. */
  model: Model | null;
  /** The picture that is shown, or its address; a visitor may choose another one, or the camera. */
  picture?: Blob | string | undefined;
  /** What every run is given besides the picture. */
  options?: Parameters<Model["run"]>[1];
  onResult?: ((result: ResultOf<Model>) => void) | undefined;
  onError?: ((error: Error) => void) | undefined;
}

/** A picture or the camera, and what the model finds on it: `<web-model>` for React. */
export function ModelView<Model extends LoadedModel>(props: ModelViewProps<Model>): ReactElement {
  const { model, picture, options, onResult, onError, ...attributes } = props;
  const element = useRef<WebModelElement | null>(null);
  const listeners = useRef({ onResult, onError });
  listeners.current = { onResult, onError };
  const key = JSON.stringify(options ?? {});
  useEffect(() => {
    // On a server there are no elements.
    void import("@webbuild/element");
    const hear = ({ type, detail }: CustomEvent) => {
      if (type === "result") listeners.current.onResult?.(detail);
      else listeners.current.onError?.(detail);
    };
    const heard = element.current;
    for (const type of ["result", "error"]) heard?.addEventListener(type, hear as EventListener);
    return () => {
      for (const type of ["result", "error"]) heard?.removeEventListener(type, hear as EventListener);
    };
  }, []);
  useEffect(() => void (element.current && Object.assign(element.current, { model })), [model]);
  useEffect(
    () => void (element.current && Object.assign(element.current, { options: JSON.parse(key) })),
    [key],
  );
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
