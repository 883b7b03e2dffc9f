import type { Action, ActionImpl } from '@refinedev/kbar'
import type { Command, CommandGroup } from '@/app/palette/commands'

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
