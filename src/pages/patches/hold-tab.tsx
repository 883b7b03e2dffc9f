import type { TabProps } from '@/resource/engine-context'
import { HeldUpdates } from '@/runs/updates/held-updates'

/** Whether the ring of the device's policy holds this update back, and why. */
export function HoldTab({ record }: TabProps) {
  return <HeldUpdates deviceId={String(record.device_id)} only={String(record.id)} />
}
