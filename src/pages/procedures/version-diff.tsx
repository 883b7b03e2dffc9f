import { useOne } from '@refinedev/core'
import { Checkbox } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TableRow } from '@/data/database'
import { useFieldWord, useValueWord } from '@/resource/language/words'
import { QueryState } from '@/resource/query-state'
import { VisibleText } from '@/ui/visible-text'
import { diffLines, withContext } from './line-diff'
import { settingChanges, type VersionColumns } from './version-settings'
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
  author: { name: string } | null
}
type VersionContent = Pick<TableRow<'procedure_versions'>, 'id' | 'script'> & VersionColumns

type Compared = Pick<ProcedureVersion, 'id' | 'number'>
type Props = { companyId: string; from: Compared | undefined; to: Compared }

/** Compares two versions. The first version is shown without a comparison. */
export function VersionDiff({ companyId, from, to }: Props) {
  const before = useVersion(companyId, from?.id)
  const after = useVersion(companyId, to.id)
  if (after.data === undefined || (from && before.data === undefined))
    return <QueryState query={from ? [before, after] : after} rows={6} />
  return <Diff before={before.data?.data ?? null} after={after.data.data} />
}

function useVersion(companyId: string, id: string | undefined) {
  const { query } = useOne<VersionContent>({
    resource: 'procedure_versions',
    id: id ?? '',
    // Every column: a version may come to fix more than is known here.
    meta: { companyId, select: '*' },
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
      <Settings before={before} after={after} />
      {before ? (
        <div className={css.counts}>
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
              <span className={css.code}>{chunk.text === '' ? ' ' : <VisibleText text={chunk.text} />}</span>
            </div>
          ),
        )}
      </section>
    </>
  )
}

/** Lists the settings that a version fixes beside its script: all of them for a first version, the changed ones otherwise. */
function Settings({ before, after }: { before: VersionContent | null; after: VersionContent }) {
  const { t } = useTranslation(['procedures', 'common'])
  const word = useFieldWord('procedures')
  const systemWord = useValueWord('procedures', 'platforms')
  const changes = settingChanges(before, after)
  const textOf = (field: string, value: unknown): string => {
    if (field === 'timeout_seconds') return t('versions.seconds', { count: Number(value) })
    if (typeof value === 'boolean') return t(value ? 'versions.yes' : 'versions.no')
    if (field === 'platforms' && Array.isArray(value)) return value.map(systemWord).join(', ')
    if (Array.isArray(value)) return value.map(String).join(', ')
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  if (changes.length === 0) return null
  return (
    <ul className={css.settings} aria-label={t('versions.settings')}>
      {changes.map(({ field, parameter, before: old, after: now }) => (
        <li key={`${parameter ?? ''} ${field}`}>
          {parameter === null ? null : <code>{parameter}</code>} {word(field)}:{' '}
          {old === undefined ? null : (
            <del>
              <VisibleText text={textOf(field, old)} />
            </del>
          )}
          {old === undefined || now === undefined ? ' ' : ' → '}
          {now === undefined ? null : (
            <ins>
              <VisibleText text={textOf(field, now)} />
            </ins>
          )}
        </li>
      ))}
    </ul>
  )
}
