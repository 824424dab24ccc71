import { Socket } from 'node:net'

/** Room for what one read of the system brings; as much as Node asks for itself. */
const READ_BYTES_MAX = 65_536

/**
 * A socket for the many small answers of a database: it reads into the same memory again and again and passes on copies. Without that each
 * answer of some hundred bytes allocates 64 KiB, cuts them down and goes through the queue of a stream, which is a fifth of what a small
 * statement costs this process. Pausing it would have no effect.
 */
function readingSocket(): Socket {
  const socket: Socket = new Socket({
    onread: {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES_MAX),
      callback: (length, bytes) => {
        // The reader keeps what it cannot read to its end, while the next read comes to the same place.
        socket.emit('data', Buffer.from(bytes.subarray(0, length)))
        return true
      },
    },
  })
  return socket
}

/** What `pg` asks for a stream. TLS reads for itself, so it stands on a plain socket. */
export function streamFor(connection?: { readonly ssl?: unknown }): Socket {
  return connection?.ssl ? new Socket() : readingSocket()
}
