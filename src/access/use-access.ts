import { useContext } from 'react'
import { AccessContext, type AccessValue } from '@/access/access-context'

export function useAccess(): AccessValue {
  const value = useContext(AccessContext)
  if (!value) throw new Error('useAccess needs AccessProvider above it')
  return value
}
