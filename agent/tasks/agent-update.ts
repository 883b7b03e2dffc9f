import type { UpdateFailure } from '../update/release'
import { readUpdateState } from '../update/update-state'
import { AGENT_VERSION } from '../version'
import { say } from './command'

const POLL_MS = 500

const WORDS: Record<UpdateFailure, string> = {
  no_check_in: 'it did not check in in time',
  ended: 'it ended before its first check-in',
  interrupted: 'the device was interrupted several times while it tried it',
  signature: 'its signature is not by the key that this device trusts',
  older: 'it was published before a version that ran here',
  not_writable: 'the program file cannot be written',
}

/** The update is the agent's; this run outlives it, and tells how it went. Returns the exit code. */
export async function awaitUpdate(version: string, dataDir: string): Promise<number> {
  say(`This agent is version ${AGENT_VERSION}; asked for is ${version}.`)
  if (version === AGENT_VERSION) return 0
  for (let isTrying = false; ; ) {
    const { trying, refused, current } = readUpdateState(dataDir)
    const failure = refused[version]
    if (failure) {
      say(`Version ${version} is not run on this device: ${WORDS[failure] ?? failure}.`)
      return 1
    }
    if (current === version) {
      say(`Updated to ${version}.`)
      return 0
    }
    if (trying?.version === version && trying.attempts > 0 && !isTrying) {
      isTrying = true
      say('The new version was started.')
    }
    await new Promise((done) => setTimeout(done, POLL_MS))
  }
}
