import { Buffer } from 'buffer'

// Casbin's CSV reader takes Node's Buffer for granted. Imported before casbin, and only with it.
globalThis.Buffer ??= Buffer
