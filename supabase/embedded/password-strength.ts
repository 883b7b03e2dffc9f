import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEMO_PASSWORD } from './operations'
import { ROOT } from './root'

/** Why a password is too easy to guess; the names GoTrue gives in `weak_password.reasons`, and one of our own. */
export type WeakReason = 'pwned' | 'personal'

interface Owner {
  email: string
  name: string
}

/** The least number of characters that a password has beside its owner's name and address. */
const MIN_REST = 6
const MIN_WORD = 3
/** A word of the list, such as the "admin" of "admin123", that other digits and signs make no better. */
const MIN_STEM = 4
/** Digits and signs beside such a word. */
const MAX_AROUND = 8
/** Signs that repeat: fewer are a password too short, written twice. */
const MIN_UNIT = 8

// The most common passwords of at least 8 characters, one a line, most of them from the lists of zxcvbn (MIT).
const FILE = join(ROOT, 'supabase/embedded/common-passwords.txt')
let common: ReturnType<typeof readCommon> | undefined

/** `İSTANBUL` and `istanbul`, `Ayşe` and `ayse` are one guess. */
const folded = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ı', 'i')

/** The same few signs again and again: `abcdabcd` says no more than `abcd`. */
function unrepeated(text: string): string {
  for (let length = 1; length <= text.length / 2; length++)
    if (text.length % length === 0 && text === text.slice(0, length).repeat(text.length / length))
      return text.slice(0, length)
  return text
}

const SIGNS: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
}

/** Reads `p@ssw0rd` as the word that it stands for; digits at an end are left, as they are a year or a number. */
const unmasked = (text: string): string =>
  text.replace(/(?<=\p{L})[@4310!$5]+(?=\p{L})/gu, (signs) => [...signs].map((sign) => SIGNS[sign]).join(''))

/** The one word of a text, without digits and signs around it and its repetitions; null for several or none. */
function wordOf(text: string): string | null {
  const words = new Set(
    text
      .split(/[^\p{L}]+/u)
      .filter(Boolean)
      .map(unrepeated),
  )
  const [word = ''] = words
  return words.size === 1 && word.length >= MIN_STEM ? word : null
}

function readCommon() {
  const passwords = readFileSync(FILE, 'utf8').trim().split('\n')
  return {
    passwords: new Set(passwords),
    words: new Set(passwords.map(wordOf).filter((word) => word !== null)),
  }
}

function isCommon(password: string): boolean {
  common ??= readCommon()
  const { passwords, words } = common
  const text = folded(password)
  const bare = text.replace(/[^\p{L}\d]+/gu, '')
  // "Password1!" is the word with what a rule of complexity asks for.
  const long = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  if (new Set(text).size < 4 || (unrepeated(text) !== text && unrepeated(text).length < MIN_UNIT)) return true
  if ([text, bare, long, unmasked(long), unrepeated(text)].some((each) => passwords.has(each))) return true
  // A short word with a long number beside it is not guessed from a list.
  if (text.replace(/\p{L}/gu, '').length > MAX_AROUND) return false
  return [text, unmasked(text)].some((each) => words.has(wordOf(each) ?? ''))
}

/** Everybody can read it in our documentation; only the accounts of the demo data, and those of tests, may have it. */
function isPublished(password: string, { email }: Owner): boolean {
  if (/\.test$/.test(folded(email))) return false
  const bare = (text: string) => folded(text).replace(/[^\p{L}\d]+/gu, '')
  const [text, published] = [bare(password), bare(DEMO_PASSWORD)]
  return text.includes(published) && text.replaceAll(published, '').length < MIN_REST
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
  if (isCommon(password) || isPublished(password, owner)) return 'pwned'
  return isPersonal(password, owner) ? 'personal' : null
}
