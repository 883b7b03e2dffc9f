import { useQuery } from '@tanstack/react-query'
import { Alert, Skeleton, Typography, theme } from 'antd'
import { useTranslation } from 'react-i18next'
import { useErrorText } from '@/resource/use-error-text'
import { CopyButton } from '@/ui/copy-button'
import { ErrorState } from '@/ui/error-state'
import { readRunOutput } from './job-data'
import { isRunErrorCode } from './run-error'
import { isOpen } from './run-status'

type Props = {
  run: { id: string; company_id: string; status: string; error?: string | null }
  maxHeight?: number | string
}

/** What the script printed. Read when shown, again when the run changes state. */
export function RunOutputView({ run, maxHeight = 320 }: Props) {
  const { t } = useTranslation('jobs')
  const { token } = theme.useToken()
  const errorText = useErrorText()
  const query = useQuery({
    queryKey: [run.company_id, 'job_runs', 'output', run.id, run.status],
    queryFn: () => readRunOutput(run.id),
    refetchInterval: isOpen(run.status) ? 5000 : false,
  })
  if (query.isPending) return <Skeleton active paragraph={{ rows: 3 }} title={false} />
  if (query.isError) return <ErrorState text={errorText(query.error)} onRetry={() => query.refetch()} />
  const { output, output_truncated: isTruncated, error } = query.data
  return (
    <div style={{ display: 'grid', gap: token.marginXS }}>
      {error ? (
        <Alert
          type={error === 'cancelled' ? 'info' : 'error'}
          showIcon
          title={isRunErrorCode(error) ? t(`errors.${error}`) : error}
        />
      ) : null}
      {output ? (
        <div style={{ position: 'relative' }}>
          {/* Reachable by keyboard, since a long output scrolls. */}
          <section
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must take the focus
            tabIndex={0}
            aria-label={t('output.label')}
            style={{
              maxHeight,
              overflow: 'auto',
              padding: token.paddingSM,
              paddingInlineEnd: token.controlHeight + token.paddingSM,
              background: token.colorFillQuaternary,
              border: `1px solid ${token.colorBorderSecondary}`,
              borderRadius: token.borderRadius,
            }}
          >
            <pre
              style={{
                margin: 0,
                fontFamily: token.fontFamilyCode,
                fontSize: token.fontSizeSM,
                lineHeight: 1.6,
                whiteSpace: 'pre-wrap',
                overflowWrap: 'anywhere',
              }}
            >
              {output}
            </pre>
          </section>
          <div style={{ position: 'absolute', insetBlockStart: 4, insetInlineEnd: 4 }}>
            <CopyButton text={output} iconOnly size="small" label={t('output.copy')} />
          </div>
        </div>
      ) : (
        <Typography.Text type="secondary">
          {isOpen(run.status) ? t('output.waiting') : t('output.none')}
        </Typography.Text>
      )}
      {isTruncated ? <Typography.Text type="secondary">{t('output.truncated')}</Typography.Text> : null}
    </div>
  )
}
