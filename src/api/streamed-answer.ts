import { Readable } from 'node:stream'
import { type RawAnswer, rawAnswer } from '../http/routes/route.ts'
import type { Write } from '../http/server/write.ts'

/**
 * An array that is read while it is sent: pages of its items, and what writes an item (a `writer` without envelope).
 */
export class StreamedItems {
  readonly pages: AsyncIterable<readonly unknown[]>
  readonly write: Write

  constructor(pages: AsyncIterable<readonly unknown[]>, write: Write) {
    this.pages = pages
    this.write = write
  }
}

/** The members of an object in their order. A function is called when those before it are written. */
type Members = Readonly<Record<string, StreamedItems | string | boolean | (() => string | boolean)>>

/**
 * Returns `{"data":{…}}` as a stream, whose arrays are read page by page as the client takes them: a large answer fills
 * no memory. Items are written by their schema; the last member is a line of its own, and so is each item.
 */
export function streamedAnswer(members: Members): RawAnswer {
  return rawAnswer('application/json', Readable.from(piecesOf(members), { objectMode: false }))
}

async function* piecesOf(members: Members): AsyncGenerator<string> {
  // What is not read yet stays unsent, so that a refusal of the first read is an answer, not a broken one.
  let waiting = '{"data":{'
  for (const [name, member] of Object.entries(members)) {
    waiting += `${JSON.stringify(name)}:`
    if (member instanceof StreamedItems) {
      waiting += '['
      let isFirst = true
      for await (const page of member.pages) {
        for (const data of page) {
          yield `${waiting}${isFirst ? '' : ',\n'}${member.write({ data })}`
          waiting = ''
          isFirst = false
        }
      }
      waiting += '],\n'
    } else waiting += `${JSON.stringify(typeof member === 'function' ? member() : member)},\n`
  }
  yield `${waiting.replace(/,\n$/, '')}}}`
}
