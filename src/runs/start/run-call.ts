import { createContext, useCallback, useContext } from 'react'
import { type CallRpc, useRpcCall } from '@/refine/use-rpc'

type WrapCall = (
  name: string,
  args: Record<string, unknown>,
) => { name: string; args: Record<string, unknown> }

/** A page that a run belongs to, such as a ticket, puts its own function around the call that starts it. */
export const RunCallContext = createContext<WrapCall | null>(null)

/** Starts a run, linked to the page around it. @throws DataError */
export function useRunCall(): CallRpc {
  const call = useRpcCall()
  const wrap = useContext(RunCallContext)
  return useCallback(
    <Result>(name: string, args: Record<string, unknown> = {}) => {
      const asked = wrap ? wrap(name, args) : { name, args }
      return call<Result>(asked.name, asked.args)
    },
    [call, wrap],
  )
}
