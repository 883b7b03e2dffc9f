import UploadOutlined from '@ant-design/icons/es/icons/UploadOutlined'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import type { Definition } from '@/resource/definition/definition.generated'
import { lazyPart } from '@/ui/load-chunk'

// Readers of files weigh more than the list; they come when somebody has one.
const ImportDialog = lazyPart(() =>
  import('@/resource/import/import-dialog').then((module) => ({ default: module.ImportDialog })),
)

/** Records from a file. */
export function ImportButton({ definition }: { definition: Definition }) {
  const { t } = useTranslation('engine')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <GuardedButton
        resource={definition.name}
        action="import"
        icon={<UploadOutlined aria-hidden="true" />}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {t('list.import')}
      </GuardedButton>
      {isOpen ? (
        <Suspense fallback={null}>
          <ImportDialog definition={definition} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
