import { DEMO_PASSWORD, demoAccounts, openDemoAccounts } from '../../supabase/embedded/operations'
import type { RunningServer } from '../../supabase/embedded/server'

/** The page at the address shows how far the start is. */
export const announceStart = (url: string): void => console.log(`\n  Starting at      ${url}`)

/** A newcomer needs the console's address, its key, and a way to sign in. */
export async function greet(server: RunningServer): Promise<void> {
  console.log(`\n  Console          ${server.url}`)
  console.log(`  Publishable key  ${server.publishableKey}`)
  if (server.mailboxUrl) console.log(`  Mailbox          ${server.mailboxUrl}`)
  const open = new Set(await openDemoAccounts(server.query))
  if (open.size > 0) {
    console.log(`\n  Demo accounts, all with the password ${DEMO_PASSWORD}:`)
    for (const { email, role, company } of await demoAccounts(server.query))
      if (open.has(email))
        console.log(`    ${email.padEnd(22)} ${[role, company].filter(Boolean).join(', ')}`)
  } else {
    const [account] = await server.query(`select 1 from public.user_roles where role = 'Super Admin' limit 1`)
    if (!account)
      console.log(
        '\n  There is no account yet. Create the first one: npm run admin:create -- you@example.com',
      )
  }
  console.log('\n  Ctrl+C stops it.\n')
}
