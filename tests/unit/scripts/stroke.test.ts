import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runAlone, Stroke } from '../../../scripts/resource/stroke'
import { commandFolder, isInterrupted, settleBeforeStart } from '../../../supabase/embedded/command-journal'
import { NoAnswerError } from '../../../supabase/embedded/control'

describe('a stroke', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'konsol-stroke-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('writes all of it, or after undo nothing', () => {
    writeFileSync(join(folder, 'old'), 'before')
    const stroke = new Stroke(folder)
    stroke.write('old', 'after')
    stroke.write('new', 'text')
    expect(stroke.told()).toEqual(['wrote old', 'wrote new'])
    stroke.undo()
    expect(readdirSync(folder).filter((name) => name !== 'supabase')).toEqual(['old'])
    expect(readFileSync(join(folder, 'old'), 'utf8')).toBe('before')
  })

  const file = (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null
  const alone = (command: () => Promise<void>, apply: () => Promise<unknown> = async () => null) =>
    runAlone(folder, { apply, say: (line) => void told.push(line), command })
  const told: string[] = []

  it('goes back when its command was killed before the database was asked', async () => {
    writeFileSync(join(folder, 'old'), 'before')
    new Stroke(folder).write('old', 'half')
    expect(isInterrupted(folder)).toBe(true)
    await alone(async () => expect([file('old'), isInterrupted(folder)]).toEqual(['before', false]))
    expect(told.at(-1)).toContain('Its files are as they were: old')
    await alone(async () => expect(file('old')).toBe('before'))
    expect(told).toHaveLength(1)
  })

  it('is completed when its command was killed afterwards', async () => {
    const stroke = new Stroke(folder)
    stroke.write('migration', 'sql')
    const killed = stroke.apply(
      () => new Promise(() => undefined),
      () => stroke.write('definition', 'json'),
    )
    void killed
    expect(file('definition')).toBeNull()
    let applied = 0
    await alone(
      async () => expect([file('migration'), file('definition'), applied]).toEqual(['sql', 'json', 1]),
      async () => applied++,
    )
    expect(told.at(-1)).toContain('It is completed now: migration, definition')
  })

  it('is completed by the next command when the server gave no answer', async () => {
    const lost = alone(async () => {
      const stroke = new Stroke(folder)
      stroke.write('migration', 'sql')
      try {
        await stroke.apply(
          () => Promise.reject(new NoAnswerError('fetch failed')),
          () => stroke.write('definition', 'json'),
        )
      } catch (error) {
        stroke.undo(error)
        throw error
      }
    })
    await expect(lost).rejects.toThrow(/fetch failed\n +The database may have the change already/)
    expect([file('migration'), file('definition')]).toEqual(['sql', null])
    await alone(async () => expect([file('migration'), file('definition')]).toEqual(['sql', 'json']))
  })

  it('is settled by a server that starts, before its migrations are applied', async () => {
    const lines: string[] = []
    const start = () => settleBeforeStart(folder, (line) => lines.push(line))
    new Stroke(folder).write('migration', 'sql')
    start()
    expect([file('migration'), lines.at(-1)]).toEqual([
      null,
      expect.stringContaining('was undone: migration'),
    ])

    const stroke = new Stroke(folder)
    stroke.write('migration', 'sql')
    void stroke.apply(
      () => new Promise(() => undefined),
      () => stroke.write('definition', 'json'),
    )
    // The migration is applied, or refused; killed before, the next start does the same.
    const ways = [start(), start()]
    expect([file('migration'), file('definition')]).toEqual(['sql', 'json'])
    expect(lines).toHaveLength(1)
    ways[1]?.applied()
    expect(lines.at(-1)).toContain('was completed: migration, definition')
    expect(start()).toBeNull()
    expect(lines).toHaveLength(2)

    const refused = new Stroke(folder)
    refused.write('refused', 'sql')
    void refused.apply(
      () => new Promise(() => undefined),
      () => refused.write('definition', 'wrong'),
    )
    start()?.refused()
    expect([file('refused'), file('definition')]).toEqual([null, 'json'])
    expect(lines.at(-1)).toContain('because the database refused its migration. Start again: refused')
    expect(start()).toBeNull()

    // The lock of a command in another process.
    new Stroke(folder).write('other', 'sql')
    writeFileSync(join(commandFolder(folder), 'lock'), `${process.ppid}\n`)
    expect(start).toThrow(`(process ${process.ppid}) is changing this project`)
    expect(file('other')).toBe('sql')
  })

  it('leaves what was edited after its command was killed, and keeps the other version aside', async () => {
    writeFileSync(join(folder, 'lines'), 'before')
    writeFileSync(join(folder, 'words'), 'before')
    const undone = new Stroke(folder)
    undone.write('lines', 'half')
    undone.write('migration', 'sql')
    writeFileSync(join(folder, 'lines'), 'half, edited')
    await alone(async () => undefined)
    expect([file('lines'), file('migration')]).toEqual(['half, edited', null])
    const aside = (name: string) => `supabase/.temp/resource-command/${name}`
    expect(told.slice(-2)).toEqual([
      expect.stringContaining('Its files are as they were'),
      expect.stringMatching(`lines was edited since.*${aside('lines')}`),
    ])
    expect(file(aside('lines'))).toBe('before')

    const completed = new Stroke(folder)
    completed.write('migration', 'sql')
    void completed.apply(
      () => new Promise(() => undefined),
      () => {
        completed.write('words', 'after')
        completed.write('definition', 'json')
      },
    )
    writeFileSync(join(folder, 'words'), 'before, edited')
    const lines: string[] = []
    settleBeforeStart(folder, (line) => lines.push(line))?.applied()
    expect([file('words'), file('definition')]).toEqual(['before, edited', 'json'])
    expect(lines.at(-1)).toContain(aside('words'))
    expect(file(aside('words'))).toBe('after')
  })

  it('leaves what was edited while its command ran, and settles a write that was cut off', async () => {
    writeFileSync(join(folder, 'words'), 'before')
    const stroke = new Stroke(folder)
    await stroke.apply(
      async () => writeFileSync(join(folder, 'words'), 'edited'),
      () => stroke.write('words', 'after'),
    )
    expect(file('words')).toBe('edited')
    expect(stroke.told().at(-1)).toContain('words was edited since')
    new Stroke(folder).write('words', 'half')
    writeFileSync(join(folder, 'words.new'), 'ha')
    await alone(async () => expect([file('words'), file('words.new')]).toEqual(['edited', null]))
  })

  it('writes nothing of the rest when the database refuses', async () => {
    const stroke = new Stroke(folder)
    const refused = stroke.apply(
      () => Promise.reject(new Error('no')),
      () => stroke.write('definition', 'json'),
    )
    await expect(refused).rejects.toThrow('no')
    const error = new Error('no')
    writeFileSync(join(folder, 'definition'), 'own')
    stroke.undo(error)
    expect([file('definition'), error.message]).toEqual(['own', 'no'])
  })

  it('runs alone: a second command says which one runs', async () => {
    await alone(async () => {
      await expect(alone(async () => undefined)).rejects.toThrow(
        `(process ${process.pid}) is changing this project`,
      )
    })
    await alone(async () => undefined)
  })
})
