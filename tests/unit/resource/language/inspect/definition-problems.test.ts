import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { didYouMean, distance } from '@/resource/language/did-you-mean'
import { contextOf, inspectSource } from '@/resource/language/inspect/problems'
import { lineOf, parseJsonSource, SourceError } from '@/resource/language/json-source'

const right: Definition = {
  name: 'printers',
  title: '{serial}',
  fields: {
    serial: { type: 'text', required: true, sort: true },
    status: { type: 'enum', values: { active: 'green', retired: 'gray' }, default: 'active' },
    warranty: { type: 'date', check: { _gte: '$record.bought_on' } },
    bought_on: { type: 'date' },
  },
  list: { columns: ['serial', 'status'], sort: '-serial' },
  form: { sections: { main: ['serial status', 'bought_on warranty'] } },
}

/** Writes the definition with one value put in place of another, one key a line. */
function broken(change: (definition: Record<string, never>) => void) {
  const copy = structuredClone(right) as unknown as Record<string, never>
  change(copy)
  const text = JSON.stringify(copy, null, 2)
  const problems = inspectSource('resources/printers.json', text, {
    find: (name) => (name === 'devices' ? right : null),
    names: ['devices', 'printers'],
  })
  return problems.map((problem) => ({ ...problem, source: text.split('\n')[problem.line - 1]?.trim() }))
}

const at = (object: unknown, path: string[]): Record<string, unknown> =>
  path.reduce<unknown>((value, key) => Reflect.get(value as object, key), object) as Record<string, unknown>

describe('a right definition', () => {
  it('has no problem', () => {
    expect(broken(() => undefined)).toEqual([])
  })
})

describe('a malformed definition is told by line, cause and what to write', () => {
  it('a misspelled key', () => {
    const [problem, ...others] = broken((d) => {
      at(d, ['list']).colunms = ['serial']
    })
    expect(others).toEqual([])
    expect(problem).toMatchObject({
      message: 'unknown key `colunms` in `list`',
      hint: 'Did you mean `columns`?',
      source: '"colunms": [',
    })
  })

  it('the first twenty of many, each in a sentence that fits a page', () => {
    const problems = broken((d) => {
      for (let n = 0; n < 25; n++) at(d, [])[`key${n}${'x'.repeat(5000)}`] = 1
    })
    expect(problems).toHaveLength(21)
    expect(problems[20]?.message).toBe('and 5 more problems')
    expect(problems[0]?.message.length).toBeLessThan(2100)
  })

  it('more values than any table has columns, before they are compared with each other', () => {
    const [problem, ...others] = broken((d) => {
      for (let n = 0; n < 1500; n++) at(d, ['fields'])[`field_${n}`] = { type: 'tex' }
    })
    expect(others).toEqual([])
    expect(problem?.message).toContain('more than 3000 values')
  })

  it('a misspelled key of a field: one error, not one a kind', () => {
    const problems = broken((d) => {
      at(d, ['fields', 'serial']).requierd = true
    })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ hint: 'Did you mean `required`?', source: '"requierd": true' })
  })

  it('an unknown field kind', () => {
    const problems = broken((d) => {
      at(d, ['fields', 'serial']).type = 'txt'
    })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({
      message: 'unknown type `txt` of `serial`',
      hint: 'Did you mean `text`?',
    })
  })

  it('a field without a kind', () => {
    const problems = broken((d) => {
      delete at(d, ['fields', 'serial']).type
    })
    expect(problems[0]?.message).toBe('`serial` lacks `type`')
  })

  it('an unknown target', () => {
    const [problem] = broken((d) => {
      at(d, ['fields']).device_id = { type: 'relation', to: 'device' }
    })
    expect(problem).toMatchObject({ message: 'no resource `device`', hint: 'Did you mean `devices`?' })
  })

  it('a column, a sort, a title or a section that names no field', () => {
    const problems = broken((d) => {
      at(d, ['list']).columns = ['serail']
      at(d, ['list']).sort = 'status'
      Object.assign(d, { title: '{sreial}' })
      at(d, ['form', 'sections']).main = ['serial stats']
    })
    expect(problems.map(({ message }) => message)).toEqual([
      'no field `sreial`',
      'no field `serail`',
      'the list cannot sort by `status`',
      'no field `stats`',
    ])
  })

  it('a condition on a field or a variable that does not exist', () => {
    const problems = broken((d) => {
      at(d, ['fields', 'serial']).when = { staus: { _eq: 'active' } }
      at(d, ['fields', 'warranty']).check = { _gte: '$record.bougt_on' }
      at(d, ['fields', 'bought_on']).check = { _lte: '$nwo' }
    })
    expect(problems.map(({ hint }) => hint)).toEqual([
      'Did you mean `status`?',
      'Did you mean `bought_on`?',
      'Did you mean `$now`?',
    ])
  })

  it('a default outside the values, a name that is a word of the address, an action that does nothing', () => {
    const problems = broken((d) => {
      at(d, ['fields', 'status']).default = 'activ'
      at(d, ['fields']).page = { type: 'number' }
      Object.assign(d, { actions: { retire: { on: ['row'] } } })
    })
    expect(problems.map(({ message }) => message)).toEqual([
      'the default `activ` is not among the values',
      "`page` is a word of the list's address and cannot name a field",
      'the action does nothing',
    ])
  })

  it('a file that is no JSON', () => {
    const text = '{\n  "name": "printers",\n  "fields": {\n    "serial": { "type": "text" },\n  }\n}'
    expect(inspectSource('resources/printers.json', text)).toEqual([
      {
        file: 'resources/printers.json',
        line: 5,
        message: 'not JSON: one comma too many: remove the comma before `}`',
      },
    ])
  })

  it('a key that stands twice', () => {
    const text = '{\n"name": "a",\n"fields": { "x": { "type": "text" } },\n"name": "b"\n}'
    expect(inspectSource('a.json', text)[0]).toMatchObject({
      line: 4,
      message: expect.stringContaining('twice'),
    })
  })
})

describe('a definition among others', () => {
  const files = (...definitions: object[]) =>
    definitions.map((definition, index) => ({
      file: `resources/file${index}.json`,
      source: JSON.stringify(definition),
      definition: definition as Definition,
    }))
  const said = (...all: ReturnType<typeof files>) =>
    all.map(({ file, source }) => inspectSource(file, source, contextOf(all)).map(({ message }) => message))
  const relation = { name: 'cables', fields: { printer: { type: 'relation', to: 'printers' } } }

  it('is not judged by one that is broken', () => {
    const [broken, sound] = said(
      ...files({ name: 'printers', fields: { serial: { type: 'txt' } } }, relation),
    )
    expect(broken).toEqual(['unknown type `txt` of `serial`'])
    expect(sound).toEqual([])
    expect(said(...files(relation))).toEqual([['no resource `printers`']])
  })

  it('shares neither name nor address with another, and goes in no circle', () => {
    expect(
      said(...files(right, { ...right, name: 'printing', route: 'printers', singular: 'printing' })),
    ).toEqual([
      ['resources/file1.json has the path /printers too'],
      ['resources/file0.json has the path /printers too'],
    ])
    const waits = { type: 'text', when: { name: { _null: false } } }
    expect(said(...files({ name: 'cables', fields: { name: waits } }))[0]).toEqual([
      '`when` goes in a circle: name → name',
    ])
    expect(said(...files(right))).toEqual([[]])
  })
})

describe('json with positions', () => {
  it('reads what the built-in parser reads', () => {
    const text = '{"a":[1,-2.5e3,true,null,{"b":"\\u0131\\n"}],"":{},"c/d":[]}'
    expect(parseJsonSource(text).value).toEqual(JSON.parse(text))
  })

  it('refuses what the built-in parser refuses', () => {
    for (const text of ['', '{', '[1,]', '{"a" 1}', '01', '"a\nb"', '{"a":1}x', "{'a':1}", '+1', 'nul'])
      expect(() => parseJsonSource(text), text).toThrow(SourceError)
  })

  it('accepts and refuses what the built-in parser does, whatever was broken', () => {
    const valid = JSON.stringify(right, null, 2)
    const isValid = (parse: (text: string) => unknown, text: string) => {
      try {
        parse(text)
        return true
      } catch (error) {
        if (parse === parseJsonSource) expect(error).toBeInstanceOf(SourceError)
        return false
      }
    }
    const wrong = fc.constantFrom(
      '',
      '"',
      ',',
      '{',
      ']',
      ':',
      '\\',
      '\\u12',
      '\n',
      '\u0001',
      '\u00a0',
      '//',
      '0',
      '1e',
      '-',
    )
    fc.assert(
      fc.property(fc.nat(valid.length), fc.nat(2), wrong, (at, cut, text) => {
        const broken = valid.slice(0, at) + text + valid.slice(at + cut)
        expect(isValid(parseJsonSource, broken), broken).toBe(isValid(JSON.parse, broken))
      }),
      { numRuns: 500 },
    )
  })

  it('takes `__proto__` for the plain key it is', () => {
    const { value } = parseJsonSource('{"__proto__":{"x":1}}')
    expect(Object.keys(value as object)).toEqual(['__proto__'])
  })

  it('knows the line of a value, or of its parent', () => {
    const text = '{\n "a": {\n  "b": 1\n }\n}'
    const source = parseJsonSource(text)
    expect(lineOf(source, '/a/b')).toBe(3)
    expect(lineOf(source, '/a/missing')).toBe(2)
    expect(lineOf(source, '/nothing')).toBe(1)
  })
})

describe('did you mean', () => {
  it('counts a swap of neighbors as one step', () => {
    expect(distance('colunms', 'columns')).toBe(1)
    expect(distance('', 'abc')).toBe(3)
  })

  it('stays silent when nothing is near', () => {
    expect(didYouMean('xyz', ['columns', 'sort'])).toBeUndefined()
  })
})
