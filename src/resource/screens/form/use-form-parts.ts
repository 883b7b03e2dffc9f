import type { FormInstance } from 'antd'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Row } from '@/data/rows'
import { useAskedField } from '@/resource/fields/guards'
import type { Definition } from '@/resource/language/definition.generated'
import {
  type FormLayout,
  type FormPart,
  formLayout,
  partFields,
  partOf,
} from '@/resource/screens/form/form-sections'

interface FieldErrors {
  name: (string | number)[]
  errors: string[]
}

export interface FieldMistake {
  field: string
  message: string
  part: FormPart | undefined
}

export interface FormParts {
  layout: FormLayout
  current: FormPart
  isFirst: boolean
  isLast: boolean
  /** Steps that were passed once can be gone to directly. */
  reached: number
  choose: (name: string) => void
  /** The next step, once this one is right. */
  goOn: () => Promise<void>
  goBack: () => void
  /** Opens the section of a field and shows the field. */
  reveal: (field: string) => void
  fail: (errors: readonly FieldErrors[]) => void
  followErrors: () => void
  /** The mistakes at present, after an attempt to save. */
  mistakes: readonly FieldMistake[]
}

function mistakesOf(layout: FormLayout, errors: readonly FieldErrors[]): FieldMistake[] {
  return errors.flatMap(({ name, errors: [message] }) => {
    const field = String(name[0])
    return message === undefined ? [] : [{ field, message, part: partOf(layout, field) }]
  })
}

const NONE: readonly FieldMistake[] = []

/**
 * The form's own `scrollToField` focuses only controls that hand it a ref, which what loads lazily does not:
 * every control has the field's name for its id.
 */
function focusField(formName: string | undefined, field: string): void {
  const control = document.getElementById(formName ? `${formName}_${field}` : field)
  // A field of several controls shows the one that is wrong.
  const wrong = control?.querySelector<HTMLElement>('[aria-invalid="true"]') ?? control
  wrong?.scrollIntoView({ block: 'center' })
  wrong?.focus({ preventScroll: true })
}

/** Which part of a divided form is in view, and where in it something is wrong. */
export function useFormParts(
  definition: Definition,
  form: FormInstance<Row>,
  formName: string | undefined,
): FormParts {
  const isAsked = useAskedField(definition)
  const layout = useMemo(() => {
    const { kind, parts } = formLayout(definition)
    return { kind, parts: parts.filter((part) => partFields(part).some(isAsked)) }
  }, [definition, isAsked])
  const [name, setName] = useState(layout.parts[0]?.name)
  const [reached, setReached] = useState(0)
  const [mistakes, setMistakes] = useState(NONE)
  const isPlain = layout.kind === 'plain'
  const hasFailed = useRef(false)
  const focusing = useRef<number>(undefined)
  useEffect(() => () => window.clearTimeout(focusing.current), [])
  const index = Math.max(
    0,
    layout.parts.findIndex((part) => part.name === name),
  )
  const current = layout.parts[index] ?? { name: 'main', sections: {} }

  const goTo = useCallback(
    (at: number) => {
      const part = layout.parts[at]
      if (!part) return
      setName(part.name)
      setReached((most) => Math.max(most, at))
    },
    [layout],
  )
  const reveal = useCallback(
    (field: string) => {
      const part = partOf(layout, field)
      if (part) setName(part.name)
      // A part that was hidden takes no focus until it is drawn.
      window.clearTimeout(focusing.current)
      focusing.current = window.setTimeout(() => focusField(formName, field), 50)
    },
    [layout, formName],
  )
  const followErrors = useCallback(() => {
    if (isPlain || !hasFailed.current) return
    setMistakes(mistakesOf(layout, form.getFieldsError()))
  }, [isPlain, layout, form])
  const fail = (errors: readonly FieldErrors[]) => {
    const found = mistakesOf(layout, errors)
    if (!isPlain) {
      hasFailed.current = true
      setMistakes(found)
    }
    const first = found.find(({ part }) => part === current) ?? found[0]
    if (first) reveal(first.field)
  }
  const goOn = async () => {
    const names = partFields(current)
    try {
      await form.validateFields(index === 0 ? ['company_id', ...names] : names)
      goTo(index + 1)
    } catch (error) {
      const [first] = (error as { errorFields?: FieldErrors[] }).errorFields ?? []
      if (first) focusField(formName, String(first.name[0]))
    }
  }
  return {
    layout,
    current,
    isFirst: index === 0,
    isLast: index === layout.parts.length - 1,
    reached,
    choose: (next) => goTo(layout.parts.findIndex((part) => part.name === next)),
    goOn,
    goBack: () => goTo(index - 1),
    reveal,
    fail,
    followErrors,
    mistakes,
  }
}
