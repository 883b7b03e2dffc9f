import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import { Button } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/definition/definition.generated'
import type { ListSetup } from '@/resource/preferences/use-list-setup'
import type { ResourceWords } from '@/resource/words'
import { lazyPart } from '@/ui/load-chunk'

const ColumnChooser = lazyPart(() =>
  import('@/resource/preferences/column-chooser').then((module) => ({ default: module.ColumnChooser })),
)

interface ColumnButtonProps {
  definition: Definition
  words: ResourceWords
  setup: ListSetup
}

export function ColumnButton(props: ColumnButtonProps) {
  const { t } = useTranslation('engine')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        icon={<SettingOutlined aria-hidden="true" />}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        {t('list.columns')}
      </Button>
      {isOpen ? (
        <Suspense fallback={null}>
          <ColumnChooser {...props} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
