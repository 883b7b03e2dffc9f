import DownloadOutlined from '@ant-design/icons/es/icons/DownloadOutlined'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import type { ExportedList } from '@/resource/export/use-export'
import { lazyPart } from '@/ui/load-chunk'

// Writers of files weigh more than the list; they come when somebody wants one.
const ExportDialog = lazyPart(() =>
  import('@/resource/export/export-dialog').then((module) => ({ default: module.ExportDialog })),
)

interface ExportButtonProps extends ExportedList {
  /** How many rows the list has; undefined while they are counted. */
  total: number | undefined
}

/** The whole list as a file, as far as its filters leave it. */
export function ExportButton(props: ExportButtonProps) {
  const { t } = useTranslation('engine')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <GuardedButton
        resource={props.definition.name}
        action="export"
        icon={<DownloadOutlined aria-hidden="true" />}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {t('list.export')}
      </GuardedButton>
      {isOpen ? (
        <Suspense fallback={null}>
          <ExportDialog {...props} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
