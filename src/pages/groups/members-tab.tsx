import DisconnectOutlined from '@ant-design/icons/es/icons/DisconnectOutlined'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import type { TabProps } from '@/resource/engine-context'
import { PartList } from '@/resource/screens/part-list'
import { EmptyState } from '@/ui/empty-state'
import { lazyPart } from '@/ui/load-chunk'
import { GroupRule } from './group-rule'

const AddDevicesDialog = lazyPart(() =>
  import('./add-devices-dialog').then((module) => ({ default: module.AddDevicesDialog })),
)
const RemoveDevicesDialog = lazyPart(() =>
  import('./remove-devices-dialog').then((module) => ({ default: module.RemoveDevicesDialog })),
)

/** The devices of a group. Adding and removing is an edit of the group. */
export function MembersTab({ record }: TabProps) {
  const { t } = useTranslation('groups')
  const cache = useCache()
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<readonly Row[] | null>(null)
  const group = { groupId: String(record.id), companyId: String(record.company_id) }
  const isByRule = record.chosen_by === 'rule'
  const handleChanged = () => {
    // The group's own row counts its devices, and the list below shows devices.
    for (const resource of ['group_devices', 'groups', 'devices']) void cache.invalidate(resource)
  }
  const addButton = isByRule ? null : (
    <GuardedButton resource="groups" action="edit" type="primary" onClick={() => setAdding(true)}>
      {t('members.add')}
    </GuardedButton>
  )
  return (
    <div>
      <GroupRule group={record} />
      {isByRule && !record.rule ? null : (
        <PartList
          resource="devices"
          under={{ field: 'groups', id: group.groupId }}
          action={addButton}
          actions={
            isByRule
              ? []
              : [
                  {
                    key: 'remove-from-group',
                    label: t('members.remove'),
                    icon: <DisconnectOutlined aria-hidden="true" />,
                    object: 'groups',
                    verb: 'edit',
                    run: setLeaving,
                  },
                ]
          }
          empty={
            isByRule ? (
              <EmptyState title={t('rule.empty')} text={t('rule.emptyText')} />
            ) : (
              <EmptyState title={t('members.empty')} text={t('members.emptyText')} />
            )
          }
        />
      )}
      <Suspense fallback={null}>
        {isAdding ? (
          <AddDevicesDialog group={group} onClose={() => setAdding(false)} onAdded={handleChanged} />
        ) : null}
        {leaving ? (
          <RemoveDevicesDialog
            group={group}
            devices={leaving}
            onClose={() => setLeaving(null)}
            onRemoved={handleChanged}
          />
        ) : null}
      </Suspense>
    </div>
  )
}
