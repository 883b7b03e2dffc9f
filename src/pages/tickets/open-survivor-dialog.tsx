import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import type { DialogProps } from '@/resource/engine-context'

/** Leads from a merged ticket to the one that took its conversation. */
export function OpenSurvivorDialog({ records, onClose }: DialogProps) {
  const navigate = useNavigate()
  const survivor = records[0]?.merged_into_id
  useEffect(() => {
    onClose()
    if (typeof survivor === 'string') navigate(`/tickets/${survivor}`)
  }, [survivor, navigate, onClose])
  return null
}
