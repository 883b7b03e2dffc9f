import ArrowDownOutlined from '@ant-design/icons/es/icons/ArrowDownOutlined'
import ArrowUpOutlined from '@ant-design/icons/es/icons/ArrowUpOutlined'
import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Form } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { FieldInput } from '@/resource/fields/inputs'
import type { InputProps } from '@/resource/fields/kind-interface'
import { kindOf } from '@/resource/fields/kinds'
import { useFieldWord } from '@/resource/language/words'
import { matches } from '@/resource/request/filter/predicate'

type InnerRow = Record<string, unknown>

function isRow(value: unknown): value is InnerRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function emptyRow(fields: InputProps<'rows'>['field']['fields']): InnerRow {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const given = 'default' in field ? field.default : undefined
      return [name, given ?? kindOf(field.type).empty ?? null]
    }),
  )
}

/**
 * A new row of a table whose rows begin with a choice, such as a day, follows the last one: the next choice, and otherwise
 * the same. Any other new row is empty.
 */
export function rowAfter(
  last: InnerRow | undefined,
  { fields, keys }: InputProps<'rows'>['field'],
): InnerRow {
  const [first, field] = Object.entries(fields)[0] ?? []
  const empty = emptyRow(fields)
  if (!last || first === undefined || field?.type !== 'enum') return empty
  const choices = Object.keys(field.values)
  const next = choices[(choices.indexOf(String(last[first])) + 1) % choices.length]
  const same = Object.keys(fields).filter((name) => keys?.[name] === undefined && last[name] !== undefined)
  return { ...empty, ...Object.fromEntries(same.map((name) => [name, last[name]])), [first]: next }
}

/** A table edited row by row; keys that the definition does not know stay as they are. */
export function Input(props: InputProps<'rows'>) {
  const { field, name, resource, disabled, onChange } = props
  const { t } = useTranslation('engine')
  const word = useFieldWord(resource)
  const base = useId()
  // The library marks every control within a faulty field, also those whose values are right.
  const isFaulty = Form.Item.useStatus().status === 'error'
  const rows = Array.isArray(props.value) ? props.value.filter(isRow) : []
  const change = (index: number, column: string, value: unknown) =>
    onChange?.(rows.map((row, at) => (at === index ? { ...row, [column]: value } : row)))
  const move = (index: number, to: number) => {
    const next = [...rows]
    const [row] = next.splice(index, 1)
    if (row) next.splice(to, 0, row)
    onChange?.(next)
  }
  return (
    <fieldset className="k-rows" id={props.id} aria-label={word(name)} tabIndex={-1}>
      {rows.length === 0 ? <p className="k-soft">{t('rows.none')}</p> : null}
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a stored array have no identity but their place
        <fieldset key={index} className="k-rows-row">
          <legend className="k-visually-hidden">{t('rows.row', { row: index + 1 })}</legend>
          {Object.entries(field.fields).map(([column, inner]) => {
            if (field.keys?.[column] !== undefined || (inner.when && !matches(inner.when, row))) return null
            const id = `${base}-${index}-${column}`
            const isMissing = isFaulty && inner.required === true && String(row[column] ?? '').trim() === ''
            return (
              <div key={column} className="k-rows-cell" data-missing={isMissing}>
                <label htmlFor={id}>{word(`${name}.${column}`)}</label>
                <Form.Item noStyle validateStatus="">
                  <FieldInput
                    id={id}
                    field={inner}
                    name={`${name}.${column}`}
                    resource={resource}
                    record={row}
                    value={row[column]}
                    disabled={disabled}
                    aria-required={inner.required === true}
                    aria-invalid={isMissing}
                    onChange={(value) => change(index, column, value)}
                  />
                </Form.Item>
              </div>
            )
          })}
          <div className="k-rows-tools">
            <Button
              type="text"
              icon={<ArrowUpOutlined aria-hidden="true" />}
              aria-label={t('rows.up', { row: index + 1 })}
              disabled={disabled || index === 0}
              onClick={() => move(index, index - 1)}
            />
            <Button
              type="text"
              icon={<ArrowDownOutlined aria-hidden="true" />}
              aria-label={t('rows.down', { row: index + 1 })}
              disabled={disabled || index === rows.length - 1}
              onClick={() => move(index, index + 1)}
            />
            <Button
              type="text"
              icon={<DeleteOutlined aria-hidden="true" />}
              aria-label={t('rows.remove', { row: index + 1 })}
              disabled={disabled}
              onClick={() => onChange?.(rows.filter((_row, at) => at !== index))}
            />
          </div>
        </fieldset>
      ))}
      <Button
        icon={<PlusOutlined aria-hidden="true" />}
        disabled={disabled}
        onClick={() => onChange?.([...rows, rowAfter(rows.at(-1), field)])}
      >
        {t('rows.add')}
      </Button>
    </fieldset>
  )
}
