import { useOne } from '@refinedev/core'
import { Checkbox } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TableRow } from '@/data/database'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { diffLines, withContext } from './line-diff'
import css from './versions.module.css'

export type ProcedureVersion = Pick<
  TableRow<'procedure_versions'>,
  | 'id'
  | 'number'
  | 'created_at'
  | 'approved_at'
  | 'approved_name'
  | 'declined_at'
  | 'declined_name'
  | 'decline_reason'
> & {
  author: Pick<TableRow<'profiles'>, 'email' | 'name'> | null
}
type VersionContent = Pick<
  TableRow<'procedure_versions'>,
  'number' | 'type' | 'script' | 'parameters' | 'timeout_seconds'
>

type Compared = Pick<ProcedureVersion, 'id' | 'number'>
type Props = { companyId: string; from: Compared | undefined; to: Compared }

/** Compares two versions. The first version is shown without a comparison. */
export function VersionDiff({ companyId, from, to }: Props) {
  const errorText = useErrorText()
  const before = useVersion(companyId, from?.id)
  const after = useVersion(companyId, to.id)
  if (before.isLoading || after.isLoading) return <LoadingState rows={6} />
  if (after.data === undefined || (from && before.data === undefined)) {
    const failed = [before, after].filter(({ isError }) => isError)
    return (
      <ErrorState
        text={errorText(failed[0]?.error)}
        onRetry={() => Promise.all(failed.map(({ refetch }) => refetch()))}
      />
    )
  }
  return <Diff before={before.data?.data ?? null} after={after.data.data} />
}

function useVersion(companyId: string, id: string | undefined) {
  const { query } = useOne<VersionContent>({
    resource: 'procedure_versions',
    id: id ?? '',
    meta: { companyId, select: 'number,type,script,parameters,timeout_seconds' },
    errorNotification: false,
    queryOptions: {
      enabled: id !== undefined,
      // A version never changes.
      staleTime: Number.POSITIVE_INFINITY,
    },
  })
  return query
}

function Diff({ before, after }: { before: VersionContent | null; after: VersionContent }) {
  const { t } = useTranslation('procedures')
  const [isWhole, setIsWhole] = useState(false)
  const lines = useMemo(() => diffLines(before?.script ?? after.script, after.script), [before, after])
  const changed = lines.filter((line) => line.kind !== 'same').length
  // The line after a final line break is empty and not shown.
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
      ? content.parameters.map((each) => String((each as { name?: unknown }).name)).join(', ')
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
