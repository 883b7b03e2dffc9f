import { useQuery } from '@tanstack/react-query'
import { Checkbox } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { diffLines, withContext } from './line-diff'
import { type ProcedureVersion, readVersion, type VersionContent } from './procedure-data'
import css from './versions.module.css'

type Props = { companyId: string; from: ProcedureVersion | undefined; to: ProcedureVersion }

/** One version against another; the first one of all is shown as it is. */
export function VersionDiff({ companyId, from, to }: Props) {
  const errorText = useErrorText()
  const query = useQuery({
    queryKey: [companyId, 'procedure_versions', 'diff', from?.id ?? null, to.id],
    queryFn: async () => {
      const [before, after] = await Promise.all([from ? readVersion(from.id) : null, readVersion(to.id)])
      return { before, after }
    },
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (query.isPending) return <LoadingState rows={6} />
  if (query.data === undefined) {
    return <ErrorState text={errorText(query.error)} onRetry={() => query.refetch()} />
  }
  return <Diff before={query.data.before} after={query.data.after} />
}

function Diff({ before, after }: { before: VersionContent | null; after: VersionContent }) {
  const { t } = useTranslation('procedures')
  const [isWhole, setIsWhole] = useState(false)
  const lines = useMemo(() => diffLines(before?.script ?? after.script, after.script), [before, after])
  const changed = lines.filter((line) => line.kind !== 'same').length
  // The line after a final line break is empty and says nothing.
  const last = lines.at(-1)
  const shown = last?.kind === 'same' && last.text === '' ? lines.slice(0, -1) : lines
  const chunks = isWhole || changed === 0 ? shown : withContext(shown)
  return (
    <>
      {before ? <Settings before={before} after={after} /> : null}
      {before ? (
        <div style={{ display: 'flex', flexWrap: 'wrap', gap: 16 }}>
          <span>{changed === 0 ? t('versions.same') : t('versions.changed', { count: changed })}</span>
          {changed > 0 ? (
            <Checkbox checked={isWhole} onChange={(event) => setIsWhole(event.target.checked)}>
              {t('versions.whole')}
            </Checkbox>
          ) : null}
        </div>
      ) : null}
      <section
        className={css.diff}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must take the focus
        tabIndex={0}
        aria-label={t('versions.script')}
      >
        {chunks.map((chunk) =>
          chunk.kind === 'gap' ? (
            <div key={chunk.key} className={css.gap}>
              {t('versions.gap', { count: chunk.count })}
            </div>
          ) : (
            <div key={`${chunk.before}:${chunk.after}`} className={css.line} data-kind={chunk.kind}>
              <span className={css.lineNumber} aria-hidden>
                {chunk.after ?? chunk.before}
              </span>
              <span className={css.mark}>
                {chunk.kind === 'added' ? '+' : chunk.kind === 'removed' ? '−' : ' '}
              </span>
              <span className={css.code}>{chunk.text || ' '}</span>
            </div>
          ),
        )}
      </section>
    </>
  )
}

/** What else a version fixes, named only where it changed. */
function Settings({ before, after }: { before: VersionContent; after: VersionContent }) {
  const { t } = useTranslation('procedures')
  const names = (content: VersionContent): string =>
    Array.isArray(content.parameters) && content.parameters.length > 0
      ? content.parameters.map((each: { name?: unknown }) => String(each.name)).join(', ')
      : '–'
  const changes: [string, string, string][] = []
  if (before.type !== after.type) changes.push([t('versions.type'), before.type, after.type])
  if (before.timeout_seconds !== after.timeout_seconds) {
    const seconds = (count: number) => t('versions.seconds', { count })
    changes.push([t('versions.timeout'), seconds(before.timeout_seconds), seconds(after.timeout_seconds)])
  }
  if (JSON.stringify(before.parameters) !== JSON.stringify(after.parameters)) {
    const same = names(before) === names(after)
    changes.push([t('versions.parameters'), names(before), same ? t('versions.redefined') : names(after)])
  }
  if (changes.length === 0) return null
  return (
    <ul className={css.settings}>
      {changes.map(([name, old, now]) => (
        <li key={name}>
          {name}: <del>{old}</del> → <ins>{now}</ins>
        </li>
      ))}
    </ul>
  )
}
