import assert from 'node:assert/strict'
import type { Api, Reply } from './server.ts'

/**
 * Reads a list of the API to its end, a hundred rows at a time.
 *
 * @param path With a query.
 * @throws AssertionError if a row is there twice
 */
export async function everyRow(api: Api, path: string): Promise<readonly { readonly id: string }[]> {
  const rows: { readonly id: string }[] = []
  for (let next: string | undefined = `${path}&page[size]=100`; next !== undefined; ) {
    const { body, status }: Reply = await api.get(next)
    assert.equal(status, 200, JSON.stringify(body))
    rows.push(...body.data)
    next = body.links.next
  }
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length)
  return rows
}
