// @vitest-environment happy-dom
import { Refine, useMenu, useResourceParams } from '@refinedev/core'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { usePageWords } from '@/app/page-words'
import { refineResources } from '@/app/refine-resources'
import { routerProvider } from '@/refine/router-provider'
import { render } from '../../support/render'

function Menu() {
  const { menuItems } = useMenu()
  const { resource, action, id } = useResourceParams()
  return (
    <>
      <p>{[resource?.name, resource?.meta?.table, action, id].join(' ')}</p>
      {menuItems.map(({ key, route, label, children }) => (
        <p key={key}>{[`${label} ${route}`, ...children.map((child) => child.label)].join(', ')}</p>
      ))}
    </>
  )
}

function Console() {
  const resources = refineResources(usePageWords())
  return (
    <Refine routerProvider={routerProvider} resources={resources} options={{ disableTelemetry: true }}>
      <Menu />
    </Refine>
  )
}

const lines = () => screen.getAllByRole('paragraph').map(({ textContent }) => textContent)

afterEach(cleanup)

describe('the pages as Refine’s resources', () => {
  it('make the menu with its tabs by Refine’s own hook, in the language of the moment', async () => {
    const { unmount } = await render(<Console />)
    const english = lines()
    expect(english).toContain('Devices /devices, Groups, Policies, Tags')
    expect(english).toContain(
      'Custom Commands /custom-commands, Tasks, Runs, Scheduled Tasks, Saved Commands',
    )
    expect(english[1]).toBe('Dashboard /')
    expect(english.at(-1)).toMatch(/^Settings \/settings, Users, Audit/)
    expect(english.join()).not.toMatch(/Notifications|People/)
    unmount()
    await render(<Console />, { language: 'tr' })
    expect(lines()).toContain('Cihazlar /devices, Gruplar, Politikalar, Etiketler')
  })

  it('name the resource of an address, with its table and record', async () => {
    await render(<Console />, { path: '/automation/42/pcs' })
    expect(lines()[0]).toBe('automations automations show 42')
    cleanup()
    await render(<Console />, { path: '/agents' })
    expect(lines()[0]).toBe('agents devices list ')
  })
})
