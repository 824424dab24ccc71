import { Readable } from 'node:stream'
import { answerLines } from './lines.ts'

await answerLines(async ({ method, url, headers, sends, body, expects }) => {
  const sent: RequestInit = { method, headers: expects ? { ...headers, expect: '100-continue' } : headers }
  if (sends === 'length') sent.body = new Uint8Array(body)
  if (sends === 'chunked')
    Object.assign(sent, { body: Readable.toWeb(Readable.from(body.length > 0 ? [body] : [])), duplex: 'half' })
  const response = await fetch(url, sent)
  return { status: response.status, body: await response.bytes() }
})
