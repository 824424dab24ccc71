import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { PGlite } from '@electric-sql/pglite'

/**
 * The embedded engine behind a port, for tests of the wire protocol that run without a PostgreSQL server. One
 * connection at a time.
 */
export async function embeddedServer(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const db = await PGlite.create()
  const server = createServer((socket) => {
    let answered: Promise<unknown> = Promise.resolve()
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes: Buffer) => {
      answered = answered.then(async () => socket.write(await db.execProtocolRaw(bytes)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgresql://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    close: async () => {
      server.close()
      await db.close()
    },
  }
}
