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

/** Prints the heading of a step. */
export function chapter(words: string): void {
  console.log(`\n${paint('bold', words)}`)
}

/** Prints a line of explanation. */
export function say(words: string): void {
  console.log(`  ${words}`)
}

/** Prints claims, one per line. */
export function show(claims: Json): void {
  for (const [name, value] of Object.entries(claims ?? {})) {
    console.log(`    ${paint('green', name.padEnd(14))} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  }
}

/** Prints a QR code. */
export function showQr(content: string): void {
  console.log(renderUnicodeCompact(content, { border: 2 }).replace(/^/gm, '    '))
}

/** Prints a check that passed. @throws Error if it failed */
export function expect(holds: boolean, what: string, found: Json): void {
  if (!holds) throw new Error(`check failed: ${what}. The response: ${JSON.stringify(found, null, 2)}`)
  console.log(`  ${paint('green', '✓')} ${what}`)
}

/** Sends HTTP requests for one party and prints a line for each. An unexpected status ends the demo. */
export class Party {
  readonly name: string
  readonly server: string
  token: string | null = null

  constructor(name: string, server: string) {
    this.name = name
    this.server = server
  }

  /** Sends one request. @throws Error if the status is not `expected` */
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
    if (status !== expected)
      throw new Error(`${method} ${path} responded ${status}, expected ${expected}: ${JSON.stringify(body)}`)
    return body
  }

  /** The same for the foreign wallet: absolute URLs, every response a 200. */
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

/** The path without the origin, shortened in the middle. */
function fitted(address: string, server: string): string {
  const path = address.startsWith(server) ? address.slice(server.length) : address
  if (path.length <= PATH_WIDTH) return path.padEnd(PATH_WIDTH)
  return `${path.slice(0, PATH_WIDTH - 13)}…${path.slice(-12)}`
}
