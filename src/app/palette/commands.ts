import type { ReactNode } from 'react'
import { fold } from '@/i18n/fold'

export const COMMAND_GROUPS = ['record', 'screens', 'create', 'settings', 'company'] as const
export type CommandGroup = (typeof COMMAND_GROUPS)[number]

export interface Command {
  key: string
  group: CommandGroup
  label: string
  /** What it is about, in smaller print. */
  detail?: string
  /** Further words it is found by. */
  keywords?: string
  icon: ReactNode
  run: () => void
}

interface MatchedGroup {
  group: CommandGroup
  commands: Command[]
}

/** Companies may be a thousand: they are offered by name, not to be leafed through. */
const MOST_UNASKED: Partial<Record<CommandGroup, number>> = { company: 5 }
const MOST_FOUND = 6

/** How well a command answers to the words: the smaller the better, null where it does not. */
function distance({ label, detail, keywords }: Command, words: readonly string[]): number | null {
  const name = fold(label)
  const all = `${name} ${fold(detail ?? '')} ${fold(keywords ?? '')}`
  if (!words.every((word) => all.includes(word))) return null
  const first = words[0] ?? ''
  if (name.startsWith(first)) return 0
  if (` ${name}`.includes(` ${first}`)) return 1
  return name.includes(first) ? 2 : 3
}

/** The commands that hold every word, whatever its case and accents, in groups; the nearest first. */
export function matchCommands(commands: readonly Command[], text: string): MatchedGroup[] {
  const words = fold(text).split(/\s+/).filter(Boolean)
  return COMMAND_GROUPS.flatMap((group) => {
    const own = commands.filter((command) => command.group === group)
    const matched =
      words.length === 0
        ? own.slice(0, MOST_UNASKED[group])
        : own
            .flatMap((command) => {
              const far = distance(command, words)
              return far === null ? [] : [{ command, far }]
            })
            .sort((a, b) => a.far - b.far)
            .slice(0, MOST_FOUND)
            .map(({ command }) => command)
    return matched.length > 0 ? [{ group, commands: matched }] : []
  })
}
