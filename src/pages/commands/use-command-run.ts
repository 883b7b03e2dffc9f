import { useNotification } from '@refinedev/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useErrorText } from '@/resource/use-error-text'
import type { Command } from '@/runs/start/command-data'
import { useRunCall } from '@/runs/start/run-call'
import type { TargetCall } from '@/runs/targets/target-picker'
import { useSingleCall } from '@/ui/use-single-call'

interface Started {
  jobId: string
  companyId: string
  command: Command
}

/** The call that runs it on the target. */
type CallOf = (args: Record<string, unknown>) => TargetCall

/** Starts a command, and knows what was started last. */
export function useCommandRun() {
  const { t } = useTranslation('commands')
  const { open } = useNotification()
  const call = useRunCall()
  const errorText = useErrorText()
  const [isStarting, setStarting] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [started, setStarted] = useState<Started | null>(null)

  const run = useSingleCall(async (command: Command, companyId: string, count: number, callOf: CallOf) => {
    setStarting(true)
    setFailure(null)
    try {
      const { name, args } = callOf({ ...command })
      setStarted({ jobId: await call<string>(name, args), companyId, command })
      open?.({ type: 'success', message: t('started', { count }) })
    } catch (error) {
      const reason = errorText(error, t('failed'))
      setFailure(reason)
      open?.({ type: 'error', message: t('failed'), description: reason })
    } finally {
      setStarting(false)
    }
  })
  return {
    isStarting,
    failure,
    started,
    run: (command: Command, companyId: string, count: number, callOf: CallOf) =>
      void run(command, companyId, count, callOf),
    runAgain: (ids: string[]) => {
      if (!started) return
      void run(started.command, started.companyId, ids.length, (args) => ({
        name: 'run_command',
        args: { ...args, device_ids: ids },
      }))
    },
    close: () => setStarted(null),
  }
}
