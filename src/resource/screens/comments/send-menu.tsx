import DownOutlined from '@ant-design/icons/es/icons/DownOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { useChoices } from '@/resource/fields/relation/use-choices'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { recordTitle } from '@/resource/request/query/title'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { MenuButton } from '@/ui/menu-button'

/** A value of the field that is set with the comment. */
export interface Setting {
  value: string
  label: string
  /** Says what a press does: sends this kind of comment, and sets this value. */
  okText: string
}

interface SendMenuProps {
  definition: Definition
  name: string
  record: Row
  /** The word for the kind of comment. */
  kind: string
  isDisabled: boolean
  onPick: (setting: Setting) => void
}

/** Beside the button that sends: sends and sets the field of the record. */
export function SendMenu(props: SendMenuProps) {
  const field = props.definition.fields[props.name]
  if (field?.type === 'enum') return <EnumMenu {...props} values={Object.keys(field.values)} />
  const target = field?.type === 'relation' ? findDefinition(field.to) : undefined
  if (!target || field?.type !== 'relation') return null
  return <RelationMenu {...props} target={target} field={field} />
}

function EnumMenu({ values, ...props }: SendMenuProps & { values: readonly string[] }) {
  const words = useWords(props.definition)
  const settings = values.map((value) => ({ value, label: words.value(props.name, value) }))
  return <Menu {...props} settings={settings} />
}

interface RelationMenuProps extends SendMenuProps {
  target: Definition
  field: Extract<Field, { type: 'relation' }>
}

function RelationMenu({ target, field, ...props }: RelationMenuProps) {
  const scope = useResourceScope()
  const [isOpen, setOpen] = useState(false)
  const { company_id: company } = props.record
  const { found } = useChoices({
    target,
    ...(field.where ? { where: field.where } : {}),
    filterScope: { ...scope.filter, record: props.record },
    companyId: typeof company === 'string' ? company : scope.companyId,
    chosen: [],
    text: '',
    isOpen,
  })
  const settings = found.data?.map((row) => ({ value: String(row.id), label: recordTitle(target, row) }))
  return <Menu {...props} settings={settings} onOpen={() => setOpen(true)} />
}

interface MenuProps extends SendMenuProps {
  /** Undefined while they are read. */
  settings: readonly Omit<Setting, 'okText'>[] | undefined
  onOpen?: () => void
}

function Menu({ definition, name, record, kind, isDisabled, settings, onPick, onOpen }: MenuProps) {
  const { t } = useTranslation('comments')
  const words = useWords(definition)
  const items = settings
    ?.filter(({ value }) => value !== record[name])
    .map(({ value, label }) => {
      const okText = t('box.addAndSet', { kind, field: words.field(name), value: label })
      return { key: value, label: okText, onClick: () => onPick({ value, label, okText }) }
    })
  return (
    <MenuButton
      placement="topRight"
      disabled={isDisabled}
      menu={{ items: items ?? [{ key: 'loading', label: t('menu.loading'), disabled: true }] }}
      onOpenChange={(isOpen) => isOpen && onOpen?.()}
    >
      <Button
        type="primary"
        icon={<DownOutlined aria-hidden="true" />}
        aria-label={t('box.addAnd', { field: words.field(name) })}
        aria-haspopup="menu"
        disabled={isDisabled}
      />
    </MenuButton>
  )
}
