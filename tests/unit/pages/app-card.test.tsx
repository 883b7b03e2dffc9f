// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { AppCard, type AppState } from '@/pages/software/app-card'
import { findDefinition } from '@/resource/language/registry'
import { render } from '../../support/render'

afterEach(cleanup)

const app = {
  id: 'app-1',
  name: 'Firefox',
  publisher: 'Mozilla',
  category: 'browsers',
  description: null,
  winget_id: 'Mozilla.Firefox',
  choco_id: null,
  apt_id: 'firefox-esr',
  brew_id: null,
}

async function offered(state: Partial<AppState> | null | undefined) {
  const definition = findDefinition('apps')
  if (!definition) throw new Error('there is no definition of apps')
  const whole = state && { id: app.id, devices: 0, outdated: 0, job: null, ...state }
  await render(<AppCard app={app} definition={definition} state={whole} onAct={() => undefined} />, {
    companyId: 'acme',
    can: () => ({ allowed: true }),
  })
  const names = screen.getAllByRole('button').map(({ textContent }) => textContent)
  cleanup()
  return names
}

describe('the card of an app', () => {
  it('offers an update and a removal only where a device has the app', async () => {
    expect(await offered({ devices: 0 })).toEqual(['Install'])
    expect(await offered(undefined)).toEqual(['Install'])
    expect(await offered({ devices: 3 })).toEqual(['Install', 'Update', 'Remove'])
  })

  it('offers all where the devices were not counted', async () => {
    expect(await offered(null)).toEqual(['Install', 'Update', 'Remove'])
  })
})
