import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Blank } from '@/resource/fields/cell-parts'
import { codeLanguage } from '@/resource/fields/code/kind'
import type { CellProps } from '@/resource/fields/kind-interface'
import { useFieldWord } from '@/resource/language/words'
import { lazyPart } from '@/ui/load-chunk'
import { VisibleText } from '@/ui/visible-text'

const CodeEditor = lazyPart(() =>
  import('@/resource/fields/code/code-editor').then((module) => ({ default: module.CodeEditor })),
)

export function Cell({ value, field, name, resource, row, dense }: CellProps<'code'>) {
  const { t } = useTranslation('engine')
  const word = useFieldWord(resource)
  if (typeof value !== 'string' || value === '') return <Blank />
  if (dense) return <span>{t('code.lines', { count: value.split('\n').length })}</span>
  // Until the highlighting is there, the text itself: same type, same place.
  return (
    <Suspense
      fallback={
        <pre className="k-pre">
          <VisibleText text={value} />
        </pre>
      }
    >
      <CodeEditor label={word(name)} value={value} language={codeLanguage(field.language, row)} readOnly />
    </Suspense>
  )
}
