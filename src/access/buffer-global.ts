import { Buffer } from 'buffer'

// Casbin's CSV reader takes Node's Buffer for granted; the build leaves both out (`vite.config.ts`). Imported before
// casbin, and only with it.
if (import.meta.env.DEV) globalThis.Buffer ??= Buffer
