import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import { Button, Space } from 'antd'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import type { Definition } from '@/resource/definition/definition.generated'
import { useWords } from '@/resource/definition/words'
import { MergeSide } from '@/resource/form/merge-side'
import { type QueuedRow, recordOf } from '@/resource/inline/edit-queue'
import type { RowTexts } from '@/resource/inline/use-queue-texts'
import { recordTitle } from '@/resource/query/title'
import { useActivity } from '@/resource/query/use-record-query'
import type { ResourceScope } from '@/resource/query/use-scope'

interface ReviewRowProps {
  definition: Definition
  scope: ResourceScope
  row: QueuedRow
  texts: RowTexts | undefined
  onRemove: (name: string) => void
  onKeepMine: (name: string) => void
}

/** Shows a row of the review: its title, its conflict or failure, and its changes. */
export function ReviewRow({ definition, row, texts, onRemove, onKeepMine }: ReviewRowProps) {
  const { t } = useTranslation('inline')
  const can = useCan()
  const title = recordTitle(definition, row.base)
  const knowsWho = can('audit_log', 'list').allowed
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={4} className="k-review-title">
          {title}
          {row.isOvertaken ? (
            <span className="k-soft">
              {knowsWho ? <Overtaken definition={definition} id={row.id} /> : t('overtaken')}
            </span>
          ) : null}
          {texts?.row ? <span className="k-review-problem">{texts.row}</span> : null}
        </th>
      </tr>
      {Object.keys(row.changes).map((name) => (
        <ReviewLine
          key={name}
          definition={definition}
          row={row}
          name={name}
          title={title}
          problem={texts?.cells.get(name)}
          isConflict={texts?.conflicts.includes(name) ?? false}
          onRemove={() => onRemove(name)}
          onKeepMine={() => onKeepMine(name)}
        />
      ))}
    </tbody>
  )
}

/** Names the other author, for those who may read the audit log. */
function Overtaken({ definition, id }: { definition: Definition; id: string }) {
  const { t } = useTranslation('inline')
  const { t: engine } = useTranslation('engine')
  const { data } = useActivity(definition, id)
  const latest = data?.find(({ action }) => action === 'edit')
  if (!latest) return t('overtaken')
  return engine('merge.by', { who: latest.author?.email ?? engine('activity.system') })
}

interface ReviewLineProps {
  definition: Definition
  row: QueuedRow
  name: string
  title: string
  problem: string | undefined
  isConflict: boolean
  onRemove: () => void
  onKeepMine: () => void
}

function ReviewLine(props: ReviewLineProps) {
  const { definition, row, name, title, problem, isConflict, onRemove, onKeepMine } = props
  const { t } = useTranslation('inline')
  const words = useWords(definition)
  const field = definition.fields[name]
  if (!field) return null
  const label = words.field(name)
  const side = { definition, name, field }
  return (
    <tr data-wrong={problem !== undefined}>
      <th scope="row">{label}</th>
      <td>
        <MergeSide {...side} values={row.base} />
        {isConflict && row.theirs ? (
          <div className="k-review-theirs">
            <span className="k-soft">{t('theirs')}</span>
            <MergeSide {...side} values={row.theirs} />
          </div>
        ) : null}
      </td>
      <td>
        <MergeSide {...side} values={recordOf(row)} />
        {problem ? <span className="k-review-problem">{problem}</span> : null}
        {isConflict ? (
          <Space wrap className="k-review-choice">
            <Button size="small" aria-label={t('keepMineOf', { field: label, title })} onClick={onKeepMine}>
              {t('keepMine')}
            </Button>
            <Button size="small" aria-label={t('takeTheirsOf', { field: label, title })} onClick={onRemove}>
              {t('takeTheirs')}
            </Button>
          </Space>
        ) : null}
      </td>
      <td>
        {isConflict ? null : (
          <Button
            type="text"
            icon={<DeleteOutlined aria-hidden="true" />}
            aria-label={t('removeOf', { field: label, title })}
            title={t('remove')}
            onClick={onRemove}
          />
        )}
      </td>
    </tr>
  )
}
