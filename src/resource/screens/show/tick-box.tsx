import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import { useMayEditInPlace } from '@/resource/fields/guards'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { recordTitle } from '@/resource/request/query/title'
import { useSaveInPlace } from '@/resource/screens/actions/use-save-in-place'
import { useSetQuestion } from '@/resource/screens/actions/use-set-question'
import { useSingleCall } from '@/ui/use-single-call'

interface TickBoxProps {
  definition: Definition
  /** The boolean field that the box shows and sets. */
  name: string
  row: Row
  /** The resource of the record beside which the row is listed, which may count its rows. */
  parent: string
}

/** A yes or no of a listed record, set where it is read; for whoever may not edit it, a box that does not move. */
export function TickBox({ definition, name, row, parent }: TickBoxProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const cache = useCache()
  const mayEdit = useMayEditInPlace(definition, name, row)
  const save = useSaveInPlace(definition, name, row)
  const question = useSetQuestion(definition, row)
  const [next, setNext] = useState<boolean | null>(null)
  const tick = useSingleCall(async (value: boolean) => {
    setNext(value)
    await save(value, () => question.ask(name, value, t('show.setField', { field: words.field(name) })))
    setNext(null)
    await cache.invalidate(parent)
  })
  return (
    <>
      <input
        type="checkbox"
        aria-label={t('list.tick', { field: words.field(name), title: recordTitle(definition, row) })}
        aria-busy={next !== null}
        checked={next ?? row[name] === true}
        disabled={!mayEdit}
        onChange={({ target }) => void tick(target.checked)}
      />
      {question.dialog}
    </>
  )
}
