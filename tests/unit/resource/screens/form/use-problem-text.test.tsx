// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { FieldProblem } from '@/resource/fields/kind-interface'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { useProblemText } from '@/resource/screens/form/use-problem-text'
import { render } from '../../../../support/render'

afterEach(cleanup)

const definition: Definition = {
  name: 'visits',
  fields: {
    day: { type: 'date' },
    names: {
      type: 'rows',
      fields: {
        name: { type: 'text', pattern: '^[a-z]+$', message: { en: 'Use small letters.' } },
        code: { type: 'text', pattern: '^\\d+$' },
      },
    },
  },
}

function Text({ problem, field }: { problem: FieldProblem; field: string }) {
  return <p>{useProblemText(definition, useWords(definition))(problem, field)}</p>
}

const texts: [string, FieldProblem, string, RegExp][] = [
  ['a moment of now', { key: '_gt', values: { value: '$now' } }, 'day', /^Must be in the future\.$/],
  ['a moment from now', { key: '_lte', values: { value: '$now+7d' } }, 'day', /^Must not be after .*20\d\d/],
  [
    'a rule of an inner field in its own words',
    { key: 'pattern', values: { row: 2, column: 'name' } },
    'names',
    /^Row 2, Name: Use small letters\.$/,
  ],
  [
    'another in general words',
    { key: 'pattern', values: { row: 1, column: 'code' } },
    'names',
    /^Row 1, Code: .*format/,
  ],
]

it.each(texts)('tells %s', async (_name, problem, field, text) => {
  await render(<Text problem={problem} field={field} />)
  expect(screen.getByText(text)).toBeTruthy()
})
