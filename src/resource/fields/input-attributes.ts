import type { ControlProps } from '@/resource/fields/kind-interface'

/** Every input hands these attributes to its control, so that label, help and error stay tied to the control. */
export function inputAttributes(props: ControlProps) {
  return {
    id: props.id,
    disabled: props.disabled,
    onBlur: props.onBlur,
    'aria-required': props['aria-required'],
    'aria-invalid': props['aria-invalid'],
    'aria-describedby': props['aria-describedby'],
  }
}

/**
 * The text that a control of text shows. A value inside JSON may be a number or a boolean, which an empty control would hide.
 */
export function shownText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** As `inputAttributes`, for a control with choices in a popup. */
export function choiceAttributes(props: ControlProps) {
  return { ...inputAttributes(props), defaultOpen: props.isOpenAtFirst }
}
