import type { Action, ActionImpl } from '@refinedev/kbar'
import type { ReactNode } from 'react'
import { fold } from '@/i18n/fold'

export const COMMAND_GROUPS = ['record', 'screens', 'views', 'create', 'settings', 'company'] as const
export type CommandGroup = (typeof COMMAND_GROUPS)[number]

export interface Command {
  key: string
  group: CommandGroup
  label: string
  /** A description in smaller type; a match in it ranks below every name. */
  detail?: string
  /** Other names of the command, one per line. They rank just below the label. */
  keywords?: string
  icon: ReactNode
  run: () => void
}

export interface MatchedGroup {
  group: CommandGroup
  commands: Command[]
}

/** Matched by name, and only by description. */
interface MatchedCommands {
  byName: MatchedGroup[]
  byDetail: MatchedGroup[]
}

/**
 * The number of commands per group before anything is typed: there may be a thousand companies, and many
 * views.
 */
const MAX_UNASKED: Partial<Record<CommandGroup, number>> = { company: 5, views: 0 }
const MAX_FOUND = 6

/** The words of a search, folded: case and accents do not count. */
export function searchWords(text: string): string[] {
  return fold(text).split(/\s+/).filter(Boolean)
}

export function holdsWords(text: string, words: readonly string[]): boolean {
  const folded = fold(text)
  return words.every((word) => folded.includes(word))
}

function distanceIn(name: string, words: readonly string[]): number {
  const text = words.join(' ')
  const first = words[0] ?? ''
  if (name === text) return 0
  if (name.startsWith(text)) return 1
  if (` ${name}`.includes(` ${first}`)) return 2
  return name.includes(first) ? 3 : 4
}

/** How well a command's names match: smaller is better, null is no match. */
function nameDistance({ label, keywords = '' }: Command, words: readonly string[]): number | null {
  if (!holdsWords(`${label} ${keywords}`, words)) return null
  const others = keywords.split('\n').map((name) => distanceIn(fold(name), words) + 0.5)
  return Math.min(distanceIn(fold(label), words), ...others)
}

function inGroups(pick: (group: CommandGroup) => Command[]): MatchedGroup[] {
  return COMMAND_GROUPS.map((group) => ({ group, commands: pick(group) })).filter(
    ({ commands }) => commands.length > 0,
  )
}

/** The commands that hold every word: groups and commands by their nearest name, otherwise in their own order. */
export function matchCommands(commands: readonly Command[], text: string): MatchedCommands {
  const words = searchWords(text)
  const ofGroup = (group: CommandGroup) => commands.filter((command) => command.group === group)
  if (words.length === 0)
    return { byName: inGroups((group) => ofGroup(group).slice(0, MAX_UNASKED[group])), byDetail: [] }
  const distances = new Map(commands.map((command) => [command, nameDistance(command, words)]))
  const far = (command: Command) => distances.get(command) ?? Number.POSITIVE_INFINITY
  const nearest = ({ commands: [first] }: MatchedGroup) => (first ? far(first) : Number.POSITIVE_INFINITY)
  return {
    byName: inGroups((group) =>
      ofGroup(group)
        .filter((command) => distances.get(command) !== null)
        .sort((a, b) => far(a) - far(b))
        .slice(0, MAX_FOUND),
    ).sort((a, b) => nearest(a) - nearest(b)),
    byDetail: inGroups((group) =>
      ofGroup(group)
        .filter((command) => distances.get(command) === null)
        .filter(({ label, detail = '', keywords = '' }) =>
          holdsWords(`${label} ${detail} ${keywords}`, words),
        )
        .slice(0, MAX_FOUND),
    ),
  }
}

interface CommandAction extends Action {
  /** kbar's `section` would become a keyword of the command. */
  group: CommandGroup
}

/** A command as kbar registers it. */
export function toAction({ key, group, label, detail, keywords, icon, run }: Command): CommandAction {
  return { id: key, group, name: label, subtitle: detail, keywords, icon, perform: run } as CommandAction
}

/** Turns a registered action into a command; a plain action of `createAction` is listed with the pages. */
export function toCommand(action: ActionImpl): Command {
  const { id, name, subtitle, keywords, icon, perform } = action
  return {
    key: id,
    group: (action as Partial<CommandAction>).group ?? 'screens',
    label: name,
    ...(subtitle === undefined ? {} : { detail: subtitle }),
    keywords,
    icon,
    run: () => perform?.(action),
  }
}
