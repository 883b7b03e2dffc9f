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
 * For `onValuesChange` of a form whose fields are checked on leaving them: a line of error that only went then would
 * move the button from under the pointer that presses it, and the press would be lost.
 */
export function clearErrors(
  form: Pick<FormInstance, 'getFieldsError' | 'setFields'>,
  changed: unknown,
): void {
  const stale = form.getFieldsError().filter(({ errors, name }) => errors.length > 0 && holds(changed, name))
  if (stale.length > 0) form.setFields(stale.map(({ name }) => ({ name, errors: [] })))
}
