import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import type { Row } from '@/data/rows'
import { actionsOn, isOffered } from '@/resource/actions/actions'
import type { ActionRunner } from '@/resource/actions/use-action-runner'
import type { Definition } from '@/resource/definition/definition.generated'
import { canDelete } from '@/resource/definition/naming'
import type { ResourceScope } from '@/resource/queries/use-scope'
import type { ResourceWords } from '@/resource/words'

interface BulkBarProps {
  definition: Definition
  words: ResourceWords
  scope: ResourceScope
  rows: Row[]
  runner: ActionRunner
  onClear: () => void
}

/** What can be done with the chosen rows. */
export function BulkBar({ definition, words, scope, rows, runner, onClear }: BulkBarProps) {
  const { t } = useTranslation('engine')
  return (
    <section className="k-bulk" aria-label={t('list.selected', { count: rows.length })}>
      <span className="k-bulk-count" role="status">
        {t('list.selected', { count: rows.length })}
      </span>
      {actionsOn(definition, 'bulk').map((named) => {
        const isPossible = rows.every((row) => isOffered(definition, named.action, row, scope.filter))
        return (
          <GuardedButton
            key={named.name}
            resource={named.object}
            action={named.verb}
            danger={named.action.danger === true}
            disabled={!isPossible}
            onClick={() => runner.run(named, rows)}
          >
            {words.action(named.name)}
          </GuardedButton>
        )
      })}
      {canDelete(definition) ? (
        <GuardedButton resource={definition.name} action="delete" danger onClick={() => runner.remove(rows)}>
          {t('action.delete')}
        </GuardedButton>
      ) : null}
      <Button type="text" icon={<CloseOutlined aria-hidden="true" />} onClick={onClear}>
        {t('list.clearSelection')}
      </Button>
    </section>
  )
}
