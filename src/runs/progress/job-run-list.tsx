import DownOutlined from '@ant-design/icons/es/icons/DownOutlined'
import RightOutlined from '@ant-design/icons/es/icons/RightOutlined'
import { Button, Input, Pagination, Select } from 'antd'
import { type MouseEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { RecordLink } from '@/resource/fields/relation/record-link'
import { RunOutputView } from '@/runs/output/run-output'
import { EmptyState } from '@/ui/empty-state'
import { arrangeRuns, type RunOrder } from './arrange-runs'
import type { RunWithDevice } from './job-data'
import { RunFacts } from './run-facts'
import { RunStatusTag } from './run-status-tag'
import css from './runs.module.css'
import { StopRunButton } from './stop-run-button'

const PAGE_SIZE = 10

/** Links, buttons and their dialogs, which React nests in the row, act for themselves; so does a selection of text. */
const isOnRow = ({ target, currentTarget }: MouseEvent<HTMLElement>): boolean =>
  target instanceof Element &&
  currentTarget.contains(target) &&
  target.closest('a, button') === null &&
  window.getSelection()?.type !== 'Range'

type Props = {
  runs: RunWithDevice[]
  script: string
  onChanged: () => unknown
  onFailure: (error: unknown) => void
}

/** The runs of one task, what needs attention first. Each expands to its output; a single run starts expanded. */
export function JobRunList({ runs, script, onChanged, onFailure }: Props) {
  const { t } = useTranslation('jobs')
  const [page, setPage] = useState(1)
  /** With the status that each had then. */
  const [toggled, setToggled] = useState<ReadonlyMap<string, string>>(new Map())
  const startsOpen = runs.length === 1
  const [text, setText] = useState('')
  const [order, setOrder] = useState<RunOrder>('status')
  const found = arrangeRuns(runs, text, order, toggled)
  const shown = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  const toggle = ({ id, status }: RunWithDevice) =>
    setToggled((before) => {
      const next = new Map(before)
      if (!next.delete(id)) next.set(id, status)
      return next
    })

  return (
    <div>
      {runs.length > PAGE_SIZE ? (
        <div className="l-toolbar">
          <Input
            type="search"
            allowClear
            className={css.search}
            aria-label={t('list.searchRuns')}
            placeholder={t('list.searchRuns')}
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              setPage(1)
            }}
          />
          <Select<RunOrder>
            aria-label={t('list.sort')}
            value={order}
            onChange={(next) => {
              setOrder(next)
              setPage(1)
            }}
            options={[
              { value: 'status', label: t('list.byStatus') },
              { value: 'device', label: t('list.byDevice') },
            ]}
          />
        </div>
      ) : null}
      {found.length === 0 ? (
        <EmptyState
          title={t('list.noMatch')}
          action={<Button onClick={() => setText('')}>{t('list.clearSearch')}</Button>}
        />
      ) : null}
      <ul className={css.runs} hidden={found.length === 0}>
        {shown.map((run) => {
          const isExpanded = startsOpen !== toggled.has(run.id)
          const name = run.device?.name ?? t('run.noDevice')
          return (
            <li key={run.id} className={css.run}>
              {/* biome-ignore lint/a11y/noStaticElementInteractions: its button does the same for the keyboard */}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: its button does the same for the keyboard */}
              <div className={css.runRow} onClick={(event) => isOnRow(event) && toggle(run)}>
                <div className={css.runHead}>
                  <Button
                    type="text"
                    size="small"
                    icon={isExpanded ? <DownOutlined /> : <RightOutlined />}
                    aria-expanded={isExpanded}
                    aria-label={t('run.showOutput', { name })}
                    onClick={() => toggle(run)}
                  />
                  <span className={css.runName}>
                    {run.device ? (
                      <RecordLink to="devices" id={run.device.id} row={run.device} />
                    ) : (
                      t('run.noDevice')
                    )}
                  </span>
                  <RunStatusTag status={run.status} />
                  <StopRunButton
                    run={run}
                    script={script}
                    device={name}
                    onStopped={onChanged}
                    onFailure={onFailure}
                  />
                </div>
                <RunFacts run={run} />
              </div>
              {isExpanded ? <RunOutputView run={run} deviceName={name} height={240} /> : null}
            </li>
          )
        })}
      </ul>
      {found.length > PAGE_SIZE ? (
        <Pagination
          size="small"
          current={page}
          pageSize={PAGE_SIZE}
          total={found.length}
          onChange={setPage}
          showSizeChanger={false}
          className={css.pages}
        />
      ) : null}
    </div>
  )
}
