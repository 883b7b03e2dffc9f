import { type BaseRecord, type HttpError, useNotification, useUpdate } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import { ConflictError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { useRefresh } from '@/resource/request/query/use-write'
import { recordValues, sameValue } from '@/resource/screens/form/form-values'
import { saveLinks } from '@/resource/screens/form/use-record-form'
import { useErrorText } from '@/resource/use-error-text'

/** Writes one field under the version that is shown, unless an action asks about the value and the answer is no. */
export function useSaveInPlace(definition: Definition, name: string, record: Row) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const scope = useResourceScope()
  const refresh = useRefresh(definition)
  const errorText = useErrorText()
  const { open } = useNotification()
  const { mutateAsync } = useUpdate<BaseRecord, HttpError, Row>()
  return async (next: unknown, isAllowed: () => Promise<boolean>): Promise<void> => {
    const field = definition.fields[name]
    const before = recordValues(definition, record)
    if (sameValue(field, before[name], next)) return
    const id = String(record.id)
    try {
      if (!(await isAllowed())) return
      if (field && kindOf(field.type).detached)
        await saveLinks(definition, { id, companyId: String(record.company_id ?? '') }, [name], before, {
          [name]: next,
        })
      else
        await mutateAsync({
          resource: definition.name,
          id,
          values: { [name]: next },
          meta: {
            table: tableOf(definition),
            companyId: definition.tenant === false ? null : scope.companyId,
            ...(definition.lock === false ? {} : { version: record.version }),
          },
          invalidates: [],
          successNotification: false,
          errorNotification: false,
        })
    } catch (error) {
      open?.({
        type: 'error',
        message: t('show.notSaved', { field: words.field(name) }),
        description: error instanceof ConflictError ? t('show.changedMeanwhile') : errorText(error),
      })
    } finally {
      await refresh()
    }
  }
}
