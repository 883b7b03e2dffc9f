import type { DefinitionProblem } from '@/resource/definition/entry'
import { readJson } from '../resource/read-text'
import { fileOf, type PolicyLine, rolesOf } from './lines'

const LANGUAGES = { en: 'English', tr: 'Turkish' } as const

/** Roles without a word in `locales/`. The console then shows the name of the role. */
export function roleWordProblems(root: string, lines: readonly PolicyLine[]): DefinitionProblem[] {
  return Object.entries(LANGUAGES).flatMap(([language, name]) => {
    const { _shared: shared } = readJson(root, `locales/${language}/resources.json`) as {
      _shared?: { values?: Record<string, unknown> }
    }
    return rolesOf(lines)
      .filter((role) => !shared?.values?.[role])
      .map((role) => ({
        file: `policies/${fileOf(role)}`,
        line: lines.find(({ cells }) => cells[1] === role)?.line ?? 1,
        message: `no ${name} word for the role \`${role}\``,
        hint: `Add \`_shared.values.${role}\` to locales/${language}/resources.json.`,
      }))
  })
}
