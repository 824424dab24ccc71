import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A relay between the libraries and the server, which shows what a library really sent. */
export type Wire = {
  readonly url: string
  /** Connections since the start. */
  readonly connections: () => number
  /** The text that clients sent since the last call, at most 64 KiB. */
  readonly takeSent: () => string
  readonly close: () => void
}

const SHOWN_BYTES_MAX = 65_536

/** Listens on a free port of the loopback interface and relays each connection, its end and its reset to a port. */
export async function openWire(serverPort: number): Promise<Wire> {
  let connections = 0
  let sent = ''
  const open = new Set<Socket>()
  const relay = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    connections += 1
    const server = connect({ port: serverPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    client.on('data', (bytes) => {
      sent = (sent + bytes.toString('latin1')).slice(0, SHOWN_BYTES_MAX)
    })
    join(client, server)
    join(server, client)
    open.add(client).add(server)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    takeSent: () => {
      const taken = sent
      sent = ''
      return taken
    },
    close: () => {
      relay.close()
      for (const one of open) one.destroy()
    },
  }
}

function join(from: Socket, to: Socket): void {
  from.pipe(to)
  // A reset of one connection resets the other one.
  from.on('error', () => to.resetAndDestroy())
  from.on('close', () => to.end())
}
