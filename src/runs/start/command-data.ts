import type { TableRow } from '@/data/database'
import { platformLimit, type Target } from '@/runs/targets/targets'

export const COMMAND_TYPES = ['CMD', 'PowerShell', 'Python', 'Bash'] as const

type CommandType = (typeof COMMAND_TYPES)[number]

/** A day, in seconds. */
export const MAX_TIMEOUT = 86_400

export interface Command {
  type: CommandType
  command: string
  timeout_seconds: number
  /** The name of the job; null for the command's first line. */
  name: string | null
}

export type SavedCommand = Pick<
  TableRow<'saved_commands'>,
  'id' | 'name' | 'command' | 'timeout_seconds' | 'platforms' | 'company_id'
> & { type: CommandType }

export const SAVED_COMMAND = 'id,name,type,command,timeout_seconds,platforms,company_id'

/** A job's name for the type: what Windows runs as a command is a batch file. */
export const scriptTypeOf = (type: CommandType): string => (type === 'CMD' ? 'Batch' : type)

/** The type that a form begins with: PowerShell, or Bash where all chosen devices run that and none of them PowerShell. */
export function initialType(devices: readonly Pick<Target, 'platform'>[]): CommandType {
  const unix = platformLimit({ type: 'Bash' }) ?? []
  const isUnix = devices.length > 0 && devices.every(({ platform }) => unix.some((each) => each === platform))
  return isUnix ? 'Bash' : 'PowerShell'
}
