import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatedFiles } from './resource/generate'

const root = fileURLToPath(new URL('..', import.meta.url))

async function types(): Promise<void> {
  for (const file of await generatedFiles(root)) {
    const path = join(root, file.path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.text)
    console.log(`wrote ${file.path}`)
  }
}

const command = process.argv[2]
if (command === 'types') await types()
else {
  console.error('Usage: npm run resource types')
  process.exitCode = 1
}
