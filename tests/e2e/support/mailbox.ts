import { join } from 'node:path'
import { askServer } from '../../../supabase/embedded/control'

/** Where the suite's console at this address keeps its data; of a console that runs already, its usual place. */
export const dataDirOf = (url: string): string =>
  process.env.E2E_URL
    ? (process.env.DATA_DIR ?? 'supabase/.temp/data')
    : join(process.env.E2E_DATA_DIR ?? '', new URL(url).port)

/**
 * Every link to set a password that was mailed to an address so far, newest last. The owner of the data directory can read the mailbox's
 * key.
 */
export async function mailedLinks(dataDir: string, to: string): Promise<string[]> {
  const page = await askServer<string>(dataDir, 'mailbox')
  const mails = (await (await fetch(page.replace('/mailbox?', '/mailbox.json?'))).json()) as {
    to: string
    link: string
  }[]
  return mails.filter((mail) => mail.to === to && mail.link.includes('token_hash=')).map(({ link }) => link)
}
