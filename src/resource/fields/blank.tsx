import { useEngineWords } from '@/i18n/use-fixed-words'

/** No value: a dash to see, words to hear. */
export function Blank() {
  const t = useEngineWords()
  return (
    <span className="k-blank">
      <span aria-hidden="true">–</span>
      <span className="k-visually-hidden">{t('blank')}</span>
    </span>
  )
}

/** A value that the user may not see: another record without the permission for it. */
export function Unseen() {
  const t = useEngineWords()
  return (
    <span className="k-soft" title={t('unseenTitle')}>
      {t('unseen')}
    </span>
  )
}
