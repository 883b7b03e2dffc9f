import type { RawData, WebSocket } from 'ws'
import { onBehalfOf } from '../database/queue'
import { type Claims, readToken } from '../http/sessions'
import { type Frame, field, parseBinaryFrame, parseFrame, writeFrame } from './frames'
import type { Hub, Member } from './hub'

const MAX_TOPICS = 50
/** Long enough for a page to sign in, too short to be worth collecting. */
const UNAUTHENTICATED_MS = 10_000
const PREFIX = 'realtime:'
/** `here` is answered with the others' own state, so that a page that has just opened knows who was there before. */
const PRESENCE_STATES: ReadonlySet<string> = new Set(['here', 'looking', 'writing', 'gone'])
/** Presence messages of one connection in ten seconds; a page sends one every few seconds. */
const MAX_PRESENCE = 60

/** Counts what one connection says, and begins again every ten seconds. */
function allowance(): { take: () => boolean } {
  let [count, since] = [0, 0]
  return {
    take: () => {
      const now = Date.now()
      if (now - since > 10_000) [count, since] = [0, now]
      return ++count <= MAX_PRESENCE
    },
  }
}

const bytesOf = (data: RawData): Buffer =>
  Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data)

export interface ConnectionOptions {
  vsn2: boolean
  hub: Hub
  jwtSecret: string
  /** Runs once, when the client has shown who it is or is gone. */
  onSettled: () => void
}

/** Speaks Phoenix with one client: join, leave, heartbeat and new tokens. Clients listen; on the topic of a record they also say that they look or write. */
export function serveConnection(
  socket: WebSocket,
  { vsn2, hub, jwtSecret, onSettled }: ConnectionOptions,
): void {
  const joined = new Map<string, { member: Member; joinRef: string | null }>()
  const said = allowance()
  // A closing handshake is left out: a client that only opens connections would never answer it.
  const impatience = setTimeout(() => socket.terminate(), UNAUTHENTICATED_MS)
  impatience.unref()
  let isSettled = false
  const settle = () => {
    clearTimeout(impatience)
    if (isSettled) return
    isSettled = true
    onSettled()
  }

  const send = (frame: Frame) => {
    if (socket.readyState === socket.OPEN) socket.send(writeFrame(frame, vsn2))
  }
  const reply = ({ joinRef, ref, topic }: Frame, status: 'ok' | 'error', response: unknown) =>
    send({ joinRef, ref, topic, event: 'phx_reply', payload: { status, response } })

  const memberOf = (topic: string, joinRef: string | null, claims: Claims): Member => ({
    topic: topic.slice(PREFIX.length),
    claims,
    send: (payload, event = 'change') =>
      send({
        joinRef: null,
        ref: null,
        topic,
        event: 'broadcast',
        payload: { type: 'broadcast', event, payload },
      }),
    dismiss: (reason) => {
      joined.delete(topic)
      // An error, not a close: the client retries, and is let in once it may join.
      send({ joinRef, ref: joinRef, topic, event: 'phx_error', payload: { reason } })
    },
  })

  const leave = (topic: string) => {
    const entry = joined.get(topic)
    if (!entry) return
    joined.delete(topic)
    hub.leave(entry.member)
  }

  async function admit(topic: string, joinRef: string | null, token: unknown): Promise<boolean> {
    const claims = typeof token === 'string' ? await readToken(token, jwtSecret) : null
    if (!claims) return false
    const member = memberOf(topic, joinRef, claims)
    // Not before everybody's requests, as the server's own work is.
    if (!(await onBehalfOf('live', () => hub.join(member)))) return false
    leave(topic)
    joined.set(topic, { member, joinRef })
    settle()
    if (socket.readyState !== socket.OPEN) leave(topic)
    return true
  }

  async function join(frame: Frame): Promise<void> {
    const { topic, payload } = frame
    if (!topic.startsWith(PREFIX) || field(field(payload, 'config'), 'private') !== true)
      return reply(frame, 'error', { reason: 'Only private topics are served' })
    if (joined.size >= MAX_TOPICS && !joined.has(topic))
      return reply(frame, 'error', { reason: 'Too many topics on one connection' })
    leave(topic)
    if (!(await admit(topic, frame.joinRef, field(payload, 'access_token'))))
      return reply(frame, 'error', { reason: 'Unauthorized: you may not listen to this topic' })
    reply(frame, 'ok', {})
    const entry = joined.get(topic)
    if (entry) hub.greet(entry.member)
  }

  /** A refreshed token is checked against the database again. */
  async function renew({ topic, payload }: Frame): Promise<void> {
    const entry = joined.get(topic)
    if (!entry) return
    if (await admit(topic, entry.joinRef, field(payload, 'access_token'))) return
    leave(topic)
    entry.member.dismiss('The new token may not listen to this topic')
  }

  /** The only thing that a page says: that it looks at a record, or writes on it. Anything else is not passed on. */
  function hear({ topic, payload }: Frame): void {
    const entry = joined.get(topic)
    if (!entry || field(payload, 'event') !== 'presence' || !said.take()) return
    const told = field(payload, 'payload')
    const [page, state] = [field(told, 'page'), field(told, 'state')]
    if (typeof page !== 'string' || !/^[\w-]{8,40}$/.test(page)) return
    if (typeof state === 'string' && PRESENCE_STATES.has(state)) hub.passOn(entry.member, { page, state })
  }

  // Frames are handled in their order: a leave must not overtake the join before it.
  let tail: Promise<void> = Promise.resolve()
  async function handle(frame: Frame): Promise<void> {
    if (frame.event === 'heartbeat') return reply(frame, 'ok', {})
    if (frame.event === 'phx_join') return join(frame)
    if (frame.event === 'access_token') return renew(frame)
    if (frame.event === 'broadcast') return hear(frame)
    if (frame.event === 'phx_leave') {
      leave(frame.topic)
      return reply(frame, 'ok', {})
    }
  }

  let waiting = 0
  socket.on('message', (data, isBinary) => {
    const frame = isBinary ? parseBinaryFrame(bytesOf(data)) : parseFrame(String(data), vsn2)
    if (!frame) return
    if (++waiting > 200) return socket.close(1008, 'Too many messages')
    tail = tail
      .then(() => handle(frame))
      .then(
        () => void waiting--,
        () => {
          waiting--
          reply(frame, 'error', { reason: 'The server could not process the request' })
        },
      )
  })
  // A malformed frame would end the process if no listener were set; `close` follows anyway.
  socket.on('error', () => undefined)
  socket.on('close', () => {
    settle()
    for (const topic of [...joined.keys()]) leave(topic)
  })
}
