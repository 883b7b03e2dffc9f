import { LANGUAGES } from '@/i18n/language'
import type { DefinitionProblem } from '@/resource/language/entry'
import { readJson } from '../resource/read-text'
import { LANGUAGE_NAMES, SHARED, wordAt, wordFile } from '../resource/word-files'
import { fileOf, type PolicyLine, rolesOf } from './lines'

/** Roles without a word in `locales/`. The console then shows the name of the role. */
export function roleWordProblems(root: string, lines: readonly PolicyLine[]): DefinitionProblem[] {
  return LANGUAGES.flatMap((language) => {
    const file = wordFile(language, SHARED)
    const shared = readJson(root, file)
    return rolesOf(lines)
      .filter((role) => !wordAt(shared, ['values', role]))
      .map((role) => ({
        file: `policies/${fileOf(role)}`,
        line: lines.find(({ cells }) => cells[1] === role)?.line ?? 1,
        message: `no ${LANGUAGE_NAMES[language]} word for the role \`${role}\``,
        hint: `Add \`values.${role}\` to ${file}.`,
      }))
  })
}
