import { useTranslation } from 'react-i18next'

/** No value: a dash to see, words to hear. */
export function Blank() {
  const { t } = useTranslation('engine')
  return (
    <span className="k-blank">
      <span aria-hidden="true">–</span>
      <span className="k-visually-hidden">{t('blank')}</span>
    </span>
  )
}
