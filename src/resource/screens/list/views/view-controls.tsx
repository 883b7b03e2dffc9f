import { Button, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { changeList } from '@/resource/request/query/list-state'
import { quickView, type SavedView, viewQuery } from '@/resource/request/query/saved-views'
import type { ListSetup } from '@/resource/request/query/use-list-setup'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useViewWrites } from '@/resource/screens/list/views/use-view-writes'
import { useSharingRefusal, ViewDialog, type ViewDraft } from '@/resource/screens/list/views/view-dialog'
import '@/resource/screens/list/views/views.css'
import MoreOutlined from '@ant-design/icons/es/icons/MoreOutlined'
import { isOutOfRole } from '@/access/policy'
import type { MenuItem } from '@/resource/screens/actions/use-guarded-item'
import { MenuButton } from '@/ui/menu-button'
import { useSingleCall } from '@/ui/use-single-call'

type ViewTask = 'update' | 'rename' | 'default' | 'share' | 'delete'

interface ViewMenuProps {
  view: SavedView
  companyId: string | null
  isChanged: boolean
  isSmall: boolean
  onTask: (task: ViewTask) => void
}

/** Users change their own views; shared ones are changed by roles that may share, and have no menu for the others. */
export function ViewMenu({ view, companyId, isChanged, isSmall, onTask }: ViewMenuProps) {
  const { t } = useTranslation('views')
  const can = useCan()
  const sharing = can('saved_views', 'share')
  const canChange = sharing.allowed || (view.is_mine && view.scope === 'mine')
  const refusal = useSharingRefusal(companyId)
  if (!canChange && isOutOfRole(sharing) && !view.is_mine) return null
  const item = (
    task: ViewTask,
    label: string,
    isPossible: boolean,
    reason = t(canChange ? 'nothingToUpdate' : 'notYours'),
  ): MenuItem => ({
    key: task,
    label: isPossible ? (
      label
    ) : (
      <span className="k-menu-refused">
        {label}
        <span className="k-menu-reason">{reason}</span>
      </span>
    ),
    disabled: !isPossible,
    danger: task === 'delete',
  })
  const items: MenuItem[] = [
    item('update', t('update'), canChange && isChanged),
    item('rename', t('rename'), canChange),
    item('default', t(view.is_default ? 'clearDefault' : 'makeDefault'), canChange),
    // A shared view can be taken back where no company is in view.
    ...(refusal === null
      ? []
      : [
          refusal && canChange && view.scope === 'mine'
            ? item('share', t('share'), false, refusal)
            : item('share', t('share'), canChange),
        ]),
    { type: 'divider' },
    item('delete', t('delete'), canChange || view.is_mine),
  ]
  return (
    <MenuButton menu={{ items, onClick: ({ key }) => onTask(key as ViewTask) }}>
      <Button
        size={isSmall ? 'small' : 'middle'}
        icon={<MoreOutlined aria-hidden="true" />}
        aria-haspopup="menu"
        aria-label={t('menu', { name: view.name })}
      />
    </MenuButton>
  )
}

interface ViewControlsProps {
  definition: Definition
  scope: ResourceScope
  setup: ListSetup
  isChanged: boolean
  isSmall: boolean
}

const NEW = { name: '', scope: 'mine', role: null, isDefault: false, isMine: true } as const

/** Keeps the current list as a view, or changes the view that it shows. */
export function ViewControls({ definition, scope, setup, isChanged, isSmall }: ViewControlsProps) {
  const { t } = useTranslation('views')
  const writes = useViewWrites()
  const { state, setState, chosen } = setup
  const [task, setTask] = useState<ViewTask | 'save' | null>(null)
  const close = () => setTask(null)
  const seen = () => ({ query: viewQuery(state, setup.choice, definition) })

  const handleCreate = useSingleCall(async ({ name, sharing, isDefault }: ViewDraft) => {
    const row = await writes.create({
      resource: definition.name,
      name,
      ...sharing,
      state: seen(),
      is_default: isDefault,
    })
    if (!row) return
    close()
    setState(changeList(state, { saved: String(row.id), columns: setup.choice }), { replace: true })
  })
  const handleChange = async (view: SavedView, draft: ViewDraft) => {
    const values = task === 'rename' ? { name: draft.name } : draft.sharing
    if (await writes.update(view, values)) close()
  }
  const handleDelete = async (view: SavedView) => {
    if (!(await writes.remove(view))) return
    close()
    setState(quickView(state, null, true, definition, findDefinition), { replace: true })
  }
  const handleTask = (view: SavedView, chosenTask: ViewTask) => {
    if (chosenTask === 'update') void writes.update(view, { state: seen() })
    else if (chosenTask === 'default') void writes.update(view, { is_default: !view.is_default })
    else setTask(chosenTask)
  }
  return (
    <span className="k-view-tools">
      {chosen ? (
        <ViewMenu
          isSmall={isSmall}
          view={chosen}
          companyId={scope.companyId}
          isChanged={isChanged}
          onTask={(next) => handleTask(chosen, next)}
        />
      ) : null}
      {isChanged ? (
        <Button size={isSmall ? 'small' : 'middle'} onClick={() => setTask('save')}>
          {t('save')}
        </Button>
      ) : null}
      {task === 'save' ? (
        <ViewDialog
          title={t('saveTitle')}
          asks={['name', 'sharing', 'default']}
          initial={NEW}
          companyId={scope.companyId}
          isPending={writes.isPending}
          onSave={(draft) => void handleCreate(draft)}
          onClose={close}
        />
      ) : null}
      {chosen && (task === 'rename' || task === 'share') ? (
        <ViewDialog
          title={t(task === 'rename' ? 'renameTitle' : 'shareTitle', { name: chosen.name })}
          asks={[task === 'rename' ? 'name' : 'sharing']}
          initial={{ ...chosen, isDefault: chosen.is_default, isMine: chosen.is_mine }}
          companyId={scope.companyId}
          isPending={writes.isPending}
          onSave={(draft) => void handleChange(chosen, draft)}
          onClose={close}
        />
      ) : null}
      {chosen && task === 'delete' ? (
        <Modal
          open
          title={t('deleteTitle', { name: chosen.name })}
          okText={t('deleteOk')}
          cancelText={t('cancel')}
          okButtonProps={{ danger: true }}
          confirmLoading={writes.isPending}
          onOk={() => handleDelete(chosen)}
          onCancel={close}
        >
          <p>{t(chosen.scope === 'mine' ? 'deleteText' : 'deleteShared')}</p>
        </Modal>
      ) : null}
    </span>
  )
}
