import { readFileSync } from 'node:fs'
import { resourceWords } from '../../support/resource-words'
import type { Language } from './test'

type Words = { [key: string]: string | Words }
type Values = Record<string, string | number>

/** `say('bulk:edit', { count: 3 })`: what the console says in a language, from the words it ships. */
export function sayer(language: Language): (key: string, values?: Values) => string {
  const files = new Map<string, Words>()
  const fileOf = (name: string): Words => {
    const known =
      files.get(name) ??
      (name === 'resources'
        ? (resourceWords(language) as Words)
        : (JSON.parse(readFileSync(`locales/${language}/${name}.json`, 'utf8')) as Words))
    files.set(name, known)
    return known
  }
  return (key, values = {}) => {
    const [file = '', path = ''] = key.split(':')
    const rule = new Intl.PluralRules(language).select(Number(values.count ?? 0))
    let found: string | Words | undefined = fileOf(file)
    for (const part of path.split('.')) {
      if (typeof found !== 'object') break
      const plural: string | Words | undefined = found[`${part}_${rule}`] ?? found[`${part}_other`]
      found = found[part] ?? plural
    }
    if (typeof found !== 'string') throw new Error(`No words for ${key} in ${language}`)
    return found.replace(/\{\{(\w+)[^}]*\}\}/g, (_all, name: string) => String(values[name]))
  }
}
