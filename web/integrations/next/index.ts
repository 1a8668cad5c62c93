// Next.js: what a page needs from its server for a bundle with threads.

/** A page that is isolated from other origins gets threads. */
const ISOLATED = [
  { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
  { key: "Cross-Origin-Embedder-Policy", value: "require-corp" },
];
const DEVELOPMENT = "phase-development-server";

interface Rule {
  source: string;
  headers: { key: string; value: string }[];
}

/** What is read of a NextConfig. */
interface Config {
  output?: string | undefined;
  headers?: (() => Rule[] | Promise<Rule[]>) | undefined;
}

/**
 * `export default withWebbuild({ ... })` in next.config.mjs. `pages` are those that show a model, as `source` of headers();
 * all of them by default. A static export is sent by your host, which has to send the headers itself.
 */
export function withWebbuild<Given extends object>(config: Given = {} as Given, { pages = "/:path*" } = {}) {
  return (phase: string): Given => {
    const { output, headers }: Config = config;
    if (output === "export" && phase !== DEVELOPMENT) return config;
    return {
      ...config,
      headers: async () => [...((await headers?.()) ?? []), { source: pages, headers: ISOLATED }],
    };
  };
}
