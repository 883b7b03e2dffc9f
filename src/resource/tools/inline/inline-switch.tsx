import FormOutlined from '@ant-design/icons/es/icons/FormOutlined'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import type { Definition } from '@/resource/language/definition.generated'
import type { InlineEdit } from '@/resource/tools/inline/use-inline-edit'

/** Turns editing in cells on and off; the key `c` presses it. */
export function InlineSwitch({ definition, inline }: { definition: Definition; inline: InlineEdit }) {
  const { t } = useTranslation('engine')
  if (!inline.isOffered) return null
  return (
    <GuardedButton
      resource={definition.name}
      action="edit"
      className="k-edit-cells"
      type={inline.isOn ? 'primary' : 'default'}
      ghost={inline.isOn}
      icon={<FormOutlined aria-hidden="true" />}
      aria-pressed={inline.isOn}
      aria-keyshortcuts="c"
      onClick={inline.toggle}
    >
      {t('list.editCells')}
    </GuardedButton>
  )
}
