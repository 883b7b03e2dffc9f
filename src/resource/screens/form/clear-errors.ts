import type { FormInstance } from 'antd'

function holds(changed: unknown, path: readonly (string | number)[]): boolean {
  const [first, ...rest] = path
  if (first === undefined) return true
  return (
    typeof changed === 'object' &&
    changed !== null &&
    Object.hasOwn(changed, first) &&
    holds((changed as Record<string | number, unknown>)[first], rest)
  )
}

/**
 * For `onValuesChange` of a form that validates fields on blur: an error line that disappears on blur would
 * move the button under the pointer, and the click would be lost.
 */
export function clearErrors(
  form: Pick<FormInstance, 'getFieldsError' | 'setFields'>,
  changed: unknown,
): void {
  const stale = form.getFieldsError().filter(({ errors, name }) => errors.length > 0 && holds(changed, name))
  if (stale.length > 0) form.setFields(stale.map(({ name }) => ({ name, errors: [] })))
}
