import { Button } from 'antd'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import type { Row } from '@/data/rows'
import type { TabProps } from '@/resource/engine-context'
import { relatedRow } from '@/resource/request/query/values'
import { type ListColumns, PartList } from '@/resource/screens/part-list'
import { ExitCodes } from '@/runs/progress/exit-code-bars'
import { stillFailedDevices } from '@/runs/progress/exit-codes'
import { useLatestResults } from '@/runs/progress/job-data'
import { RunDrawer } from '@/runs/progress/run-drawer'
import { isFailed } from '@/runs/progress/run-status'
import { EmptyState } from '@/ui/empty-state'
import { lazyPart } from '@/ui/load-chunk'
import { useTabParams } from '@/ui/use-tab-params'
import css from './runs-tab.module.css'

const RunProcedureDialog = lazyPart(() =>
  import('@/runs/start/run-procedure-dialog').then((module) => ({ default: module.RunProcedureDialog })),
)

const COLUMNS: ListColumns = ['device_id', 'status', 'exit_code', 'queued_at', 'duration_seconds']
const KEPT = ['tab', 'run']

type Named = { id: string; name: string }
/** A row with the version of its script, and who or what started it. */
interface RunOfScript {
  origin: {
    author: { name: string | null } | null
    automation: Named | null
    schedule: Named | null
    version: { number: number } | null
  } | null
}
const ORIGIN =
  'origin:jobs(author:people!jobs_created_by_fkey(name),automation:automations(id,name),schedule:scheduled_tasks(id,name),version:procedure_versions(number))'
const originOf = (row: Row) => (row as unknown as RunOfScript).origin

/** The runs of a script, how they ended, and a way to repeat it on failed devices. */
export function RunsTab({ record }: TabProps) {
  const { t } = useTranslation('jobs')
  const procedureId = String(record.id)
  const companyId = String(record.company_id)
  const { params, setParams } = useTabParams(['run'])
  const [targets, setTargets] = useState<{ id: string }[] | null>(null)
  const latest = useLatestResults(procedureId, companyId).data?.data ?? []
  const failed = stillFailedDevices(latest, isFailed)
  return (
    <div className="l-stack-16">
      {latest.length > 0 ? (
        <>
          <div className={`l-toolbar ${css.toolbar}`}>
            <span className="l-secondary">{t('history.latest', { count: latest.length })}</span>
            {failed.length > 0 ? (
              <GuardedButton
                resource="procedures"
                action="run"
                onClick={() => setTargets(failed.map((id) => ({ id })))}
              >
                {t('again.failed', { count: failed.length })}
              </GuardedButton>
            ) : null}
          </div>
          <ExitCodes runs={latest} />
        </>
      ) : null}
      <PartList
        resource="job_runs"
        under={{ field: 'procedure_id', id: procedureId }}
        columns={COLUMNS}
        own={useOriginColumns((run) => setParams({ run }))}
        kept={KEPT}
        empty={
          <EmptyState
            title={t('history.empty')}
            text={t('history.emptyText')}
            action={
              <GuardedButton resource="procedures" action="run" type="primary" onClick={() => setTargets([])}>
                {t('list.runScript')}
              </GuardedButton>
            }
          />
        }
      />
      <RunDrawer runId={params.run ?? null} companyId={companyId} onClose={() => setParams({ run: '' })} />
      {targets ? (
        <Suspense fallback={null}>
          <RunProcedureDialog
            records={targets}
            resource="devices"
            procedureId={procedureId}
            onClose={() => setTargets(null)}
          />
        </Suspense>
      ) : null}
    </div>
  )
}

function useOriginColumns(onOpen: (runId: string) => void) {
  const { t } = useTranslation('jobs')
  const open = useRef(onOpen)
  useEffect(() => {
    open.current = onOpen
  })
  return useMemo(
    () => ({
      embeds: ORIGIN,
      columns: [
        {
          field: 'version',
          own: { title: t('run.version'), draw: (row: Row) => originOf(row)?.version?.number ?? '–' },
        },
        {
          field: 'started_by',
          own: { title: t('run.startedBy'), draw: (row: Row) => <Starter run={row} /> },
        },
        {
          field: 'output',
          own: {
            title: t('output.label'),
            draw: (row: Row) => (
              <Button
                type="link"
                size="small"
                className={css.output}
                aria-label={t('run.showOutput', {
                  name: relatedRow(row, 'device_id')?.name ?? t('run.noDevice'),
                })}
                onClick={() => open.current(String(row.id))}
              >
                {t('output.label')}
              </Button>
            ),
          },
        },
      ],
    }),
    [t],
  )
}

function Starter({ run }: { run: Row }) {
  const { automation, schedule, author } = originOf(run) ?? {}
  if (automation) return <Link to={`/automation/${automation.id}`}>{automation.name}</Link>
  if (schedule) return <Link to={`/scheduled-tasks/${schedule.id}`}>{schedule.name}</Link>
  return author?.name ?? '–'
}
