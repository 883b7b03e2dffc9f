export type TokenState = 'active' | 'revoked' | 'expired' | 'used_up'

export type TokenLimits = {
  revoked_at: string | null
  expires_at: string | null
  max_uses: number | null
  used_count: number
}

/** What an agent presenting the token would meet. Revoked outranks the others: it is the one somebody decided. */
export function tokenState(token: TokenLimits, now: number): TokenState {
  if (token.revoked_at !== null) return 'revoked'
  if (token.expires_at !== null && Date.parse(token.expires_at) <= now) return 'expired'
  if (token.max_uses !== null && token.used_count >= token.max_uses) return 'used_up'
  return 'active'
}
