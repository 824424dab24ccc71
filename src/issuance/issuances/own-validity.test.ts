// When one credential is valid, where its issuance says so in place of its template.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { parseIssuerSigned } from '../../protocols/mdoc/issuer-signed.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  anOffer,
  aRoot,
  aTemplate,
  aToken,
  type Body,
  type Issuer,
  noon,
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

const mdoc = {
  format: 'mdoc',
  docType: 'org.example.card',
  attributes: { 'org.example': { holder: { type: 'string' } } },
}
const elements = { 'org.example': { holder: 'Thandi Molefe' } }

const seconds = (time: string) => Date.parse(time) / 1000

function payloadOf(credential: string): Body {
  return parseSdJwt(credential).jwt.payload
}

async function issued(template: object, ask: object) {
  const { token, template: of, issuance } = await aToken(issuer, template, ask)
  const { body } = await request(issuer, token, of.code, [aKey()])
  const shown = (await issuer.api('GET', `/credentials/${issuance.id}`)).body.data
  return { payload: payloadOf(body.credentials[0].credential), shown }
}

test('a credential has the validity that its issuance states, each moment in place of that of the template', async () => {
  const template = { validFrom: '2026-05-02', validUntil: { future: { years: 1 } } }
  const { payload, shown } = await issued(template, { validUntil: '2026-06-30T21:59:59.999Z' })
  assert.deepEqual([payload.nbf, payload.exp], [seconds('2026-05-02T00:00:00Z'), seconds('2026-06-30T21:59:59Z')])
  assert.equal(shown.validUntil, '2026-06-30T21:59:59.999Z')
  assert.equal(shown.validFrom, undefined)

  const begins = await issued(template, { validFrom: '2026-07-01' })
  assert.deepEqual(
    [begins.payload.nbf, begins.payload.exp],
    [seconds('2026-07-01T00:00:00Z'), seconds('2027-05-01T12:00:00Z')],
  )
  assert.equal(begins.shown.validFrom, '2026-07-01T00:00:00.000Z')
  assert.equal(begins.shown.validUntil, '2027-05-01T12:00:00.000Z')
})

test('it is told before the offer is taken, and the list finds it by its end', async () => {
  const { issuance } = await anOffer(issuer, {}, { validUntil: '2026-06-01' })
  assert.equal(issuance.validUntil, '2026-06-01T00:00:00.000Z')
  const { shown } = await issued({}, { validUntil: '2026-05-15' })
  const { body } = await issuer.api('GET', '/credentials?filter[validBefore]=2026-05-16T00:00:00Z')
  assert.deepEqual(
    body.data.map(({ id }: Body) => id),
    [shown.id],
  )
  const between = 'filter[validAfter]=2026-05-15T00:00:00Z&filter[validBefore]=2026-05-16T00:00:00Z'
  assert.equal((await issuer.api('GET', `/credentials?${between}`)).body.data.length, 1)
  const later = 'filter[validAfter]=2026-05-15T00:00:01Z&filter[validBefore]=2026-05-16T00:00:00Z'
  assert.deepEqual((await issuer.api('GET', `/credentials?${later}`)).body.data, [])
})

test('an mdoc has it in whole days', async () => {
  const signer = await anIssuer(db)
  await aRoot(signer, { countryName: 'NL' })
  const ask = { attributes: elements, validUntil: '2026-07-01T10:00:00Z' }
  const { token, template } = await aToken(signer, mdoc, ask)
  const { body } = await request(signer, token, template.code, [aKey()])
  const { validityInfo } = parseIssuerSigned(Buffer.from(body.credentials[0].credential, 'base64url')).mso
  assert.equal(validityInfo.validUntil.toISOString(), '2026-07-01T00:00:00.000Z')
  await signer.server.close(0)
})

for (const [what, ask, pointer, rule] of [
  ['an end that has passed', { validUntil: '2026-05-01' }, '/validUntil', 'validity.passed'],
  ['an end at this moment', { validUntil: noon.toISOString() }, '/validUntil', 'validity.passed'],
  [
    'an end before the beginning',
    { validFrom: '2026-07-01', validUntil: '2026-06-30' },
    '/validUntil',
    'template.never_valid',
  ],
  ['an end before the beginning of the template', { validUntil: '2026-05-02' }, '/validUntil', 'template.never_valid'],
  ['a beginning after the end of the template', { validFrom: '2027-05-02' }, '/validFrom', 'template.never_valid'],
  ['what is no day', { validUntil: '2026-02-30' }, '/validUntil', 'anyOf'],
] as const) {
  test(`an issuance with ${what} is refused at that member`, async () => {
    const more = { validFrom: '2026-05-03', validUntil: { future: { years: 1 } } }
    const made = await issuer.api('POST', '/templates/credentials', aTemplate(more))
    const body = { credentialTemplateId: made.body.data.id, attributes: someClaims, ...ask }
    const { status, body: answer } = await issuer.api('POST', '/credentials/issuance', body)
    const [error] = answer.errors
    assert.deepEqual([status, error.source.pointer, error.meta.rule], [400, pointer, rule])
  })
}

test('an mdoc cannot be valid longer than the certificate of its signer', async () => {
  const signer = await anIssuer(db)
  await aRoot(signer, { countryName: 'NL' })
  const made = await signer.api('POST', '/templates/credentials', aTemplate(mdoc))
  const body = { credentialTemplateId: made.body.data.id, attributes: elements, validUntil: '2100-01-01' }
  const { status, body: answer } = await signer.api('POST', '/credentials/issuance', body)
  assert.deepEqual([status, answer.errors[0].meta.rule], [400, 'validity.signer'])
  await signer.server.close(0)
})
