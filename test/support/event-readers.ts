import assert from 'node:assert/strict'
import type { Api } from './server.ts'

/** An event as a reader gets it. */
export type HeardEvent = { readonly id: string; readonly type: string; readonly subject: { readonly id: string } }

/** A client of the event stream, which connects again where it left off whenever the stream ends. */
export type StreamReader = {
  readonly events: HeardEvent[]
  /** Ends the connection, as a network does; the reader connects again. */
  readonly cut: () => void
  readonly close: () => Promise<void>
}

const RETRY_MS = 50

/** Opens a stream from now on. Resolves when it is open. */
export async function openStreamReader(url: string, { token }: Api): Promise<StreamReader> {
  const events: HeardEvent[] = []
  let isOver = false
  let abort = new AbortController()
  const { promise: isOpen, resolve: opened } = Promise.withResolvers<void>()
  const readOnce = async () => {
    abort = new AbortController()
    const last = events.at(-1)?.id
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const answer = await fetch(`${url}/creds/events`, {
      headers: { ...headers, ...(last !== undefined && { 'last-event-id': last }) },
      signal: abort.signal,
    })
    assert.equal(answer.status, 200)
    let text = ''
    for await (const chunk of answer.body ?? []) {
      opened()
      text += Buffer.from(chunk).toString()
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1]
        if (data !== undefined) events.push(JSON.parse(data))
      }
    }
  }
  const reading = (async () => {
    while (!isOver) {
      await readOnce().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  })()
  await isOpen
  return {
    events,
    cut: () => abort.abort(),
    close: async () => {
      isOver = true
      abort.abort()
      await reading
    },
  }
}

/** Reads all events of a tenant in their order, page by page, each from the cursor of the one before. */
export async function readAllEvents(api: Api, query = ''): Promise<HeardEvent[]> {
  const events: HeardEvent[] = []
  for (let after: string | null = null; ; ) {
    const cursor: string = after === null ? '' : `&page[after]=${after}`
    const { status, body } = await api.get(`/creds/events?sort=createdAt&page[size]=50${query}${cursor}`)
    assert.equal(status, 200, JSON.stringify(body))
    events.push(...body.data)
    after = body.meta.page.after
    if (after === null) return events
  }
}
