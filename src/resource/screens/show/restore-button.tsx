import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import type { Definition } from '@/resource/definition/definition.generated'
import { editPath } from '@/resource/definition/naming'
import { useRefusedFields } from '@/resource/definition/use-readable'
import type { Change } from '@/resource/fields/diff/changes'
import { canRestore, type Restored, valuesBefore } from '@/resource/screens/show/restored'

interface RestoreButtonProps {
  definition: Definition
  id: string
  at: string
  changes: readonly Change[]
}

/** Opens the form with the values from before a change. It writes nothing: checks, locks and permissions are the form's. */
export function RestoreButton({ definition, id, at, changes }: RestoreButtonProps) {
  const { t } = useTranslation('engine')
  const navigate = useNavigate()
  const location = useLocation()
  const refused = useRefusedFields(definition)
  const { values, left } = valuesBefore(definition, changes, refused)
  if (!canRestore(definition) || Object.keys(values).length === 0) return null
  const open = () => {
    const restore: Restored = { at, values, left }
    const before: unknown = location.state
    const state = typeof before === 'object' && before !== null ? { ...before, restore } : { restore }
    navigate(editPath(definition, id), { state })
  }
  return (
    <GuardedButton resource={definition.name} action="edit" size="small" onClick={open}>
      {t('restore.button')}
    </GuardedButton>
  )
}
