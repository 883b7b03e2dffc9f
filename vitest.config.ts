import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Its own file, not vite.config.ts: the tests never build the console or start its server by loading a config.
export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One file at a time a suite: the database tests each hold a Postgres in WASM, and CI has two cores.
    maxWorkers: 2,
    projects: ['unit', 'contract', 'agent', 'db'].map((name) => ({
      extends: true,
      test: { name, include: [`tests/${name}/**/*.test.{ts,tsx}`] },
    })),
  },
})
