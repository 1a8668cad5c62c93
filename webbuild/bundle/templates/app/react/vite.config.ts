import react from "@vitejs/plugin-react";
import webbuild from "@webbuild/vite";
import { defineConfig } from "vite";

export default defineConfig({ base: "./", plugins: [react(), webbuild()] });
