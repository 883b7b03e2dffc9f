import type { Row } from '@/data/rows'
import { useRpcCall } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import { embedKey } from '@/resource/language/embed-keys'
import { titleReferences } from '@/resource/request/query/title'
import { answerTo, type TitleAnswer, wantedOf } from '@/resource/request/query/use-record-titles'

/** Reads the records that the title of a row names, where a write returned the row without them. */
export function useReadTitle(definition: Definition): (row: Row) => Promise<Row> {
  const call = useRpcCall()
  return async (row) => {
    const missing = titleReferences(definition, row).filter(({ name }) => !row[embedKey(name)])
    if (missing.length === 0) return row
    // The title is for a message about a write that succeeded: without them it is shorter, and no error.
    const answers = await call<TitleAnswer[]>('record_titles', { wanted: wantedOf(missing) }).catch(() => [])
    return {
      ...row,
      ...Object.fromEntries(missing.map((each) => [embedKey(each.name), answerTo(answers, each)])),
    }
  }
}
