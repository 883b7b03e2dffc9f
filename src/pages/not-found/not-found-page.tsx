import { useLayoutEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useDocumentTitle } from '@/ui/document-title'
import { removeEarlyPage } from '@/ui/early-page'
import { Icon } from '@/ui/icons'
import '@/ui/plain-button.css'
import '@/ui/states.css'

export function NotFoundPage() {
  const { t } = useTranslation('common')
  const title = t('notFound.title')
  useLayoutEffect(removeEarlyPage, [])
  useDocumentTitle(title)
  return (
    <main className="k-full-screen">
      <span className="k-state-icon" aria-hidden="true">
        <Icon name="compass" />
      </span>
      <h1 className="k-state-title">{title}</h1>
      <p className="k-state-text">{t('notFound.text')}</p>
      <Link to="/" className="k-button" data-kind="primary">
        {t('notFound.home')}
      </Link>
    </main>
  )
}
