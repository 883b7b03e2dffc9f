import { connect, createServer, type Server, type Socket } from 'node:net'

/** A line to the server that can be cut: what the agent sees when the network or the server is gone. */
export interface Line {
  url: string
  cut: () => Promise<void>
  mend: () => Promise<void>
}

export async function createLine(target: string): Promise<Line> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let server: Server | null = null
  let ownPort = 0

  const open = () =>
    new Promise<void>((done, fail) => {
      server = createServer((near) => {
        const far = connect(Number(port), hostname)
        for (const socket of [near, far]) {
          sockets.add(socket)
          socket.on('error', () => undefined)
          socket.once('close', () => {
            sockets.delete(socket)
            near.destroy()
            far.destroy()
          })
        }
        near.pipe(far)
        far.pipe(near)
      })
      server.once('error', fail)
      server.listen(ownPort, '127.0.0.1', () => {
        const address = server?.address()
        if (address && typeof address === 'object') ownPort = address.port
        done()
      })
    })

  await open()
  return {
    url: `http://127.0.0.1:${ownPort}`,
    cut: () =>
      new Promise((done) => {
        server?.close(() => done())
        for (const socket of sockets) socket.destroy()
      }),
    mend: open,
  }
}
