import { useTranslation } from 'react-i18next'
import { SAVED_COMMAND, type SavedCommand } from '@/runs/start/command-data'
import { RecordSelect } from '@/runs/targets/record-select'

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
