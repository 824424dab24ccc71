// What an issuance shows to whom.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../store/store.ts'
import {
  aDatabase,
  anIssuer,
  anOffer,
  type Body,
  callerOf,
  type Issuer,
  readerOf,
  someClaims,
} from '../test-support/issuer.ts'
import { getIssuance } from './get-issuance.ts'

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

test('a caller who may only read issuances sees no link by which a wallet takes the credential', async () => {
  const { issuance } = await anOffer(issuer)
  const links = ['offerPageUri', 'offerPageQrUri', 'offerUri', 'offerQrUri']
  for (const [scope, seen] of [
    ['issuance:read', []],
    ['issuance:write', links],
  ] as const) {
    const caller = { ...callerOf(issuer.tenant), scopes: new Set([scope]) }
    const shown = await getIssuance(issuer.platform, caller, issuance.id)
    const filled = Object.entries(shown).filter(([name, uri]) => links.includes(name) && uri !== '')
    assert.deepEqual(
      filled.map(([name]) => name),
      seen,
    )
  }
})

for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
  test(`a list as ${accept} has links for those alone who may issue`, async () => {
    const { tenant } = issuer
    const { issuance } = await anOffer(issuer)
    for (const [token, isSeen] of [
      [readerOf(tenant), false],
      [tenant.slug, true],
    ] as const) {
      const headers = { accept, authorization: `Bearer ${token}` }
      const { status, body } = await issuer.open('/creds/credentials?page[size]=100', { headers })
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      assert.deepEqual([status, text.includes(issuance.id)], [200, true], text)
      assert.equal(/openid-credential-offer:|\/offer\//.test(text), isSeen, text)
    }
  })
}

test('a caller who is shown offer links is in the audit trail once, the creator of the offer is not', async () => {
  const elsewhere = await anIssuer(db)
  const [first, second] = [await anOffer(issuer), await anOffer(issuer)]
  const path = '/credentials/issuance'
  const looks = async () => {
    const rows = await db.store.single(issuer.tenant.id, (tx) => tx.rows<Look>(selectLooks, [issuer.tenant.id]))
    return rows.map(({ subject, ids }) => [subject, ids])
  }
  await issuer.api('GET', `${path}/${first.issuance.id}`)
  assert.deepEqual(await looks(), [])
  for (let turn = 0; turn < 2; turn += 1)
    await elsewhere.api('GET', `${path}/${first.issuance.id}`, undefined, issuer.tenant)
  assert.deepEqual(await looks(), [[first.issuance.id, null]])
  for (let turn = 0; turn < 2; turn += 1) await elsewhere.api('GET', `${path}?page[size]=100`, undefined, issuer.tenant)
  const [, [subject, ids] = [], ...others] = await looks()
  assert.ok(subject === null && Array.isArray(ids))
  assert.deepEqual([ids.includes(first.issuance.id), ids.includes(second.issuance.id)], [false, true])
  assert.deepEqual(others, [])
  await elsewhere.server.close(0)
})

type Look = { readonly subject: string | null; readonly ids: readonly string[] | null }
const selectLooks = sql(
  'test.issuance.looks',
  `select subject_id as subject, detail -> 'ids' as ids from audit_entry
   where tenant_id = $1 and action = 'issuance.offer_viewed' order by id`,
)

test('an issuance whose label cannot be opened is shown without it, and so are the others of its page', async () => {
  const own = await anIssuer(db)
  const { template } = await anOffer(own, { label: ['/given_name'] })
  const ask = { credentialTemplateId: template.id, attributes: someClaims }
  const { id } = (await own.api('POST', '/credentials/issuance', ask)).body.data
  const spoil = sql(
    'test.issuance.break',
    `update issuance set sealed_label = '\\x0100' where tenant_id = $1 and id = $2`,
  )
  await db.store.single(own.tenant.id, (tx) => tx.rows(spoil, [own.tenant.id, id]))
  const { status, body } = await own.api('GET', '/credentials?sort=createdAt')
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    body.data.map((one: Body) => one.label !== undefined),
    [true, false],
  )
  assert.equal((await own.api('GET', `/credentials/${id}`)).body.data.label, undefined)
  await own.server.close(0)
})
