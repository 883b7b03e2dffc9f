import { startPostgres } from '../support/postgres'
import { makeCopy } from './support/copy'
import { changeAccess, changeFields } from './support/life/access'
import { removeAll, renameAll } from './support/life/ends'
import { arrange, found } from './support/life/found'
import { keepRelations, keepWritten } from './support/life/relations'
import { keepRules } from './support/life/rules'
import { changeLists, changeWords } from './support/life/screens'
import { openStage } from './support/life/stage'
import { openOther } from './support/subjects'
import { ACCOUNTS, expect, test } from './support/test'

// An administrator's year with resources of their own, by commands and a text editor, while others look.
// It takes a quarter of an hour: only with THOROUGH=1.

type Home = 'dev' | 'start' | 'postgres'
const HOMES: readonly Home[] = process.env.THOROUGH === '1' ? ['dev', 'start', 'postgres'] : []
const STACK = /^\s+at .+:\d+:\d+\)?$/m

for (const home of HOMES)
  test(`five resources live a whole life: ${home}`, async ({ browser }) => {
    test.setTimeout(1_800_000)
    const postgres = home === 'postgres' ? await startPostgres() : null
    const copy = await makeCopy(postgres ? { DATABASE_URL: postgres.url } : {})
    try {
      const url = await (home === 'dev'
        ? copy.start('dev')
        : copy.start('start', ...(postgres ? ['--demo'] : [])))
      const open = (language: 'en' | 'tr') =>
        openOther(browser, url, ACCOUNTS.teknik, { language, at: '/groups' })
      const viewer = await open('en')
      const stage = await openStage(copy, url, viewer)
      const { truck } = await found(stage)
      await arrange(stage)
      await changeLists(stage)
      await keepRules(stage)
      await keepRelations(stage, truck)
      await keepWritten(stage)
      await changeFields(stage, truck)
      await changeWords(stage, await open('tr'))
      await changeAccess(stage, url, truck)
      await renameAll(stage)
      await removeAll(stage)
      if (STACK.test(copy.log())) stage.findings.push(`a stack trace in the server's log:\n${copy.log()}`)
      report(home, stage)
      expect(stage.findings).toEqual([])
    } finally {
      await copy.remove()
      await postgres?.stop()
    }
  })

function report(home: Home, { steps, seconds, told }: Awaited<ReturnType<typeof openStage>>): void {
  const sorted = seconds.map((each) => each.seconds).sort((a, b) => a - b)
  const slowest = seconds.find((each) => each.seconds === sorted.at(-1))
  console.log(
    `${home}: ${steps} steps, seen ${sorted.length} times; median ${sorted[sorted.length >> 1]} s, slowest ${slowest?.seconds} s (${slowest?.what})`,
  )
  for (const line of told) console.log(line)
}
