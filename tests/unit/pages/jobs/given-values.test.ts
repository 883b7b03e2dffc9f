import { describe, expect, it } from 'vitest'
import { givenValues } from '@/pages/jobs/given-values'
import { toParameters } from '@/runs/start/parameters'

describe('what a task was given', () => {
  const parameters = toParameters([
    { name: 'host', kind: 'text', label: 'Host name' },
    { name: 'force', kind: 'boolean' },
    { name: 'password', kind: 'secret', label: 'Password' },
    { name: 'pin', kind: 'secret' },
  ])

  it('has the labels and the order of the script, and says which secrets were given', () => {
    const given = givenValues(parameters, { force: false, host: 'a' }, ['password'])
    expect(given.map(({ label, value, isSecret }) => [label, value, isSecret])).toEqual([
      ['Host name', 'a', false],
      ['force', false, false],
      ['Password', true, true],
      ['pin', false, true],
    ])
  })

  it('says which values no version has: texts, numbers and secrets, without defaults and choices', () => {
    const own = toParameters([
      { name: 'path', kind: 'text', default: '/tmp' },
      { name: 'days', kind: 'number', default: '7' },
      { name: 'mode', kind: 'choice', choices: ['list', 'delete'], default: 'list' },
      { name: 'force', kind: 'boolean' },
      { name: 'token', kind: 'secret' },
    ])
    const free = (values: Record<string, unknown>, secrets: string[] = []) =>
      givenValues(own, values, secrets).flatMap(({ name, isFree }) => (isFree ? [name] : []))
    expect(free({ path: '/tmp', days: 7, mode: 'delete', force: true })).toEqual([])
    expect(free({ path: '/etc', days: 0, mode: 'list', force: false }, ['token'])).toEqual([
      'path',
      'days',
      'token',
    ])
    expect(free({ gone: 'x' }, ['pin'])).toEqual(['gone', 'pin'])
  })

  it('goes by its names once the script is deleted', () => {
    expect(
      givenValues([], { host: 'a', odd: { a: 1 } }, ['password']).map(({ label, value }) => [label, value]),
    ).toEqual([
      ['host', 'a'],
      ['odd', null],
      ['password', true],
    ])
  })
})
