// Begins the single executable (agent/executable.ts): runs the agent's file as `node` would, so that the agent can update that
// file, and start itself as supervisor and task, without knowing that there is no Node.
const { existsSync, writeFileSync } = require('node:fs')
const { dirname, join, resolve } = require('node:path')
const { getAsset } = require('node:sea')
const { pathToFileURL } = require('node:url')
const { setFlagsFromString } = require('node:v8')
const { constants, Script } = require('node:vm')

const args = process.argv.slice(2)
while (args[0]?.startsWith('--max-old-space-size=')) setFlagsFromString(args.shift())

let program = args[0]?.endsWith('.mjs') && existsSync(args[0]) ? resolve(args.shift()) : null
if (program === null) {
  // On its own, it brings the agent that it was built with.
  program = join(dirname(process.execPath), 'agent.mjs')
  if (!existsSync(program)) writeFileSync(program, getAsset('agent.mjs', 'utf8'), { mode: 0o600 })
}
process.argv = [process.execPath, program, ...args]
// The import below is experimental in Node 20, which says so at each start.
process.removeAllListeners('warning')
new Script(`import(${JSON.stringify(pathToFileURL(program).href)})`, {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})
  .runInThisContext()
  .catch((error) => {
    process.stderr.write(`${error?.stack ?? error}\n`)
    process.exit(1)
  })
