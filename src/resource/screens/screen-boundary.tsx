import { Component, type ReactNode } from 'react'

interface ScreenBoundaryProps {
  /** Looks for the cause in the definition; false when it is not there. */
  onCrash: () => Promise<boolean>
  children: ReactNode
  fallback: ReactNode
}

interface ScreenBoundaryState {
  error: unknown
  isExplained: boolean | null
}

/**
 * An invalid definition can crash its screen before it has been validated. Such a crash shows the
 * definition's errors; any other is passed to the page's error boundary.
 */
export class ScreenBoundary extends Component<ScreenBoundaryProps, ScreenBoundaryState> {
  override state: ScreenBoundaryState = { error: null, isExplained: null }

  static getDerivedStateFromError(error: unknown): Partial<ScreenBoundaryState> {
    return { error: error ?? new Error('The screen broke') }
  }

  override componentDidCatch(): void {
    this.props.onCrash().then(
      (isExplained) => this.setState({ isExplained }),
      () => this.setState({ isExplained: false }),
    )
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    if (this.state.isExplained === false) throw this.state.error
    return this.props.fallback
  }
}
