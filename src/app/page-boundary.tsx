import { Component, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorState } from '@/ui/error-state'

interface PageBoundaryProps {
  children: ReactNode
}

/** Keeps the shell around the message when a page crashes, or its file is gone after an upgrade. */
export class PageBoundary extends Component<PageBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Failure /> : this.props.children
  }
}

function Failure() {
  const { t } = useTranslation('common')
  return (
    <ErrorState
      title={t('states.crashTitle')}
      text={t('states.crashText')}
      onRetry={() => window.location.reload()}
    />
  )
}
