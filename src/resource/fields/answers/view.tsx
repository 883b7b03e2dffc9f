import { Suspense } from 'react'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { isAnswers } from '@/resource/fields/answers/answer-form'
import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'
import { lazyPart } from '@/ui/load-chunk'

// A record alone shows the answers, so that lists do not load them.
const AnswerList = lazyPart(() =>
  import('@/resource/fields/answers/answer-list').then((module) => ({ default: module.AnswerList })),
)

/** Each question with its answer; in a list, how many there are. */
export function Cell(props: CellProps<'answers'>) {
  const language = useLanguage()
  if (!isAnswers(props.value) || Object.keys(props.value).length === 0) return <Blank />
  if (props.dense)
    return <span className="k-figures">{formatNumber(Object.keys(props.value).length, language)}</span>
  return (
    <Suspense fallback={null}>
      <AnswerList {...props} />
    </Suspense>
  )
}
