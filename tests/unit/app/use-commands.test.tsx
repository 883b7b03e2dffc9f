// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { matchCommands } from '@/app/palette/commands'
import { useCommands } from '@/app/palette/use-commands'
import type { Language } from '@/i18n/language'
import { initialSession } from '@/session/session-state'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { SessionContext } from '@/session/use-session'
import { render } from '../../support/render'

function Found({ text }: { text: string }) {
  const { byName } = matchCommands(
    useCommands(() => undefined),
    text,
  )
  return byName.flatMap(({ commands }) => commands).map(({ key, label }) => <p key={key}>{label}</p>)
}

async function find(text: string, language: Language): Promise<string[]> {
  const nothing = async () => undefined
  const session = {
    ...initialSession,
    license: { kind: 'active' as const },
    signIn: async () => ({ ok: true as const }),
    signOut: nothing,
    reloadUser: nothing,
  }
  const scope = { companyId: null, setCompanyId: () => undefined, companies: [] }
  await render(
    <SessionContext value={session}>
      <CompanyScopeContext value={scope}>
        <Found text={text} />
      </CompanyScopeContext>
    </SessionContext>,
    { language },
  )
  return screen.queryAllByRole('paragraph').map((found) => found.textContent ?? '')
}

afterEach(cleanup)

describe('the palette’s commands', () => {
  it.each([
    ['sign out', 'en', 'Sign out'],
    ['log out', 'en', 'Sign out'],
    ['oturumu kapat', 'tr', 'Çıkış yap'],
    ['cikis', 'tr', 'Çıkış yap'],
    ['offline devices', 'en', 'Devices: Offline'],
    ['çevrimdışı cihazlar', 'tr', 'Cihazlar: Çevrimdışı'],
    ['reboot', 'en', 'Devices: Needs reboot'],
    ['reboot', 'tr', 'Cihazlar: Yeniden başlatılmalı'],
    ['çıkış', 'en', 'Sign out'],
    ['log out', 'tr', 'Çıkış yap'],
    ['cihazlar', 'en', 'Devices'],
    ['patch management', 'tr', 'Yama Yönetimi'],
    ['çevrimdışı', 'en', 'Devices: Offline'],
    ['yeni grup', 'en', 'New group'],
    ['policy', 'en', 'Policies'],
    ['category', 'en', 'Ticket Categories'],
    ['politika', 'en', 'Policies'],
    ['koyu tema', 'en', 'Dark theme'],
    ['yeniden baslat', 'tr', 'Cihazlar: Yeniden başlatılmalı'],
  ] as const)('“%s” (%s) finds %s', async (text, language, label) => {
    expect(await find(text, language)).toContain(label)
  })
})
