import { CanAccess } from '@refinedev/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { RecordList } from '@/resource/screens/list/record-list'
import { JobProgress } from '@/runs/progress/job-progress'
import { Panel } from '@/ui/panel'
import { CommandForm } from './command-form'
import { useCommandRun } from './use-command-run'
import './commands.css'

/** Runs a single command on devices, shows what each answered, and what was run before. */
export function CommandsPage() {
  const { t } = useTranslation(['commands', 'procedures', 'devices', 'jobs'])
  const commands = useCommandRun()
  const { started } = commands
  const jobId = started?.jobId
  const result = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The started job is shown below the button, perhaps out of view.
    if (jobId) result.current?.scrollIntoView({ block: 'nearest' })
  }, [jobId])
  return (
    <div className="commands">
      <Panel title={t('form.title')} intro={t('form.intro')}>
        <CommandForm commands={commands} />
      </Panel>
      {started ? (
        <div ref={result}>
          <Panel title={t('result.title')}>
            <JobProgress
              key={started.jobId}
              jobId={started.jobId}
              companyId={started.companyId}
              onClose={commands.close}
              onRunAgain={commands.runAgain}
            />
          </Panel>
        </div>
      ) : null}
      <CanAccess resource="jobs" action="list">
        <Panel title={t('history.title')}>
          <DefinedScreen resource="jobs">
            {(definition) => (
              <RecordList definition={definition} under={{ field: 'kind', id: 'command', create: false }} />
            )}
          </DefinedScreen>
        </Panel>
      </CanAccess>
    </div>
  )
}
