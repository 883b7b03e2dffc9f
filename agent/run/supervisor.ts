import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Offer, Result } from '../protocol'
import { shortened } from './output'
import { RunFolder } from './run-folder'
import { notStarted, type RunningScript, runScript } from './run-script'

const STOP_POLL_MS = 200
const WRITE_RETRY_MS = 2_000
const PRINT_MS = 1_000
/** Only the beginning and the end of a growing output are sent, within this size. */
const PRINT_BYTES = 65_536

async function readOffer(): Promise<Offer | null> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as Offer
  } catch {
    // The agent ended in the middle of the offer.
    return null
  }
}

/** Whether the agent that started this process still reads. */
const tellAgent = (result: Result): Promise<boolean> =>
  new Promise((done) => process.stdout.write(`${JSON.stringify(result)}\n`, (error) => done(!error)))

/** Keeps what the script has printed so far in the run's folder, where the agent finds it. */
function followOutput(script: RunningScript, folder: RunFolder): NodeJS.Timeout {
  let size = 0
  return setInterval(() => {
    if (script.printed.size === size) return
    size = script.printed.size
    try {
      folder.writePrinted(shortened(script.printed.text().output, PRINT_BYTES))
    } catch {
      // A full disk: the result has all of it.
    }
  }, PRINT_MS)
}

/**
 * A separate process for each run, which outlives the agent: it starts the script, collects its output,
 * enforces its time limit, and leaves the result in the run's folder for the next agent. The offer, with its
 * secrets, arrives on standard input, never in a file.
 */
export async function supervise(path: string): Promise<void> {
  const folder = new RunFolder(basename(path), path)
  // The agent may be gone when the result is written; that is no reason to die.
  process.stdout.on('error', () => undefined)
  const offer = await readOffer()
  if (offer === null) return
  let result: Result
  try {
    if (!folder.claim(offer.attempt, offer.timeoutSeconds)) return
    const script = runScript(offer, folder)
    const watch = setInterval(() => {
      const reason = folder.stopRequest
      if (reason) script.stop(reason)
    }, STOP_POLL_MS)
    const printing = followOutput(script, folder)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => script.stop('interrupted'))
    result = await script.result
    clearInterval(watch)
    clearInterval(printing)
  } catch (error) {
    result = notStarted(offer, error)
  }
  await leave(folder, result)
}

/** Ends when the result is on the disk, or the agent has taken it and removed the folder. */
async function leave(folder: RunFolder, result: Result): Promise<void> {
  for (let isTold = false; existsSync(folder.path); ) {
    let isWritten = true
    try {
      folder.writeResult(result)
    } catch {
      // A full disk: the agent, if it lives, gets the result all the same.
      isWritten = false
    }
    if (!isTold) isTold = await tellAgent(result)
    if (isWritten) return
    await new Promise((done) => setTimeout(done, WRITE_RETRY_MS))
  }
}
