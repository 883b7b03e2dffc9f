import { useTranslation } from 'react-i18next'
import { RecordSelect } from '@/pages/devices/record-select'
import { SAVED_COMMAND, type SavedCommand } from './command-data'

interface SavedCommandSelectProps {
  id: string
  companyId: string | null
  value: SavedCommand | null
  onChange: (command: SavedCommand) => void
}

export function SavedCommandSelect(props: SavedCommandSelectProps) {
  const { t } = useTranslation('commands')
  return (
    <RecordSelect<SavedCommand>
      {...props}
      resource="saved_commands"
      select={SAVED_COMMAND}
      label={t('form.saved')}
      placeholder={t('form.savedPlaceholder')}
      nothing={t('form.noSaved')}
      aside={({ type }) => type}
    />
  )
}
