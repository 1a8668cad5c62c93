import webbuild from "@webbuild/vite";
import { defineConfig } from "vite";

export default defineConfig({ base: "./", plugins: [webbuild()] });
