import EditOutlined from '@ant-design/icons/es/icons/EditOutlined'
import { Button } from 'antd'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { FieldCell } from '@/resource/fields/cells'
import { useMayEditInPlace } from '@/resource/fields/guards'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { readValue } from '@/resource/request/query/values'
import { useSaveInPlace } from '@/resource/screens/actions/use-save-in-place'
import { useSetQuestion } from '@/resource/screens/actions/use-set-question'
import { recordValues } from '@/resource/screens/form/form-values'
import { lazyPart } from '@/ui/load-chunk'

const CellEditor = lazyPart(() =>
  import('@/resource/tools/inline/cell-editor').then((module) => ({ default: module.CellEditor })),
)

interface EditInPlaceProps {
  definition: Definition
  name: string
  record: Row
}

/** A fact that is edited where it is read, by a press or Enter; for whoever may not edit it, the fact alone. */
export function EditInPlace({ definition, name, record }: EditInPlaceProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const mayEdit = useMayEditInPlace(definition, name, record)
  const save = useSaveInPlace(definition, name, record)
  const question = useSetQuestion(definition, record)
  const [isEditing, setEditing] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  // The focus goes back to where the edit began, unless the user has moved on to another place.
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (wasEditing.current && !isEditing && !isSaving && isLost) button.current?.focus()
    wasEditing.current = isEditing || isSaving
  }, [isEditing, isSaving])
  const field = definition.fields[name]
  if (!field) return null
  const value = readValue(record, name, field)
  const shown = (
    <FieldCell
      value={value}
      field={field}
      name={name}
      resource={definition.name}
      row={record}
      dense={false}
    />
  )
  const keep = async (next: unknown) => {
    setEditing(false)
    setSaving(true)
    await save(next, () => question.ask(name, next, t('show.setField', { field: words.field(name) })))
    setSaving(false)
  }
  const values = { ...record, ...recordValues(definition, record) }
  return (
    <div className="k-fact" data-wide={kindOf(field.type).wide === true}>
      <dt>{words.field(name)}</dt>
      <dd className="k-in-place" aria-busy={isSaving}>
        {!mayEdit ? (
          shown
        ) : isEditing ? (
          <Suspense fallback={shown}>
            <CellEditor
              definition={definition}
              name={name}
              field={field}
              row={{
                id: String(record.id),
                base: values,
                changes: {},
                theirs: null,
                isOvertaken: false,
                failure: null,
              }}
              onKeep={(next) => void keep(next)}
              onLeave={() => setEditing(false)}
            />
          </Suspense>
        ) : (
          <div className="k-in-place-value">
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button beside it is the way by keyboard */}
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the button beside it is the way by keyboard */}
            <span
              className="k-in-place-shown"
              onClick={(event) => {
                if (event.target instanceof Element && !event.target.closest('a, button')) setEditing(true)
              }}
            >
              {shown}
            </span>
            <Button
              ref={button}
              type="text"
              size="small"
              loading={isSaving}
              icon={<EditOutlined aria-hidden="true" />}
              aria-label={t('show.editField', { field: words.field(name) })}
              onClick={() => setEditing(true)}
            />
          </div>
        )}
        {question.dialog}
      </dd>
    </div>
  )
}
