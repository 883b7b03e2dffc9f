import { Buffer } from 'buffer'

// Casbin's CSV reader expects Node's Buffer; the build removes both (`vite.config.ts`). Import this before
// casbin.
if (import.meta.env.DEV) globalThis.Buffer ??= Buffer
