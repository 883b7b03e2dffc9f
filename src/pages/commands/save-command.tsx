import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import type { Row } from '@/data/rows'
import { findDefinition } from '@/resource/language/registry'
import type { SavedCommand } from '@/runs/start/command-data'
import { lazyPart } from '@/ui/load-chunk'

const FormDialog = lazyPart(() =>
  import('@/resource/screens/form/form-dialog').then((module) => ({ default: module.FormDialog })),
)

interface SaveCommandProps {
  /** Reads the current values of the form. */
  values: () => Row
  companyId: string | null
  disabled: boolean
  onSaved: (command: SavedCommand) => void
}

/** Keeps the command under a name, without leaving the page. */
export function SaveCommand({ values, companyId, disabled, onSaved }: SaveCommandProps) {
  const { t } = useTranslation('commands')
  const [preset, setPreset] = useState<Row | null>(null)
  const definition = findDefinition('saved_commands')
  if (!definition) return null
  return (
    <>
      <GuardedButton
        resource={definition.name}
        action="create"
        disabled={disabled}
        onClick={() => setPreset(values())}
      >
        {t('form.save')}
      </GuardedButton>
      {preset ? (
        <Suspense fallback={null}>
          <FormDialog
            definition={definition}
            preset={preset}
            companyId={companyId}
            onClose={() => setPreset(null)}
            onCreated={(row) => {
              setPreset(null)
              onSaved(row as unknown as SavedCommand)
            }}
          />
        </Suspense>
      ) : null}
    </>
  )
}
