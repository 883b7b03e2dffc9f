import { useSyncExternalStore } from 'react'

/** A role of `policies/`, as `my_policy()` describes it. */
export interface Role {
  name: string
  /** Whether the signed-in user's role has all its permissions: only then may they give it. */
  isGrantable: boolean
  /** Whether the people with the role belong to a company. */
  hasCompany: boolean
}

let roles: readonly Role[] = []
const listeners = new Set<() => void>()

/** All roles, in descending order of permissions. Empty until the permissions are loaded. */
export function allRoles(): readonly Role[] {
  return roles
}

export function setAllRoles(next: readonly Role[]): void {
  roles = next
  for (const listener of [...listeners]) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useAllRoles(): readonly Role[] {
  return useSyncExternalStore(subscribe, allRoles)
}
