import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { differences } from '../../scripts/schema/command'
import { schemaFiles } from '../../scripts/schema/files'

const root = resolve(import.meta.dirname, '../..')

it('the migrations make what supabase/schemas says; npm run schema -- diff <name> writes the next one', async () => {
  expect(await differences(root)).toEqual([])
})

it('says why of every function that runs as its owner', () => {
  const unexplained = schemaFiles(root).flatMap(({ path: file, sql: text }) => {
    return [...text.matchAll(/^create (?:or replace )?function ([\w.]+)\(/gm)].flatMap(
      ({ index, 1: name }) => {
        const next = text.slice(index + 1).search(/^create /m)
        const own = text.slice(index, next < 0 ? undefined : index + 1 + next)
        if (!/^\s*(language .*)?(volatile |stable )?security definer/m.test(own)) return []
        const above: string[] = []
        for (const line of text.slice(0, index).trimEnd().split('\n').reverse()) {
          if (!line.startsWith('--')) break
          above.push(line)
        }
        const said = [...above, own.replace('security definer', '')].join('\n')
        return /definer/i.test(said) ? [] : [`${file}: ${name}`]
      },
    )
  })
  expect(unexplained).toEqual([])
})
