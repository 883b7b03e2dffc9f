import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COUNT_UP_MS, countAt } from '@/pages/dashboard/count-up'
import { runLink, systemsLink, toDashboard, toShares } from '@/pages/dashboard/dashboard-data'
import { osColor } from '@/pages/dashboard/os-palette'

describe('dashboard data', () => {
  it('reads the answer of the database', () => {
    const data = toDashboard({
      online: 3,
      offline: '2',
      procedures: 4,
      alerts: 1,
      systems: [
        { os: 'Ubuntu', count: 1 },
        { os: 'Windows 11', count: 4 },
        { os: 'macOS', count: 0 },
      ],
      recent: [
        {
          id: 'a',
          executed_at: '2026-11-21T10:00:00Z',
          status: 'success',
          output: '',
          procedure_name: 'Disk',
          device_name: 'PC-1',
          job_run_id: 'r',
          device_id: 'd',
        },
        { id: 'b', status: 'timed_out', output: 'boom' },
      ],
      updated_at: '2026-11-21T10:00:01Z',
    })
    expect(data).toMatchObject({ online: 3, offline: 2, procedures: 4, failing: 1 })
    expect(data.systems).toEqual([
      { os: 'Windows 11', count: 4 },
      { os: 'Ubuntu', count: 1 },
    ])
    expect(data.recent.map((run) => [run.isSuccess, run.output])).toEqual([
      [true, null],
      [false, 'boom'],
    ])
  })

  it('survives an answer of any shape', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const data = toDashboard(value)
        return Number.isFinite(data.online) && Array.isArray(data.systems) && Array.isArray(data.recent)
      }),
    )
  })

  it('links to the run, else to its device, else nowhere', () => {
    expect(runLink({ deviceId: 'd', runId: 'r' })).toBe('/runs/r')
    expect(runLink({ deviceId: 'd', runId: null })).toBe('/devices/d')
    expect(runLink({ deviceId: null, runId: null })).toBeNull()
  })
})

describe('operating systems', () => {
  it('folds the smallest into one entry that names them', () => {
    const systems = Array.from({ length: 10 }, (_, index) => ({ os: `OS ${index}`, count: 10 }))
    const shares = toShares(systems)
    expect(shares).toHaveLength(8)
    expect(shares.at(-1)).toMatchObject({ names: ['OS 7', 'OS 8', 'OS 9'], count: 30, isRest: true })
  })

  it('shares add up to the whole fleet', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ os: fc.string(), count: fc.integer({ min: 1, max: 1e6 }) })),
        (systems) => {
          const shares = toShares(systems)
          const sum = shares.reduce((total, share) => total + share.share, 0)
          return systems.length === 0 ? shares.length === 0 : Math.abs(sum - 1) < 1e-9
        },
      ),
    )
  })

  it('escapes names in the link', () => {
    expect(systemsLink(['Windows 11', 'A&B'])).toBe('/devices?os=Windows%2011,A%26B')
  })

  it('has a color for the four systems and gray for others', () => {
    const known = ['Windows 11', 'Windows 10', 'Ubuntu', 'macOS'].map(osColor)
    expect(new Set(known).size).toBe(4)
    expect(osColor('Debian')).toBe(osColor('Fedora'))
    expect(known).not.toContain(osColor('Debian'))
  })
})

describe('count up', () => {
  it('starts at the old value and ends at exactly the new one', () => {
    expect(countAt(0, 100, 0)).toBe(0)
    expect(countAt(0, 100, COUNT_UP_MS)).toBe(100)
    expect(COUNT_UP_MS).toBe(2000)
  })

  it('never overshoots and never turns back', () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(1e6), fc.nat(2100), fc.nat(2100), (from, to, first, second) => {
        const [early, late] = [Math.min(first, second), Math.max(first, second)]
        const a = countAt(from, to, early)
        const b = countAt(from, to, late)
        return to >= from ? a <= b && b <= to : a >= b && b >= to
      }),
    )
  })
})
