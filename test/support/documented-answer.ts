import assert from 'node:assert/strict'
import type { OpenApiOperation } from '../../src/http/openapi/document.ts'
import { allContent, checkOf } from './openapi-document.ts'

/** An answer of the server; `type` without parameters. */
export type Sent = { readonly status: number; readonly headers: Headers; readonly type: string; readonly text: string }

type Described = {
  readonly headers?: Readonly<Record<string, unknown>>
}

/** Headers that an answer may only have if the document says so. */
const told = ['etag', 'location', 'retry-after', 'idempotency-replayed', 'preference-applied', 'allow']

/** Checks an answer against the description of its status: media type, shape of JSON, headers. */
export function checkAnswer(
  { responses }: OpenApiOperation,
  { status, headers, type, text }: Sent,
  what: string,
): void {
  const shown = `${what}: ${status} ${type} ${text.slice(0, 300)}`
  // What another server does is no failure of this one; RFC 7644 3.12: 501 is the answer to what is not implemented.
  const isElsewhere = status === 501 || /"code":"UPSTREAM_/.test(text)
  assert.ok(status < 500 || isElsewhere, shown)
  const found = responses[String(status)] ?? responses[`${String(status)[0]}XX`] ?? responses.default
  assert.ok(found !== undefined && (status >= 300 || found !== responses.default), shown)
  const { headers: described = {} } = found as Described
  const content = allContent(found)
  if (text !== '') {
    const known = content[type]
    assert.ok(known !== undefined, `${shown} is none of ${Object.keys(content)}`)
    if (type.endsWith('json') && !type.includes('ndjson')) {
      const check = checkOf(known.schema)
      assert.ok(check(JSON.parse(text)), `${shown} ${JSON.stringify(check.errors?.slice(0, 3))}`)
    }
  }
  if (responses.default !== undefined) return
  const names = new Set(Object.keys(described).map((name) => name.toLowerCase()))
  for (const name of told) assert.ok(!headers.has(name) || names.has(name), `${shown} sends ${name}`)
}
