// Mobile documents at the issuer: their templates, their offers, and what the credential endpoint makes of them.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { licence, licenceElements } from '../../../test/support/mdoc.ts'
import { openSsl } from '../../../test/support/openssl.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { readCertificate } from '../../crypto/x509/certificate.ts'
import { mdocClaims } from '../../protocols/mdoc/claims.ts'
import { parseIssuerSigned } from '../../protocols/mdoc/issuer-signed.ts'
import { mdl } from '../../protocols/mdoc/mdl.ts'
import { checkReceivedMdoc } from '../../protocols/mdoc/verify-issuer-signed.ts'
import { resolveMdocIssuer } from '../../trust/issuers/mdoc-issuer.ts'
import { aForeignAuthority, plainSigner } from '../../trust/test-support/foreign-authority.ts'
import { trustedAnchors } from '../../trust/trusted-entities/tenant-trust.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  aRoot,
  aToken,
  type Body,
  type Issuer,
  noon,
  type Reply,
  redeem,
  request,
} from '../test-support/issuer.ts'

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  await aRoot(issuer, { countryName: 'NL' })
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

/** The types of {@link licence} in words of the API. */
const licenceAttributes = {
  [mdl.nameSpace]: {
    ...licenceElements,
    family_name: { type: 'string', name: 'Family name' },
  },
  'nl.example.extra': { points: { type: 'number', required: true }, note: { type: 'object' } },
}
const licenceTemplate = { format: 'mdoc', docType: mdl.docType, attributes: licenceAttributes }
const fromLicence = { attributes: licence }
let count = 0
const bodyOf = (more: object = {}) => {
  count += 1
  return { name: 'Driving licence', code: `mdl-${count}`, ...licenceTemplate, ...more }
}
const create = (more: object = {}, tenant = issuer.tenant) =>
  issuer.api('POST', '/templates/credentials', bodyOf(more), tenant)
const open = async (more: object, attributes: object, tenant = issuer.tenant): Promise<Reply> => {
  const { status, body } = await create(more, tenant)
  assert.equal(status, 201, JSON.stringify(body))
  return issuer.api('POST', '/credentials/issuance', { credentialTemplateId: body.data.id, attributes }, tenant)
}
const pointersOf = ({ body }: Reply) => body.errors.map((one: { source: { pointer: string } }) => one.source.pointer)

/** Issues copies of a licence. */
async function issue(keys: readonly SigningKey[], more: object = {}, at = issuer): Promise<readonly string[]> {
  const { token, template } = await aToken(at, { ...licenceTemplate, ...more }, fromLicence)
  const { status, body } = await request(at, token, template.code, keys)
  assert.equal(status, 200, JSON.stringify(body))
  return body.credentials.map(({ credential }: { credential: string }) => credential)
}

describe('a template of mdocs', () => {
  test('comes back as it was written, its type is its document type, and it has no type metadata', async () => {
    const body = bodyOf({ signer: { kind: 'certificate', keyType: 'P-256' } })
    const made = await issuer.api('POST', '/templates/credentials', body)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.partialDeepStrictEqual(made.body.data, { ...body, type: mdl.docType, revocable: true })
    const url = issuer.platform.urls.issuer(issuer.tenant.slug)
    assert.equal((await issuer.open(`${url}/vct/${body.code}`)).status, 404)
    const { format: _, ...older } = bodyOf({ credentialFormat: 'mdoc' })
    const asked = await issuer.api('POST', '/templates/credentials', older)
    assert.equal(asked.body.data.format, 'mdoc')
  })

  test('keeps its format and its document type', async () => {
    const { body } = await create({ docType: 'org.example.card', attributes: { a: { b: { type: 'string' } } } })
    const { id, code, attributes } = body.data
    const put = (more: object) =>
      issuer.api('PUT', `/templates/credentials/${id}`, { name: 'x', code, attributes, ...more })
    const other = await put({ format: 'mdoc', docType: 'org.example.other' })
    assert.deepEqual([other.status, pointersOf(other)], [409, ['/docType']])
    const sdJwt = await put({ attributes: { b: { type: 'string' } } })
    assert.deepEqual([sdJwt.status, pointersOf(sdJwt)], [409, ['/format']])
    assert.equal((await put({ format: 'mdoc', docType: 'org.example.card' })).status, 200)
  })
})

const own = (element: unknown) => ({ docType: 'org.example.card', attributes: { 'org.example': { a: element } } })
const { family_name: _, ...nameless } = licenceAttributes[mdl.nameSpace] as Record<string, unknown>
for (const [what, change, pointers] of [
  ['no docType', { docType: undefined }, ['/docType']],
  ['no namespace', { attributes: {} }, ['/attributes']],
  ['a namespace without elements', { docType: 'x', attributes: { n: {} } }, ['/attributes/n']],
  ['a namespace that is no object', { docType: 'x', attributes: { n: 1 } }, ['/attributes/n']],
  ['an element without a type', own({}), ['/attributes/org.example/a/type']],
  ['an unknown type', own({ type: 'full-date' }), ['/attributes/org.example/a/type']],
  ['alwaysDisclosed', own({ type: 'date', alwaysDisclosed: true }), ['/attributes/org.example/a/alwaysDisclosed']],
  ['items of no array', own({ type: 'bytes', items: { type: 'bytes' } }), ['/attributes/org.example/a/items']],
  [
    'a licence without a mandatory element [MD-8]',
    { attributes: { [mdl.nameSpace]: nameless } },
    [`/attributes/${mdl.nameSpace}/family_name`],
  ],
  [
    'a licence with an element of another type, and one that the standard lacks [MD-8]',
    {
      attributes: {
        [mdl.nameSpace]: {
          ...licenceAttributes[mdl.nameSpace],
          portrait: { type: 'string' },
          shoe: { type: 'number' },
        },
      },
    },
    [`/attributes/${mdl.nameSpace}/portrait/type`, `/attributes/${mdl.nameSpace}/shoe`],
  ],
  ['the did:web key as signer', { signer: { kind: 'did:web' } }, ['/signer/kind']],
  ['Ed25519 as signer', { signer: { kind: 'certificate', keyType: 'Ed25519' } }, ['/signer/keyType']],
  ['two formats', { credentialFormat: 'sd-jwt' }, ['/credentialFormat']],
] as const) {
  test(`a template of mdocs with ${what} is refused`, async () => {
    const reply = await create(change)
    assert.deepEqual([reply.status, pointersOf(reply)], [400, pointers], JSON.stringify(reply.body))
  })
}

const namespace = `/attributes/${mdl.nameSpace}`
const changed = (change: object) => ({ ...licence, [mdl.nameSpace]: { ...licence[mdl.nameSpace], ...change } })
for (const [what, attributes, pointers] of [
  ['a mandatory element missing', changed({ given_name: undefined }), [`${namespace}/given_name`]],
  [
    'an own required element missing',
    { [mdl.nameSpace]: licence[mdl.nameSpace] },
    ['/attributes/nl.example.extra/points'],
  ],
  [
    'four wrong values, each reported once',
    changed({ birth_date: '28.2.1990', portrait: 'R0lG', height: '178', given_name: '王' }),
    ['birth_date', 'height', 'given_name', 'portrait'].map((name) => `${namespace}/${name}`),
  ],
  [
    'a privilege with a bad date',
    changed({ driving_privileges: [{ vehicle_category_code: 'B', issue_date: 'soon' }] }),
    [`${namespace}/driving_privileges/0/issue_date`],
  ],
  ['an element that the template lacks', changed({ hair_colour: 'red' }), [`${namespace}/hair_colour`]],
  ['a namespace that the template lacks', { ...licence, other: {} }, ['/attributes/other']],
  ['another country than the certificate [MD-9]', changed({ issuing_country: 'DE' }), [`${namespace}/issuing_country`]],
  ['a number that JSON cannot carry', changed({ height: 2 ** 60 }), [`${namespace}/height`]],
  [
    'more values than a recipient reads [SEC-41]',
    { ...licence, 'nl.example.extra': { points: 1, note: { many: Array(10_001).fill(1) } } },
    ['/attributes'],
  ],
] as const) {
  test(`an offer of an mdoc with ${what} is refused`, async () => {
    const reply = await open({}, attributes)
    assert.deepEqual([reply.status, pointersOf(reply)], [400, pointers], JSON.stringify(reply.body))
    for (const { detail } of reply.body.errors) assert.match(detail, /^[A-Za-z].*\.$/)
  })
}

describe('an mdoc is offered', () => {
  const refused = async (tenant: Issuer['tenant'], detail: RegExp): Promise<void> => {
    const reply = await open({}, licence, tenant)
    assert.deepEqual([reply.status, reply.body.errors[0].code], [409, 'NO_ACTIVE_CERTIFICATE'])
    assert.match(reply.body.errors[0].detail, detail)
  }

  test('only where a P-256 certificate is active that may sign licences; a second tenant gains nothing by the first', async () => {
    const tenant = await issuer.anotherTenant()
    await refused(tenant, /no active issuer certificate with a P-256 key/)
    await aRoot(issuer, { keyType: 'Ed25519', countryName: 'NL' }, tenant)
    await refused(tenant, /no active issuer certificate with a P-256 key/)
    await aRoot(issuer, { countryName: 'NL' }, tenant)
    assert.equal((await open({}, licence, tenant)).status, 200)
  })

  test('not with a certificate from outside that is for other credentials only', async () => {
    const ssl = openSsl()
    const tenant = await issuer.anotherTenant()
    const about = { type: 'issuerSignCredential', keyType: 'P-256', countryName: 'NL' }
    issuer.clock.at = new Date(Date.now() + 60_000)
    const csr = (await issuer.api('POST', '/certificates/csrs', about, tenant)).body.data
    const authority = aForeignAuthority(ssl, '/C=NL/CN=State CA')
    const certificate = authority.sign(csr.certificateSigningRequest, { extensions: plainSigner })
    const ask = { certificate, chain: [authority.root] }
    assert.equal((await issuer.api('POST', `/certificates/csrs/${csr.id}/import`, ask, tenant)).status, 201)
    await refused(tenant, /signMdl/)
    issuer.clock.at = noon
    ssl.close()
  })

  test('not if it would be over by whole days, or begin after the end of its signer [MD-3]', async () => {
    for (const [more, status] of [
      [{ validUntil: '2026-05-01T18:00:00Z' }, 409],
      [{ validUntil: '2026-05-02' }, 200],
      [{ validFrom: '2029-01-01', validUntil: '2030-01-01' }, 409],
    ] as const) {
      const reply = await open(more, licence)
      assert.equal(reply.status, status, JSON.stringify(reply.body))
      if (status === 409) assert.equal(reply.body.errors[0].code, 'INVALID_STATE')
    }
  })
})

test('the metadata describes an mdoc as Appendix A.2 says', async () => {
  const { body } = await create()
  const metadata = await issuer.open(`/.well-known/openid-credential-issuer/issuers/${issuer.tenant.slug}`)
  const { credential_metadata: about, ...configuration } =
    metadata.body.credential_configurations_supported[body.data.code]
  assert.deepEqual(configuration, {
    format: 'mso_mdoc',
    doctype: mdl.docType,
    scope: body.data.code,
    credential_signing_alg_values_supported: [-7, -9],
    cryptographic_binding_methods_supported: ['cose_key'],
    proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256', 'EdDSA'] } },
  })
  assert.deepEqual(about.display, [{ name: 'Driving licence' }])
  assert.equal(about.claims.length, 15)
  // [VCI-M16] namespace and element; what the standard requires is mandatory
  assert.deepEqual(about.claims[0], {
    path: [mdl.nameSpace, 'family_name'],
    mandatory: true,
    display: [{ name: 'Family name' }],
  })
  assert.deepEqual(about.claims.at(-1), { path: ['nl.example.extra', 'note'] })
})

/** Everything that a holder checks. */
async function checkedBy(at: Issuer, credential: string, key: SigningKey, now: Date) {
  const mdoc = parseIssuerSigned(credential)
  const signer = await resolveMdocIssuer({ ...at.platform, tenantId: at.tenant.id }, mdoc, now, () =>
    trustedAnchors(at.platform, at.tenant.id),
  )
  const agreed = { certificate: signer.certificate, now, docType: mdl.docType, holderKey: key.publicJwk }
  return { mdoc, findings: [...signer.findings, ...checkReceivedMdoc(mdoc, agreed)] }
}

describe('an issued mdoc', () => {
  test('says what was offered, is bound to the proved key, chains to the root, and names its place in a list', async () => {
    const key = aKey()
    const [credential = ''] = await issue([key])
    assert.match(credential, /^[A-Za-z0-9_-]+$/)
    const { mdoc, findings } = await checkedBy(issuer, credential, key, noon)
    assert.deepEqual(findings, [])
    assert.deepEqual(mdocClaims(mdoc.nameSpaces), licence)
    assert.equal(mdoc.x5chain.length, 1)
    const { status, validityInfo } = mdoc.mso
    assert.partialDeepStrictEqual(status, { status_list: {} })
    const leaf = readCertificate(mdoc.x5chain[0] ?? Buffer.alloc(0))
    // [MD-3] on the day that the certificate was made its beginning is the time; without validUntil its end is the end
    assert.deepEqual(validityInfo.signed, leaf.notBefore)
    assert.equal(validityInfo.validUntil.toISOString().slice(11), '00:00:00.000Z')
    assert.ok(validityInfo.validUntil <= leaf.notAfter)
  })

  test('has the times of its template, by whole days', async () => {
    issuer.clock.at = new Date(noon.getTime() + 36 * 3_600_000)
    const [credential = ''] = await issue([aKey()], { validFrom: '2026-06-01', validUntil: { future: { months: 3 } } })
    issuer.clock.at = noon
    const { signed, validFrom, validUntil } = parseIssuerSigned(credential).mso.validityInfo
    assert.deepEqual(
      [signed, validFrom, validUntil].map((time) => time.toISOString()),
      ['2026-05-03T00:00:00.000Z', '2026-06-01T00:00:00.000Z', '2026-08-03T00:00:00.000Z'],
    )
  })

  test('[VCI-C15] in a batch has its own key, salts and place in a list', async () => {
    const keys = [aKey(), aKey(), aKey()]
    const credentials = await issue(keys, { batchSize: 3 })
    const read = await Promise.all(credentials.map(async (one, at) => checkedBy(issuer, one, keys[at] ?? aKey(), noon)))
    for (const { findings } of read) assert.deepEqual(findings, [])
    const places = read.map(({ mdoc }) => JSON.stringify(mdoc.mso.status))
    assert.equal(new Set(places).size, 3)
    const digests = read.flatMap(({ mdoc }) => [...mdoc.mso.valueDigests.values()].flatMap((all) => [...all.values()]))
    assert.equal(new Set(digests.map((one) => Buffer.from(one).toString('hex'))).size, 45)
    assert.equal(new Set(read.map(({ mdoc }) => JSON.stringify(mdoc.mso.validityInfo))).size, 1)
  })

  test('that is asked for again says the same, in the same place of the list', async () => {
    const { token, template } = await aToken(issuer, licenceTemplate, fromLicence)
    const key = aKey()
    const [one, two] = await Promise.all(
      [1, 2].map(async () => {
        const { body } = await request(issuer, token, template.code, [key])
        return parseIssuerSigned(body.credentials[0].credential)
      }),
    )
    assert.deepEqual(two?.mso.status, one?.mso.status)
    assert.deepEqual(two?.mso.validityInfo, one?.mso.validityInfo)
    assert.deepEqual(two && mdocClaims(two.nameSpaces), licence)
  })
})

describe('an issued mdoc', () => {
  test('that cannot be revoked has no status', async () => {
    const [credential = ''] = await issue([aKey()], { revocable: false })
    assert.equal(parseIssuerSigned(credential).mso.status, undefined)
  })

  test('is shown as one in the list of issuances', async () => {
    const { body } = await open({}, licence)
    assert.equal(body.data.credentials[0].format, 'mdoc')
    const read = await issuer.api('GET', `/credentials/${body.data.id}`)
    assert.equal(read.body.data.credentials[0].format, 'mdoc')
  })

  test('is not issued without a signer at that time, or with a signer of another country [MD-9]', async () => {
    const at = await anIssuer(db)
    const root = await aRoot(at, { countryName: 'NL' })
    const { token, template } = await aToken(at, licenceTemplate, fromLicence)
    const key = aKey()
    const ask = async () => (await request(at, token, template.code, [key])) as { body: Body }
    await at.api('POST', `/certificates/${root.id}/deactivate`)
    assert.equal((await ask()).body.error, 'credential_request_denied')
    const other = await aRoot(at, { countryName: 'BE' })
    assert.equal(other.status, 'active')
    assert.equal((await ask()).body.error, 'credential_request_denied')
    await at.api('POST', `/certificates/${root.id}/activate`)
    assert.equal((await ask()).body.credentials?.length, 1)
    await at.server.close(0)
  })

  test('of an offer whose template was replaced is the one that was offered', async () => {
    const made = await create({ validUntil: { future: { days: 30 } } })
    const { id, code } = made.body.data
    const opened = await issuer.api('POST', '/credentials/issuance', {
      credentialTemplateId: id,
      attributes: licence,
    })
    const uri = new URL(opened.body.data.offerUri).searchParams.get('credential_offer_uri') ?? ''
    const [grant] = Object.values((await issuer.open(uri)).body.grants) as { 'pre-authorized_code': string }[]
    await issuer.api('PUT', `/templates/credentials/${id}`, { ...bodyOf(), code, validUntil: '2026-05-05' })
    const { body } = await redeem(issuer, grant?.['pre-authorized_code'] ?? '')
    const answer = await request(issuer, body.access_token, code, [aKey()])
    const { validUntil } = parseIssuerSigned(answer.body.credentials[0].credential).mso.validityInfo
    assert.equal(validUntil.toISOString(), '2026-05-31T00:00:00.000Z')
  })
})
