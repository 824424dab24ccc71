import { Socket } from 'node:net'
import { Answers } from './answers.ts'

/** Room for what one read of the system brings; as much as Node asks for itself. */
const READ_BYTES_MAX = 65_536

/**
 * A socket for the many small answers of a database: it reads into the same memory again and again. Without that each answer of some hundred bytes
 * allocates 64 KiB, cuts them down and goes through the queue of a stream; and then the library makes an object and an event of each message,
 * which together is half of what a small statement costs this process. Pausing it would have no effect.
 */
export class AnswerSocket extends Socket {
  readonly answers: Answers

  constructor() {
    const answers = new Answers((message) => this.emit('data', message))
    const callback = (length: number, bytes: Uint8Array) => {
      answers.take(Buffer.from(bytes.buffer, bytes.byteOffset, length))
      return true
    }
    super({ onread: { buffer: Buffer.allocUnsafeSlow(READ_BYTES_MAX), callback } })
    this.answers = answers
  }
}

/** What `pg` asks for a stream. TLS reads for itself, so it stands on a plain socket, and the library reads what it says. */
export function streamFor(connection?: { readonly ssl?: unknown }): Socket {
  return connection?.ssl ? new Socket() : new AnswerSocket()
}
