import type { Backend } from './context'
import { type Device, isKnownDevice } from './device-cookie'
import { Backoff, RateLimit } from './rate-limit'

/** Whether an attempt may proceed; `cancel` removes it from the count. */
export type Admission = { admitted: true; cancel: () => void } | { admitted: false; retryAfter: number }

interface Limit {
  take: (key: string) => (() => void) | null
  retryAfter: (key: string) => number
}

/** Books the attempt with every limit, or with none when one of them refuses. */
function admit(limits: readonly [limit: Limit, key: string][]): Admission {
  const taken: (() => void)[] = []
  const cancel = () => {
    for (const undo of taken) undo()
  }
  for (const [limit, key] of limits) {
    const undo = limit.take(key)
    if (!undo) {
      cancel()
      return { admitted: false, retryAfter: limit.retryAfter(key) }
    }
    taken.push(undo)
  }
  return { admitted: true, cancel }
}

interface Attempt {
  email: string
  address: string
  device: Device | null
}

/**
 * A device where the account signed in before counts only its own attempts: neither strangers who guess at the
 * account nor neighbors behind the same address make the device wait. Everybody else shares the limits of
 * the address and of the account, so guessing from many addresses gets slower with each wrong password.
 */
export function signInLimits(backend: Backend) {
  const factor = backend.rateLimitFactor
  const wrongByPair = new RateLimit(20, 300, factor)
  const wrongByAddress = new RateLimit(60, 300, factor)
  const wrongByAccount = new Backoff(20, factor)
  const mailsByEmail = new RateLimit(5, 900, factor)
  const mailsByAddress = new RateLimit(30, 900, factor)
  const linksByAddress = new RateLimit(30, 300, factor)
  const all = new RateLimit(3000, 300, factor)
  const sourceOf = ({ address, device }: Omit<Attempt, 'email'>) => device?.id ?? address

  return {
    /** Any request of these routes. */
    request: (attempt: Omit<Attempt, 'email'>): Admission => admit([[all, sourceOf(attempt)]]),
    password: ({ email, address, device }: Attempt): Admission =>
      isKnownDevice(backend, device, email)
        ? admit([[wrongByPair, `${device.id} ${email}`]])
        : admit([
            [wrongByPair, `${address} ${email}`],
            [wrongByAddress, address],
            [wrongByAccount, email],
          ]),
    /** Counts addresses that have no account like any other, or the limit would tell. */
    mail: ({ email, address, device }: Attempt): Admission =>
      isKnownDevice(backend, device, email)
        ? admit([[mailsByEmail, `${device.id} ${email}`]])
        : admit([
            [mailsByAddress, address],
            [mailsByEmail, email],
          ]),
    link: (attempt: Omit<Attempt, 'email'>): Admission => admit([[linksByAddress, sourceOf(attempt)]]),
  }
}

export type SignInLimits = ReturnType<typeof signInLimits>
