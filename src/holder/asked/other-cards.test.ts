import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asked, AskedMeta } from './choice.ts'
import { otherCards } from './other-cards.ts'
import { askedTexts } from './texts.ts'

const ids = Array.from({ length: 121 }, (_, n) => `card-${n}`)
const data: Asked = {
  id: 'request',
  tenantId: 'tenant',
  status: 'pending',
  selectedCredentials: [],
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
}
const verifier = { clientId: 'x', name: 'x', responseHost: 'x', authenticated: true, trusted: true }
const credentials = ids.map((credentialId) => ({ credentialId, matchedAttributes: [] }))
const meta: AskedMeta = {
  verifier,
  expiresAt: '2030-01-01T00:00:00Z',
  alternatives: [{ queryId: 'q', required: true, multiple: false, credentials }],
}
const shown = { queryId: 'q', credentialId: 'card-0', disclosed: [], withheld: [] }

test('every other card is reachable, 50 on a page, also with script off', () => {
  const found: string[] = []
  let query: Record<string, string> = {}
  for (let pages = 0; pages < 3; pages += 1) {
    const frame = { query, language: 'en', now: new Date() } as const
    const text = otherCards(frame, askedTexts.en, { data, meta }, shown, new Map())?.text ?? ''
    found.push(...[...text.matchAll(/use=q%3A(card-\d+)"/g)].map(([, id = '']) => id))
    const next = [...text.matchAll(/href="([^"]+from=\d+)">\d+ more cards/g)][0]?.[1]
    assert.equal(text.startsWith('<details open>'), pages > 0)
    query = Object.fromEntries(
      new URL((next ?? '').replaceAll('&#38;', '&').replaceAll('&amp;', '&'), 'http://x').searchParams,
    )
  }
  assert.deepEqual(found, ids.slice(1))
})
