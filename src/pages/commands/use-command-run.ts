import { useNotification } from '@refinedev/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRpcCall } from '@/refine/use-rpc'
import { useErrorText } from '@/resource/use-error-text'
import type { Command } from './command-data'

export interface CommandTargets {
  companyId: string
  deviceIds: string[]
  /** When it gives up devices that are offline; the server's own choice without one. */
  expiresAt?: string | null
}

interface Started {
  jobId: string
  companyId: string
  command: Command
}

/** Starts a command, and knows what was started last. */
export function useCommandRun() {
  const { t } = useTranslation('commands')
  const { open } = useNotification()
  const call = useRpcCall()
  const errorText = useErrorText()
  const [isStarting, setStarting] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [started, setStarted] = useState<Started | null>(null)

  const run = async (command: Command, { companyId, deviceIds, expiresAt }: CommandTargets) => {
    setStarting(true)
    setFailure(null)
    try {
      const jobId = await call<string>('run_command', {
        ...command,
        device_ids: deviceIds,
        ...(expiresAt ? { expires_at: expiresAt } : {}),
      })
      setStarted({ jobId, companyId, command })
      open?.({ type: 'success', message: t('started', { count: deviceIds.length }) })
    } catch (error) {
      const reason = errorText(error, t('failed'))
      setFailure(reason)
      open?.({ type: 'error', message: t('failed'), description: reason })
    } finally {
      setStarting(false)
    }
  }
  return {
    isStarting,
    failure,
    started,
    run: (command: Command, on: CommandTargets) => void run(command, on),
    runAgain: (deviceIds: string[]) => {
      if (started) void run(started.command, { companyId: started.companyId, deviceIds })
    },
    close: () => setStarted(null),
  }
}
