import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../config.ts'
import { noAnchors } from '../../crypto/x509-path/anchor.ts'
import { Fault } from '../../fault.ts'
import { Memory } from '../../memory/memory.ts'
import { urlsOf } from '../../platform.ts'
import { matchClaims } from '../../protocols/dcql/match.ts'
import { parseQuery } from '../../protocols/dcql/parse-query.ts'
import { aKey, anIssuer, membership, present } from '../test-support/holder.ts'
import { checkSdJwtPresentation } from './check-sd-jwt-presentation.ts'
import type { ExpectedPresentation } from './checked-credential.ts'

const issuer = anIssuer()
const holder = aKey()
const now = new Date()
const platform = {
  config: readConfig({}),
  fetch: () => Promise.reject(new Fault('upstream.unreachable')),
  memory: new Memory(),
}
const expected: ExpectedPresentation = {
  credential: { type: membership, format: 'sd-jwt-vc', attributes: {}, issuers: [issuer.did] },
  ...{ origin: null, nonce: 'nonce-of-this-request-0123', aud: 'decentralized_identifier:did:web:us.example', now },
  encryptionKey: null,
  responseUri: 'https://us.example/answers',
  verifier: { urls: urlsOf(platform.config), slug: 'us' },
  trust: { anchors: async () => noAnchors, vouchesFor: async () => false },
}

test('an index in a query means the array as it was issued, whatever the holder did not disclose (7.1.1)', async () => {
  const claims = { clubs: ['chess', 'go', 'bridge'] }
  const about = { cnf: holder.jwk, frame: { clubs: { _sd: [0, 1, 2] } } }
  const shown = present(await issuer.issue(claims, about), ['go'], { ...expected, key: holder })
  const { presented, issues } = await checkSdJwtPresentation(platform, shown, expected)
  assert.deepEqual(issues, [])
  assert.ok(presented)
  assert.deepEqual(presented.claims.clubs, ['go'])
  const checkIndex = (index: number) => {
    const meta = { vct_values: [membership] }
    const [query] = parseQuery({
      credentials: [{ id: 'c', format: 'dc+sd-jwt', meta, claims: [{ path: ['clubs', index] }] }],
    }).credentials
    assert.ok(query)
    return matchClaims(query, presented)
  }
  assert.equal(checkIndex(0), null)
  assert.notEqual(checkIndex(1), null)
  assert.equal(checkIndex(2), null)
})
