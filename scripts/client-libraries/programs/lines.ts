import { createInterface } from 'node:readline'

/**
 * What each program is asked on a line of its standard input: method, URL, headers (base64 of `name: value` lines),
 * `none`, `length` or `chunked`, the body (base64), and `expect` or nothing, separated by tabs.
 */
export type Asked = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly sends: 'none' | 'length' | 'chunked'
  readonly body: Buffer
  readonly expects: boolean
}

type Got = { readonly status: number; readonly body: Uint8Array }

/** Sends each request by the library, one at a time; prints `ok`, status and body (base64), or `failed` and why. */
export async function answerLines(send: (asked: Asked) => Promise<Got>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      const { status, body } = await send(read(line))
      console.log(`ok\t${status}\t${Buffer.from(body).toString('base64')}`)
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
      console.log(`failed\t${`${error}${cause}`.replaceAll(/\s+/g, ' ')}\t`)
    }
  }
}

function read(line: string): Asked {
  const [method = '', url = '', headers = '', sends, body = '', flag] = line.split('\t')
  const pairs = Buffer.from(headers, 'base64').toString().split('\n').filter(Boolean)
  return {
    method,
    url,
    headers: Object.fromEntries(pairs.map((pair) => pair.split(': ', 2))),
    sends: sends === 'length' || sends === 'chunked' ? sends : 'none',
    body: Buffer.from(body, 'base64'),
    expects: flag === 'expect',
  }
}
