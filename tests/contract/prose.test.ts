import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Words that are wrong wherever they occur, and what to write instead. */
const WORDS: [wrong: RegExp, instead: string][] = [
  [/\bconst (?:MOST|LEAST|FEWEST)\b|\bconst (?:MOST|FEWEST)_/, 'MAX_: a limit is a maximum'],
  [/(?<!there )\bis none\b/, 'is missing, is not one, or null: "none" has nothing to refer to'],
  [/\bstands? (?:as|at|below|beside|between|by|for itself|in|there|under)\b/, 'is: things do not stand'],
  [/\bAs usual\b/, 'Reset to default'],
  [/\bput (?:this|it) right\b/, 'correct, fix'],
  [/licence/i, 'license: the spelling is American'],
  [/catalogue/i, 'catalog'],
  [/colour/i, 'color'],
  [/neighbour/i, 'neighbor'],
  [/behaviour/i, 'behavior'],
  [/\benrols?\b|enrolment/i, 'enroll, enrollment'],
  // Quotes, a colon and a dot are left out: `'cancelled'` is a status of the database.
  [/(?<!['"._])\bcancelled\b(?!['":])/, 'canceled'],
  [/\bmisspelt\b|\bwhilst\b|\bgrey\b|\bfulfil\b|\blabelled\b/i, 'American spelling'],
  [
    /\b(?:organ|recogn|normal|initial|serial|summar|synchron|custom|author|minim|maxim|capital)is(?:e|es|ed|ing)\b/i,
    '-ize',
  ],
]

/** Generated, or worded by others; this list and the word list contain the words. */
const IGNORED =
  /^(?:package-lock\.json|src\/data\/database\.types\.ts|tests\/contract\/prose\.test\.ts|docs\/resources\.md|resources\/resource\.schema\.json)|\.generated\.ts$|\/generated\/|\.(?:png|ico|xlsx|zip|gz|woff2)$/

const FILES = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:css|csv|html|json|md|mjs|sh|sql|tsx?)$/.test(file) && !IGNORED.test(file))

/** Where every comment is a sentence with a subject. */
const TOLD =
  /^(?:(?:agent|scripts|src|supabase\/embedded|tests)\/.*\.(?:css|mjs|sh|tsx?)|supabase\/schemas\/.*\.sql)$/
const FRAGMENT =
  /^\s*(?:\/\/|\*|--|\/\*\*|\{\/\*)\s*(?:What|Who|Whose|Those|Its|Of|One|As far as|Also|None|By|Without)\b/

describe('a comment', () => {
  it('begins with its subject, not with a pronoun or a fragment', () => {
    const found = FILES.filter((file) => TOLD.test(file)).flatMap((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n')
      // A line that continues a sentence may begin with any word.
      const isNew = (index: number) => !/^\s*(?:\/\/|\*|--) [^.:]*$/.test(lines[index - 1] ?? '')
      return lines.flatMap((line, index) =>
        FRAGMENT.test(line) && isNew(index) ? [`${file}:${index + 1} ${line.trim()}`] : [],
      )
    })
    expect(found, 'Write a sentence with a subject that says why, or delete the comment.').toEqual([])
    expect(FRAGMENT.test('  // One lookup for a check-in')).toBe(true)
  })
})

describe('comments, texts and names', () => {
  it.each(WORDS)('do not contain %s', (wrong, instead) => {
    const found = FILES.flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          wrong.test(line) ? [`${file}:${index + 1} ${line.trim()} (write: ${instead})`] : [],
        ),
    )
    expect(found).toEqual([])
  })
})
