import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { TestDatabase } from '../../../test/support/database.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  anOffer,
  aTemplate,
  type Issuer,
  redeem,
  request,
  someClaims,
} from '../test-support/issuer.ts'

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

const path = '/templates/credentials'

/** N levels of nested objects. */
function nested(levels: number): object {
  return { a: levels === 1 ? { type: 'string' } : { type: 'object', properties: nested(levels - 1) } }
}

test('a template comes back as it was written, with its type, and can be listed, replaced and archived', async () => {
  const body = aTemplate({ txCode: { length: 8 }, display: { backgroundColor: '#102030' } })
  const created = await issuer.api('POST', path, body)
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { id, type } = created.body.data
  assert.equal(type, `${issuer.platform.urls.issuer(issuer.tenant.slug)}/vct/${body.code}`)
  assert.partialDeepStrictEqual(created.body.data, { ...body, format: 'sd-jwt-vc', revocable: true, archivedAt: null })
  assert.deepEqual((await issuer.api('GET', `${path}/${id}`)).body.data, created.body.data)
  const replaced = await issuer.api('PUT', `${path}/${id}`, { ...body, name: 'Degree', txCode: undefined })
  assert.equal(replaced.status, 200, JSON.stringify(replaced.body))
  assert.equal(replaced.body.data.name, 'Degree')
  assert.equal(replaced.body.data.txCode, undefined)
  const archived = await issuer.api('DELETE', `${path}/${id}`)
  assert.equal(archived.status, 200)
  assert.notEqual(archived.body.data.archivedAt, null)
  const ask = { credentialTemplateId: id, attributes: someClaims }
  assert.equal((await issuer.api('POST', '/credentials/issuance', ask)).status, 404)
  assert.equal((await issuer.api('PUT', `${path}/${id}`, body)).status, 404)
  assert.equal((await issuer.api('DELETE', `${path}/${id}`)).status, 404)
  const listed = await issuer.api('GET', `${path}?${new URLSearchParams({ 'filter[archived]': 'true' })}`)
  assert.ok(listed.body.data.some((one: { id: string }) => one.id === id))
  const active = await issuer.api('GET', path)
  assert.ok(!active.body.data.some((one: { id: string }) => one.id === id))
})

test('an archived template can be restored, once; then credentials are issued from it again', async () => {
  const { id } = (await issuer.api('POST', path, aTemplate())).body.data
  assert.equal((await issuer.api('POST', `${path}/${id}/restore`)).status, 404, 'it is not archived')
  await issuer.api('DELETE', `${path}/${id}`)
  const answers = await Promise.all([1, 2].map(() => issuer.api('POST', `${path}/${id}/restore`)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404])
  assert.equal((await issuer.api('GET', `${path}/${id}`)).body.data.archivedAt, null)
  const ask = { credentialTemplateId: id, attributes: someClaims }
  assert.equal((await issuer.api('POST', '/credentials/issuance', ask)).status, 200)
})

test('wallets get the names of a template in each of its languages', async () => {
  const translations = [{ locale: 'fr', name: 'Diplôme' }]
  const attributes = { degree: { type: 'string', name: 'Degree', names: { fr: 'Titre' } } }
  const display = { locale: 'en', translations, cardLine: ['/degree'] }
  const { code, type } = (await issuer.api('POST', path, aTemplate({ attributes, display }))).body.data
  const { body: metadata } = await issuer.open(`/.well-known/openid-credential-issuer/issuers/${issuer.tenant.slug}`)
  const { display: shown, claims } = metadata.credential_configurations_supported[code].credential_metadata
  assert.deepEqual(
    shown.map((one: { locale: string; name: string }) => one.locale),
    ['en', 'fr'],
  )
  const names = [
    { name: 'Degree', locale: 'en' },
    { name: 'Titre', locale: 'fr' },
  ]
  assert.deepEqual(claims[0].display, names)
  const { body: published } = await issuer.open(type)
  assert.deepEqual(published.display.map((one: { name: string }) => one.name).slice(1), ['Diplôme'])
  assert.deepEqual(
    published.claims[1].display,
    names.map(({ name, locale }) => ({ locale, label: name })),
  )
})

test('templates are searched by a part of their name, archived ones apart', async () => {
  for (const name of ['Findable One', 'findable two', 'Other']) {
    assert.equal((await issuer.api('POST', path, aTemplate({ name }))).status, 201)
  }
  const found = async (query: Record<string, string>) =>
    (await issuer.api('GET', `${path}?${new URLSearchParams({ sort: 'createdAt', ...query })}`)).body.data.map(
      ({ name }: { name: string }) => name,
    )
  assert.deepEqual(await found({ 'search[name]': 'FINDABLE' }), ['Findable One', 'findable two'])
  assert.deepEqual(await found({ 'search[name]': 'findable', 'filter[archived]': 'true' }), [])
})

test('the type of an archived template stays published, and open offers of it can be redeemed', async () => {
  const { template, code } = await anOffer(issuer)
  await issuer.api('DELETE', `${path}/${template.id}`)
  const type = await issuer.open(template.type)
  assert.equal(type.status, 200)
  const metadata = await issuer.open(`/.well-known/openid-credential-issuer/issuers/${issuer.tenant.slug}`)
  assert.ok(Object.hasOwn(metadata.body.credential_configurations_supported, template.code))
  const { body } = await redeem(issuer, code)
  assert.equal((await request(issuer, body.access_token, template.code, [aKey()])).status, 200)
})

test('[TM-1] [TM-3] [TM-5] type metadata names the type, its claims, which are mandatory and which are always disclosed', async () => {
  const { body } = await issuer.api('POST', path, aTemplate())
  const type = await issuer.open(body.data.type)
  assert.match(type.headers['content-type'] ?? '', /^application\/json/)
  const {
    'cache-control': caching,
    'x-content-type-options': sniffing,
    'content-security-policy': policy,
  } = type.headers
  assert.deepEqual([caching, sniffing], ['public, max-age=300', 'nosniff'])
  assert.match(policy ?? '', /default-src 'none'/)
  assert.equal(type.body.vct, body.data.type)
  assert.deepEqual(type.body.claims, [
    { path: ['iat'], mandatory: true, sd: 'never' },
    { path: ['given_name'], display: [{ locale: 'en', label: 'Given name' }], mandatory: true, sd: 'always' },
    { path: ['degree'], sd: 'never' },
    { path: ['address'], sd: 'always' },
    { path: ['address', 'locality'], sd: 'always' },
    { path: ['address', 'country'], sd: 'always' },
    { path: ['nationalities'], sd: 'always' },
    { path: ['nationalities', null], sd: 'never' },
  ])
})

for (const [format, attributes, pointer] of [
  ['sd-jwt-vc', { a: { type: 'colour' } }, '/attributes/a/type'],
  ['mdoc', { n: { a: { type: 'colour' } } }, '/attributes/n/a/type'],
] as const) {
  test(`a body of the format ${format} that the schema refuses gets the violations of its attributes at once`, async () => {
    const body = { ...aTemplate(), format, attributes, name: '', docType: 7 }
    const refused = await issuer.api('POST', path, body)
    const pointers = refused.body.errors.map((one: { source: { pointer: string } }) => one.source.pointer)
    assert.deepEqual([refused.status, pointers.sort()], [400, [pointer, '/docType', '/name']])
  })
}

test('a new template is in the metadata at once, in every process', async () => {
  // Each server has a memory of its own, as two processes have.
  const other = await anIssuer(db)
  const metadata = () => other.open(`/.well-known/openid-credential-issuer/issuers/${issuer.tenant.slug}`)
  let isOver = false
  const asking = Array.from({ length: 3 }, async () => {
    // Keeps a version cached that was read a moment ago.
    for (; !isOver; await setImmediate()) await metadata()
  })
  try {
    for (let round = 0; round < 8; round += 1) {
      const { body } = await issuer.api('POST', path, aTemplate())
      const { body: seen } = await metadata()
      assert.ok(Object.hasOwn(seen.credential_configurations_supported, body.data.code))
      assert.equal(seen.credential_issuer, issuer.platform.urls.issuer(issuer.tenant.slug))
      const replaced = await issuer.api('PUT', `${path}/${body.data.id}`, {
        ...aTemplate({ name: 'Degree' }),
        code: body.data.code,
      })
      assert.equal(replaced.status, 200)
      const { display } = (await metadata()).body.credential_configurations_supported[body.data.code]
        .credential_metadata
      assert.equal(display[0].name, 'Degree')
    }
  } finally {
    isOver = true
  }
  await Promise.all(asking)
  await other.server.close(0)
})

test('an open offer keeps what its template said when it was made', async () => {
  const { template, code } = await anOffer(issuer)
  await issuer.api('PUT', `${path}/${template.id}`, {
    ...aTemplate(),
    code: template.code,
    attributes: { other: { type: 'number', required: true } },
  })
  const { body } = await redeem(issuer, code)
  const reply = await request(issuer, body.access_token, template.code, [aKey()])
  assert.equal(reply.status, 200)
  const old = await issuer.api('POST', '/credentials/issuance', {
    credentialTemplateId: template.id,
    attributes: someClaims,
  })
  assert.equal(old.status, 400)
  const fits = { credentialTemplateId: template.id, attributes: { other: 1 } }
  assert.equal((await issuer.api('POST', '/credentials/issuance', fits)).status, 200)
})

test('code and revocable are fixed, and a code is unique in its tenant only', async () => {
  const body = aTemplate()
  const { body: made } = await issuer.api('POST', path, body)
  const clash = await issuer.api('POST', path, body)
  assert.deepEqual([clash.status, clash.body.errors[0].source.pointer], [409, '/code'])
  const changed = await issuer.api('PUT', `${path}/${made.data.id}`, { ...body, code: 'other', revocable: false })
  assert.equal(changed.status, 409)
  assert.deepEqual(
    changed.body.errors.map((one: { source: { pointer: string } }) => one.source.pointer),
    ['/code', '/revocable'],
  )
  const elsewhere = await issuer.api('POST', path, body, await issuer.anotherTenant())
  assert.equal(elsewhere.status, 201)
})

test("another tenant's template is as unknown as none", async () => {
  const tenant = await issuer.anotherTenant()
  const { body } = await issuer.api('POST', path, aTemplate())
  const { id } = body.data
  assert.equal((await issuer.api('GET', `${path}/${id}`, undefined, tenant)).status, 404)
  assert.equal((await issuer.api('PUT', `${path}/${id}`, aTemplate(), tenant)).status, 404)
  assert.equal((await issuer.api('DELETE', `${path}/${id}`, undefined, tenant)).status, 404)
  const ask = { credentialTemplateId: id, attributes: someClaims }
  assert.equal((await issuer.api('POST', '/credentials/issuance', ask, tenant)).status, 404)
})

for (const [what, change, pointers] of [
  ['a reserved name [SD-13]', { attributes: { cnf: { type: 'string' } } }, ['/attributes/cnf']],
  [
    'a name of SD-JWT deep inside [SD-13]',
    { attributes: { a: { type: 'object', properties: { _sd: { type: 'string' } } } } },
    ['/attributes/a/properties/_sd'],
  ],
  [
    'an unknown type and an unknown member',
    { attributes: { a: { type: 'text', x: 1 }, 'b/c': {} } },
    ['/attributes/a/type', '/attributes/a/x', '/attributes/b~1c/type'],
  ],
  ['items of no array', { attributes: { a: { type: 'string', items: { type: 'string' } } } }, ['/attributes/a/items']],
  ['no attributes', { attributes: {} }, ['/attributes']],
  ['a code that fits no path', { code: 'a b' }, ['/code']],
  ['a signer that does not exist', { signer: { kind: 'did:web', keyType: 'Ed25519' } }, ['/signer/keyType']],
  ['a member that would do nothing', { issuerName: 'x' }, ['/issuerName']],
  ['a code that no JSON parser lets through [SEC-23]', { code: '__proto__' }, ['/code']],
  [
    'an attribute that could only be {}',
    { attributes: { a: { type: 'object', properties: {} } } },
    ['/attributes/a/properties'],
  ],
  [
    'attributes nested too deep',
    { attributes: nested(9) },
    [
      '/attributes/a/properties/a/properties/a/properties/a/properties/a/properties/a/properties/a/properties/a/properties/a',
    ],
  ],
  ['a numeric transaction code of five digits [SEC-4]', { txCode: { length: 5 } }, ['/txCode/length']],
  ['a transaction code of five letters [SEC-4]', { txCode: { inputMode: 'text', length: 5 } }, ['/txCode/length']],
  ['a validity that is over at once', { validUntil: { future: { days: 0 } } }, ['/validUntil']],
  ['a validity that ends before it begins', { validFrom: '2031-01-01', validUntil: '2030-01-01' }, ['/validUntil']],
  [
    'a language that is there twice',
    { display: { locale: 'en', translations: [{ locale: 'EN', name: 'x' }] } },
    ['/display/translations/0/locale'],
  ],
  ['languages besides none', { display: { translations: [{ locale: 'fr', name: 'x' }] } }, ['/display/locale']],
  ['a line of the card without its attribute', { display: { cardLine: ['/nothing'] } }, ['/display/cardLine/0']],
  ['names of no language', { attributes: { a: { type: 'string', names: { 'f r': 'x' } } } }, ['/attributes/a/names']],
  ['a leap second', { validUntil: '2030-12-31T23:59:60Z' }, ['/validUntil']],
] as const) {
  test(`a template with ${what} is refused`, async () => {
    const { status, body } = await issuer.api('POST', path, aTemplate(change))
    assert.equal(status, 400, JSON.stringify(body))
    assert.deepEqual(
      body.errors.map((one: { source: { pointer: string } }) => one.source.pointer),
      pointers,
    )
  })
}
