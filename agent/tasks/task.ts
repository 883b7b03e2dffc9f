import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isRecord } from '../files'
import { measure } from '../inventory/metrics'
import { checkMonitor } from '../monitors/check-monitor'
import { type Monitor, toMonitors } from '../monitors/monitor'
import type { PatchName } from '../patches/patch'
import { patchSource } from '../patches/source'
import { awaitUpdate } from './agent-update'
import { run, runAll, say } from './command'
import { type CorporateApp, installCorporateApp, removeCorporateApp } from './corporate-app'
import { packageManagers } from './package-managers'

type AppAct = 'install' | 'update' | 'remove'

/** A task for the agent itself; the script of a job of type Agent, as JSON. */
export type Task =
  | { task: 'inventory' | 'reboot' | 'shut_down' | 'scan_patches' | 'install_patches' }
  | {
      task: 'app'
      act: AppAct
      name: string
      ids: Partial<Record<'apt' | 'winget' | 'choco' | 'brew', string>>
    }
  | { task: 'corporate_app'; app: CorporateApp; isForced: boolean }
  | { task: 'remove_corporate_app'; app: CorporateApp }
  | { task: 'check_monitor'; monitor: Monitor }
  | { task: 'update_agent'; version: string }

const SIMPLE = ['inventory', 'reboot', 'shut_down', 'scan_patches', 'install_patches'] as const
const ACTS = ['install', 'update', 'remove'] as const
const MANAGERS = ['apt', 'winget', 'choco', 'brew'] as const

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const codes = (value: unknown): number[] =>
  text(value)
    .split(',')
    .map((code) => code.trim())
    .filter(Boolean)
    .map(Number)

/** Reads a task; null when this agent does not know it: the console may be newer. */
export function toTask(script: string): Task | null {
  let value: unknown
  try {
    value = JSON.parse(script)
  } catch {
    return null
  }
  if (!isRecord(value)) return null
  const simple = SIMPLE.find((task) => task === value.task)
  if (simple) return { task: simple }
  if (value.task === 'update_agent') return { task: 'update_agent', version: text(value.version) }
  if (value.task === 'check_monitor') {
    const [monitor] = toMonitors([value.monitor])
    return monitor ? { task: 'check_monitor', monitor } : null
  }
  if (value.task === 'app') {
    const act = ACTS.find((each) => each === value.act)
    const ids = isRecord(value.ids) ? value.ids : {}
    if (!act) return null
    return {
      task: 'app',
      act,
      name: text(value.name),
      // An id that begins with a dash would be an option.
      ids: Object.fromEntries(
        MANAGERS.flatMap((manager) => {
          const id = text(ids[manager])
          return /^[A-Za-z0-9]/.test(id) ? [[manager, id]] : []
        }),
      ),
    }
  }
  if ((value.task === 'corporate_app' || value.task === 'remove_corporate_app') && isRecord(value.app)) {
    const { app } = value
    const corporate: CorporateApp = {
      name: text(app.name),
      package_version: text(app.package_version),
      platform: text(app.platform),
      source_url: text(app.source_url),
      file_name: text(app.file_name),
      sha256: text(app.sha256),
      install_arguments: text(app.install_arguments),
      detection_rule: text(app.detection_rule),
      success_codes: codes(app.success_codes),
      reboot_codes: codes(app.reboot_codes),
    }
    if (value.task === 'remove_corporate_app') return { task: value.task, app: corporate }
    if (!/^https?:/.test(corporate.source_url) && !text(app.file_id)) return null
    return { task: value.task, app: corporate, isForced: value.is_forced === true }
  }
  return null
}

/** In a minute: by then the result of this run has reached the console. */
function power(act: 'reboot' | 'shut_down'): Promise<number> {
  const words = act === 'reboot' ? 'restarts' : 'shuts down'
  say(`This device ${words} in one minute.`)
  const flag = act === 'reboot' ? 'r' : process.platform === 'win32' ? 's' : 'h'
  const message = `Your administrator asked for it. This device ${words} in one minute.`
  return run(
    process.platform === 'win32'
      ? { file: 'shutdown', args: [`/${flag}`, '/t', '60', '/c', message] }
      : { file: 'shutdown', args: [`-${flag}`, '+1', message] },
  )
}

async function changeApp(task: Extract<Task, { task: 'app' }>): Promise<number> {
  const managers = await packageManagers()
  const manager = managers.find(({ name }) => task.ids[name])
  const id = manager && task.ids[manager.name]
  if (!manager || !id) {
    const known = managers.map(({ name }) => name).join(' or ') || 'any package manager of this device'
    say(`${task.name} cannot be installed here: the app store has no package of it for ${known}.`)
    return 1
  }
  return runAll(manager[task.act](id))
}

function wantedPatches(env: NodeJS.ProcessEnv): PatchName[] {
  try {
    const value: unknown = JSON.parse(env.PARAM_PATCHES ?? '[]')
    return (Array.isArray(value) ? value : [])
      .filter(isRecord)
      .map(({ title, kb_number }) => ({ title: text(title), kb_number: text(kb_number) }))
      .filter(({ title }) => /^[^-\s]/.test(title))
  } catch {
    return []
  }
}

/** Does what a job of type Agent asks, with its output on stdout; returns the exit code of the run. */
export async function runTask(file: string): Promise<number> {
  const task = toTask(readFileSync(file, 'utf8'))
  if (!task) {
    say('This agent does not know how to do this. Update the agent.')
    return 1
  }
  try {
    return await perform(task, file)
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    return 1
  }
}

const CPU_MS = 2_000

/** Runs a check that neither restarts a service nor changes a state. */
async function tryMonitor(monitor: Monitor): Promise<number> {
  const finding = await checkMonitor({ ...monitor, restart: false }, async () => {
    // The load of the processors is that between two measures.
    await measure()
    await new Promise((done) => setTimeout(done, CPU_MS))
    return measure()
  })
  const { isFailing, message } = finding
  if (isFailing === null) say(`This device cannot make this check: ${message}`)
  else say(isFailing ? `Failing: ${message}` : 'OK')
  return isFailing === false ? 0 : 1
}

async function perform(task: Task, file: string): Promise<number> {
  switch (task.task) {
    case 'inventory':
      say('The agent reads the inventory again and sends what changed.')
      return 0
    case 'reboot':
    case 'shut_down':
      return power(task.task)
    case 'check_monitor':
      return tryMonitor(task.monitor)
    case 'update_agent':
      // The file is in <data directory>/work/<run>/files.
      return awaitUpdate(task.version, resolve(dirname(file), '../../..'))
    case 'app':
      return changeApp(task)
    case 'corporate_app':
      // <data directory>/work/<run>/files/<script>
      return installCorporateApp(task.app, resolve(file, '../../../..'), task.isForced)
    case 'remove_corporate_app':
      return removeCorporateApp(task.app, resolve(file, '../../../..'))
    default: {
      const source = patchSource()
      if (!source) {
        say('The agent knows no way to find updates on this system.')
        return 1
      }
      if (task.task === 'install_patches') return source.install(wantedPatches(process.env))
      const code = await source.refresh()
      const report = code === 0 ? await source.scan() : null
      if (report) {
        for (const { title, kb_number, severity } of report.missing)
          say(`${title} ${kb_number} (${severity})`)
        say(`${report.missing.length} missing ${report.missing.length === 1 ? 'update' : 'updates'}.`)
      }
      return report ? 0 : code || 1
    }
  }
}
