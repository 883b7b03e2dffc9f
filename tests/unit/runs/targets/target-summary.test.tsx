// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { TargetSummary } from '@/runs/targets/target-summary'
import { splitTargets } from '@/runs/targets/targets'
import { render } from '../../../support/render'

afterEach(cleanup)

const device = (name: string, platform: string) => ({ id: name, name, company_id: 'c', platform })
const POWERSHELL = { type: 'PowerShell', company_id: 'c' }
const show = (devices: ReturnType<typeof device>[], language: 'en' | 'tr' = 'en') =>
  render(<TargetSummary selection={splitTargets(devices, POWERSHELL)} script={POWERSHELL} />, { language })

describe('the devices that a run leaves out', () => {
  it('are named as the device where it is the only one', async () => {
    await show([device('srv-1', 'linux')])
    expect(await screen.findByText('The device is left out: the script runs on Windows only')).toBeTruthy()
    cleanup()
    await show([device('srv-1', 'linux')], 'tr')
    expect(
      await screen.findByText('Cihaz kapsam dışında: betik yalnızca Windows üzerinde çalışır'),
    ).toBeTruthy()
  })

  it('are counted where there are several', async () => {
    await show([device('srv-1', 'linux'), device('pc-1', 'windows')])
    expect(
      await screen.findByText('1 of 2 devices is left out: the script runs on Windows only'),
    ).toBeTruthy()
  })
})
