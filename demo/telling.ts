import { styleText } from 'node:util'
import { renderUnicodeCompact } from 'uqr'
import type { Call } from './foreign-wallet.ts'
import { type Json, read } from './json.ts'

type Style = Parameters<typeof styleText>[0]
type Method = 'GET' | 'POST' | 'PATCH'
type More = { readonly form?: Record<string, string>; readonly json?: Json; readonly token?: string }

/** Prints in colour on a terminal, plainly elsewhere. */
function paint(style: Style, words: string): string {
  return styleText(style, words, { stream: process.stdout })
}

/** A part of the story. */
export function chapter(words: string): void {
  console.log(`\n${paint('bold', words)}`)
}

/** What just happened, in words. */
export function say(words: string): void {
  console.log(`  ${words}`)
}

/** Claims, one a line. */
export function show(claims: Json): void {
  for (const [name, value] of Object.entries(claims ?? {})) {
    console.log(`    ${paint('green', name.padEnd(14))} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  }
}

/** A QR code, as a phone would scan it. */
export function showQr(content: string): void {
  console.log(renderUnicodeCompact(content, { border: 2 }).replace(/^/gm, '    '))
}

/** Stops the story when it is not as told. @throws Error */
export function expect(holds: boolean, what: string, found: Json): void {
  if (!holds) throw new Error(`it should be so: ${what}. But it is: ${JSON.stringify(found, null, 2)}`)
  console.log(`  ${paint('green', '✓')} ${what}`)
}

/** Makes HTTP calls for one party, each shown in a line. A status that was not expected ends the story. */
export class Party {
  readonly name: string
  readonly server: string
  token: string | null = null

  constructor(name: string, server: string) {
    this.name = name
    this.server = server
  }

  /** Sends one request. `expected` is the status that the story wants. */
  async call(method: Method, path: string, expected: number, more: More = {}): Promise<Json> {
    const { status, ms, body } = await this.send(method, path, more)
    const line = [
      this.name.padEnd(9),
      method.padEnd(5),
      fitted(path, this.server),
      String(status),
      `${ms} ms`.padStart(7),
    ]
    console.log(`  ${paint(status === expected ? 'gray' : 'red', line.join('  '))}`)
    if (status !== expected) throw new Error(`${method} ${path}: ${expected} was expected: ${JSON.stringify(body)}`)
    return body
  }

  /** The same in the form that a foreign wallet uses: absolute addresses, every answer a 200. */
  readonly foreign: Call = (method, url, more) => this.call(method, url, 200, more)

  private async send(method: Method, path: string, { form, json, token = this.token ?? undefined }: More) {
    const from = performance.now()
    const answer = await fetch(path.startsWith('http') ? path : `${this.server}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(form !== undefined && { body: new URLSearchParams(form).toString() }),
    })
    const source = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') === true
    const body = isJson && source !== '' ? read(source) : source
    return { status: answer.status, ms: Math.round(performance.now() - from), body }
  }
}

const PATH_WIDTH = 62

/** The path alone, cut in the middle when it is long: ids and codes are no part of the story. */
function fitted(address: string, server: string): string {
  const path = address.startsWith(server) ? address.slice(server.length) : address
  if (path.length <= PATH_WIDTH) return path.padEnd(PATH_WIDTH)
  return `${path.slice(0, PATH_WIDTH - 13)}…${path.slice(-12)}`
}
