import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { showPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { lazyPart } from '@/ui/load-chunk'

const RunProcedureDialog = lazyPart(() =>
  import('./run-procedure-dialog').then((module) => ({ default: module.RunProcedureDialog })),
)

interface RunAgainProps {
  procedureId: string | null
  deviceIds: readonly string[]
  /** The error of the runs. */
  error: string | null
}

/** Offers a way to run again where runs ended because their version was replaced or declined while they waited. */
export function RunAgain({ procedureId, deviceIds, error }: RunAgainProps) {
  const { t } = useTranslation('jobs')
  const [isOpen, setOpen] = useState(false)
  const procedures = findDefinition('procedures')
  if (procedureId === null) return null
  if (error === 'declined' && procedures)
    return (
      <div>
        <Link to={showPath(procedures, procedureId)}>{t('progress.openScript')}</Link>
      </div>
    )
  if (error !== 'replaced') return null
  return (
    <div>
      <GuardedButton resource="procedures" action="run" size="small" onClick={() => setOpen(true)}>
        {t('again.script')}
      </GuardedButton>
      {isOpen ? (
        <Suspense fallback={null}>
          <RunProcedureDialog
            records={deviceIds.map((id) => ({ id }))}
            resource="devices"
            procedureId={procedureId}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </div>
  )
}
