import { describe, expect, it } from 'vitest'
import { patternProblem } from '@/resource/language/inspect/pattern'
import { explosivePart } from '@/resource/language/inspect/pattern-time'

describe('a pattern that freezes a browser', () => {
  it.each([
    ['^(a+)+$', '(a+)+'],
    ['^(a|a)*$', '(a|a)*'],
    ['^(\\w*)*x$', '(\\w*)*'],
    ['^([a-z0-9]+[.-]?)*$', '([a-z0-9]+[.-]?)*'],
    ['^(\\d+-?)+$', '(\\d+-?)+'],
    ['^(a|ab|b)*$', '(a|ab|b)*'],
    ['^([A-Z]{2}|[A-Z]{4})+$', '([A-Z]{2}|[A-Z]{4})+'],
    ['^x(?=(a+)+$)a', '(a+)+'],
    ['^(\\s*\\S*)*$', '(\\s*\\S*)*'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', '(([a-z])+.)+'],
    ['^(\\w{1,30}){1,20}$', '(\\w{1,30}){1,20}'],
    ['^(.*a){40}$', '(.*a){40}'],
    ['^[a-z]+@([a-z]+\\.?)+com$', '([a-z]+\\.?)+'],
  ])('%s is named by its part', (pattern, part) => {
    expect(explosivePart(pattern)).toBe(part)
  })

  it.each([
    '^a+$',
    '^(ab)+$',
    '^(a|b)*$',
    '^[a-z0-9]+([.-][a-z0-9]+)*$',
    '^(\\d+-)*\\d+$',
    '^([01]\\d|2[0-3]):[0-5]\\d$',
    '^-?\\d{1,10}(, ?-?\\d{1,10})*$',
    '^([0-9a-f]{2}:){5}[0-9a-f]{2}$',
    '^([0-9a-f]{64} ?)+$',
    '^(?:[A-Z]{2}-)?\\d{4,12}$',
    '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$',
    '^(https?://)?([a-z0-9-]{1,63}\\.)+[a-z]{2,}$',
    '^[A-Za-z_][A-Za-z0-9_]{0,39}$',
    '^(a*b)*$',
    '^(([a-z]{2}[0-9]?){8}-){8,}$',
    '^((25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.|$)){4}$',
  ])('%s takes no longer than its text', (pattern) => {
    expect(explosivePart(pattern)).toBeNull()
  })
})

describe('a pattern', () => {
  it.each([
    ['^[A-Z', /not a regular expression/],
    ['^[A-Z]{2}\\-\\d+$', /not a regular expression/],
    ['^\\p{L}+$', /`\\p\{L\}` of the pattern: PostgreSQL knows no Unicode/],
    ['^(?<year>\\d{4})$', /named groups/],
    ['\\bPRN\\b', /another character/],
    ['^.{1,300}$', /at most 255 times/],
    ['^[[.]$', /start of something else/],
    ['^\\x41b$', /hexadecimal/],
    ['', /empty/],
    ['^\\d{4}|\\d{6}$', /`\^` belongs to the first alternative only.*Write `\^\(\\d\{4\}\|\\d\{6\}\)\$`/],
  ])('%s is wrong, and it says why', (pattern, said) => {
    const problem = patternProblem(pattern)
    expect(`${problem?.message} ${problem?.hint}`).toMatch(said)
  })

  it.each([
    '^[A-Z]{2}-\\d{4}$',
    '^(?=.*\\d)[A-Z\\d]{8}$',
    '(?<=PRN-)\\d+',
    '^[\\[(?<x>]$',
    '^[A-Za-zÇĞİÖŞÜçğıöşü ]{1,255}$',
    '^\\u0041$',
    '^(\\d{4}|\\d{6})$',
    '^\\d{4}$|^\\d{6}$',
    'https?:|ftp:',
  ])('%s is right', (pattern) => {
    expect(patternProblem(pattern)).toBeNull()
  })
})
