import { createContext, useContext } from 'react'

export interface CompanyOption {
  id: string
  name: string
}

export interface CompanyScope {
  /** The company in view; null = all companies, for a Super Admin only. First part of every query key. */
  companyId: string | null
  setCompanyId: (companyId: string | null) => void
  /** The companies that a Super Admin may switch to; empty for everybody else. */
  companies: readonly CompanyOption[]
  /** Whether a Super Admin works in a console without any company. */
  hasNoCompany?: boolean
  /** Reads the companies again. */
  refresh?: () => void
}

export const CompanyScopeContext = createContext<CompanyScope | null>(null)

export function useCompanyScope(): CompanyScope {
  const value = useContext(CompanyScopeContext)
  if (!value) throw new Error('useCompanyScope needs CompanyScopeProvider above it')
  return value
}
