import { useNotification } from '@refinedev/core'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAccess } from '@/access/use-access'
import { JobProgress } from '@/pages/jobs/job-progress'
import { useRpcCall } from '@/refine/use-rpc'
import { RecordList } from '@/resource/list/record-list'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { useErrorText } from '@/resource/use-error-text'
import { Panel } from '@/ui/panel'
import type { Command } from './command-data'
import { CommandForm } from './command-form'
import './commands.css'

interface Started {
  jobId: string
  companyId: string
  command: Command
}

/** Runs a single command on devices, shows what each answered, and what was run before. */
export function CommandsPage() {
  const { t } = useTranslation(['commands', 'procedures', 'devices', 'jobs'])
  const { open } = useNotification()
  const { can } = useAccess()
  const call = useRpcCall()
  const errorText = useErrorText()
  const [isStarting, setStarting] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [started, setStarted] = useState<Started | null>(null)
  const result = useRef<HTMLDivElement>(null)

  const run = async (command: Command, on: { companyId: string; deviceIds: string[] }) => {
    setStarting(true)
    setFailure(null)
    try {
      const jobId = await call<string>('run_command', { ...command, device_ids: on.deviceIds })
      setStarted({ jobId, companyId: on.companyId, command })
      open?.({ type: 'success', message: t('started', { count: on.deviceIds.length }) })
      window.setTimeout(() => result.current?.scrollIntoView({ block: 'nearest' }))
    } catch (error) {
      const reason = errorText(error, t('failed'))
      setFailure(reason)
      open?.({ type: 'error', message: t('failed'), description: reason })
    } finally {
      setStarting(false)
    }
  }
  return (
    <div className="commands">
      <Panel title={t('form.title')} intro={t('form.intro')}>
        <CommandForm
          failure={failure}
          isStarting={isStarting}
          onRun={(command, on) => void run(command, on)}
        />
      </Panel>
      {started ? (
        <div ref={result}>
          <Panel title={t('result.title')}>
            <JobProgress
              key={started.jobId}
              jobId={started.jobId}
              companyId={started.companyId}
              onClose={() => setStarted(null)}
              onRunAgain={(deviceIds) =>
                void run(started.command, { companyId: started.companyId, deviceIds })
              }
            />
          </Panel>
        </div>
      ) : null}
      {can('jobs', 'list').allowed ? (
        <Panel title={t('history.title')}>
          <DefinedScreen resource="jobs">
            {(definition) => (
              <RecordList definition={definition} under={{ field: 'kind', id: 'command', create: false }} />
            )}
          </DefinedScreen>
        </Panel>
      ) : null}
    </div>
  )
}
