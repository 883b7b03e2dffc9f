import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './root'

/** Why a password is too easy to guess; the names GoTrue gives in `weak_password.reasons`, and one of our own. */
export type WeakReason = 'pwned' | 'personal'

interface Owner {
  email: string
  name: string
}

/** What must be left of a password without its owner's name and address. */
const MIN_REST = 6
const MIN_WORD = 3

// The most common passwords of at least 8 characters, one a line, most of them from the lists of zxcvbn (MIT).
const FILE = join(ROOT, 'supabase/embedded/common-passwords.txt')
let common: Set<string> | undefined

/** `İSTANBUL` and `istanbul`, `Ayşe` and `ayse` are one guess. */
const folded = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ı', 'i')

function isCommon(password: string): boolean {
  common ??= new Set(readFileSync(FILE, 'utf8').trim().split('\n'))
  const text = folded(password)
  // "Password1!" is the word with what a rule of complexity asks for.
  const word = text.replace(/^[^a-z]+|[^a-z]+$/g, '')
  const isRepeated = new Set(text).size < 4
  return isRepeated || common.has(text) || common.has(word)
}

function isPersonal(password: string, { email, name }: Owner): boolean {
  const words = `${folded(email)} ${folded(name)}`
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length >= MIN_WORD)
  const text = folded(password)
  let rest = text
  for (const word of words.sort((a, b) => b.length - a.length)) rest = rest.replaceAll(word, '')
  return rest !== text && rest.replace(/[^a-z0-9]/g, '').length < MIN_REST
}

/** The first reason to refuse a password; null for none. Its length is judged elsewhere. */
export function weakReason(password: string, owner: Owner): WeakReason | null {
  if (isCommon(password)) return 'pwned'
  return isPersonal(password, owner) ? 'personal' : null
}
