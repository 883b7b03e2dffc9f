import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkResources } from './resource/check'
import { generatedFiles } from './resource/generate'

const root = fileURLToPath(new URL('..', import.meta.url))

const USAGE = `Usage: npm run resource <command>
  types   writes the definition's schema, types and validator from the field kinds
  check   says what is wrong with the files of resources/, by file and line`

async function types(): Promise<void> {
  for (const file of await generatedFiles(root)) {
    const path = join(root, file.path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.text)
    console.log(`wrote ${file.path}`)
  }
}

function check(): void {
  const problems = checkResources(root)
  for (const { file, line, message, hint } of problems)
    console.error(`${file}:${line}  ${message}${hint ? `\n    ${hint}` : ''}`)
  if (problems.length > 0) process.exitCode = 1
  else console.log('Every definition is right.')
}

const command = process.argv[2]
if (command === 'types') await types()
else if (command === 'check') check()
else {
  console.error(USAGE)
  process.exitCode = 1
}
