/** Who waits for the answers to what was just sent. */
export type Reader = {
  /**
   * Reads one message if it is of a kind that it knows.
   *
   * @param code First byte of the message.
   * @param bytes Its content stands here from `from` on. The memory is used again, so nothing of it may be kept.
   * @returns false for a message that the library is to read
   */
  readonly read: (code: number, bytes: Buffer, from: number) => boolean
}

/** A code, and the length of all that follows the code. */
const HEADER_BYTES = 5
const READY_FOR_QUERY = 0x5a // Z

/**
 * What a connection to PostgreSQL says, message by message. The rows that a statement is waiting for are read where they stand; everything else
 * goes on to the library, whole messages in the order in which they came.
 *
 * @see [PostgreSQL, 55.7 Message Formats](https://www.postgresql.org/docs/current/protocol-message-formats.html)
 */
export class Answers {
  /** Set by whoever sends a statement; over when the server is ready for the next. */
  reader: Reader | null = null
  readonly #pass: (message: Buffer) => void
  /** The beginning of a message whose end has not come yet, and how many bytes it lacks at least. */
  #held: Buffer[] = []
  #missing = 0

  constructor(pass: (message: Buffer) => void) {
    this.#pass = pass
  }

  /** @param chunk What was read from the connection. Its memory may be used again afterwards. */
  take(chunk: Buffer): void {
    if (chunk.length < this.#missing) {
      this.#hold(chunk, this.#missing - chunk.length)
      return
    }
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([...this.#held, chunk])
    this.#held = []
    this.#missing = 0
    let at = 0
    while (at < bytes.length) {
      const left = bytes.length - at
      const size = left < HEADER_BYTES ? HEADER_BYTES : 1 + bytes.readUInt32BE(at + 1)
      if (left < size) {
        this.#hold(bytes.subarray(at), size - left)
        return
      }
      this.#hear(bytes, at, at + size)
      at += size
    }
  }

  #hold(bytes: Buffer, missing: number): void {
    this.#held.push(Buffer.from(bytes))
    this.#missing = missing
  }

  #hear(bytes: Buffer, at: number, end: number): void {
    const code = bytes[at] ?? 0
    if (code === READY_FOR_QUERY) this.reader = null
    if (!this.reader?.read(code, bytes, at + HEADER_BYTES)) this.#pass(Buffer.from(bytes.subarray(at, end)))
  }
}
