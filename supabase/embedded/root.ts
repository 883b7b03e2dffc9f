import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. Bundles of this code are put two folders deep, so that it holds for them too. */
export const ROOT = resolve(fileURLToPath(import.meta.url), '../../..')
