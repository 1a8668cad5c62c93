// Next.js configuration that sends the headers that a bundle needs for threads.

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

/** The fields of a NextConfig that are used here. */
interface Config {
  output?: string | undefined;
  headers?: (() => Rule[] | Promise<Rule[]>) | undefined;
}

/**
 * `export default withWebbuild({ ... })` in next.config.mjs. `pages` matches the pages that show a model, as `source` of
 * headers(); all pages by default. For a static export, your host has to send the headers.
 */
export function withWebbuild<NextConfig extends object>(
  config: NextConfig = {} as NextConfig,
  { pages = "/:path*" } = {},
) {
  return (phase: string): NextConfig => {
    const { output, headers }: Config = config;
    if (output === "export" && phase !== DEVELOPMENT) return config;
    return {
      ...config,
      headers: async () => [...((await headers?.()) ?? []), { source: pages, headers: ISOLATED }],
    };
  };
}
