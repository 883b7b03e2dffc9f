import { describe, expect, it } from 'vitest'
import { initialValues, toParameters, toValues } from '@/runs/start/parameters'

describe('parameters', () => {
  const stored = [
    { name: 'path', kind: 'text', label: 'Path', required: true, default: '/tmp' },
    { name: 'days', kind: 'number' },
    { name: 'force', kind: 'boolean' },
    { name: 'mode', kind: 'choice', choices: ['fast', 'slow'] },
    { name: 'password', kind: 'secret', default: 'leaked' },
    { name: 'odd', kind: 'color' },
    { kind: 'text' },
    null,
  ]
  const parameters = toParameters(stored)

  it('reads the definition', () => {
    expect(parameters.map(({ name, kind }) => `${name}:${kind}`)).toEqual([
      'path:text',
      'days:number',
      'force:boolean',
      'mode:choice',
      'password:secret',
      'odd:text',
    ])
    expect(toParameters('nonsense')).toEqual([])
  })

  it('never fills in a secret', () => {
    const values = initialValues(parameters, { path: '/var', password: 'earlier' })
    expect(values).toMatchObject({ path: '/var', force: false, password: null })
  })

  it('sends only what was filled in, typed', () => {
    expect(
      toValues(parameters, { path: 'x', days: 3, force: false, mode: '', password: null, other: 1 }),
    ).toEqual({ path: 'x', days: 3, force: false })
  })
})
