import { expect, it } from 'vitest'
import { endOf, readRun } from './support/console'
import { until } from './support/machine'
import { backend, device, firstOf, openSite, withPython } from './support/site'

openSite()

withPython('a script that goes on', () => {
  it('shows what it has printed while it runs, without its secrets, and all of it when it has ended', async () => {
    const { queue } = await device()
    const runId = firstOf(
      await queue({
        type: 'Bash',
        // The secret is printed in two halves, with a pause in which the agent sends what there is.
        text: 'echo first; half() { echo "$PARAM_PASSWORD" | cut -d- -f "$1"; }; printf "it is %s" "$(half 1)"; sleep 6; echo "-$(half 2)"; echo last',
        parameters: {},
        secrets: { Password: 'correct-horse' },
      }),
    )
    const printed = await until('it shows its first line', async () => {
      const run = await readRun(backend, runId)
      return run.output ? run : null
    })
    expect(printed).toMatchObject({ status: 'running', output: 'first\nit is ' })
    const run = await until('it has ended', endOf(backend, runId))
    expect(run).toMatchObject({ status: 'succeeded', output: 'first\nit is ***\nlast\n' })
  })
})
