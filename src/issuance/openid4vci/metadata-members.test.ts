// The issuer metadata, member by member (OpenID4VCI 12.2.4), and as the reader of the EUDI reference wallet takes them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodeJwt } from 'jose'
import type { TestDatabase } from '../../../test/support/database.ts'
import { forgetTenants } from '../../directory/tenants/find-tenant.ts'
import { setTenantSettings } from '../../directory/tenants/tenant-store.ts'
import { aDatabase, anIssuer, aRoot, type Issuer, type Tenant } from '../test-support/issuer.ts'

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

const image = 'data:image/png;base64,AAAA'
const display = {
  name: 'Diploma of science',
  description: 'What it proves.',
  locale: 'en-ZA',
  logo: { uri: image, altText: 'A crest' },
  backgroundImage: { uri: image },
  backgroundColor: '#112233',
  textColor: '#FFFFFF',
}
const displayed = {
  name: 'Diploma of science',
  description: 'What it proves.',
  locale: 'en-ZA',
  logo: { uri: image, alt_text: 'A crest' },
  background_image: { uri: image },
  background_color: '#112233',
  text_color: '#FFFFFF',
}
const diploma = {
  name: 'Diploma',
  code: 'diploma',
  batchSize: 5,
  display,
  attributes: {
    family_name: { type: 'string', name: 'Family name', required: true },
    degrees: { type: 'array', items: { type: 'object', properties: { title: { type: 'string', name: 'Title' } } } },
  },
}
const card = {
  name: 'Card',
  code: 'card',
  format: 'mdoc',
  docType: 'org.example.card.1',
  attributes: { 'org.example.card': { number: { type: 'string', name: 'Number', required: true } } },
}

async function aTenantWith(settings: object): Promise<Tenant> {
  const tenant = await issuer.anotherTenant()
  await aRoot(issuer, {}, tenant)
  await issuer.platform.store.inTenant(tenant.id, (tx) => setTenantSettings(tx, { ...settings }, issuer.clock.at))
  forgetTenants(issuer.platform)
  for (const template of [diploma, card]) {
    const made = await issuer.api('POST', '/templates/credentials', template, tenant)
    assert.equal(made.status, 201, JSON.stringify(made.body))
  }
  return tenant
}

const metadataOf = ({ slug }: Tenant, headers: Record<string, string> = {}) =>
  issuer.open(`/.well-known/openid-credential-issuer/issuers/${slug}`, { headers })

test('[VCI-M8] [VCI-M14] [HAIP-4] [HAIP-5] the metadata of an issuer have these members, and no others', async () => {
  const tenant = await aTenantWith({})
  const { body } = await metadataOf(tenant)
  const base = issuer.platform.urls.issuer(tenant.slug)
  const { credential_request_encryption: toIssuer, credential_configurations_supported: known, ...rest } = body
  const encs = {
    enc_values_supported: ['A256GCM', 'A128GCM'],
    zip_values_supported: ['DEF'],
    encryption_required: false,
  }
  const [key] = toIssuer.jwks.keys
  assert.deepEqual(toIssuer, { jwks: { keys: [key] }, ...encs })
  assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  assert.deepEqual(rest, {
    credential_issuer: base,
    credential_endpoint: `${base}/credential`,
    nonce_endpoint: `${base}/nonce`,
    deferred_credential_endpoint: `${base}/deferred-credential`,
    notification_endpoint: `${base}/notification`,
    batch_credential_issuance: { batch_size: 5 },
    credential_response_encryption: { alg_values_supported: ['ECDH-ES'], ...encs },
    display: [{ name: 'Acme College' }],
  })
  const proofs = { jwt: { proof_signing_alg_values_supported: ['ES256', 'EdDSA'] } }
  assert.deepEqual(Object.keys(known).sort(), ['card', 'diploma'])
  // The scope is that of the code flow.
  const { scope: _, ...sdJwt } = known.diploma
  assert.deepEqual(sdJwt, {
    format: 'dc+sd-jwt',
    vct: `${base}/vct/diploma`,
    credential_signing_alg_values_supported: ['ES256'],
    cryptographic_binding_methods_supported: ['jwk'],
    proof_types_supported: proofs,
    credential_metadata: {
      display: [displayed],
      claims: [
        { path: ['family_name'], mandatory: true, display: [{ name: 'Family name', locale: 'en-ZA' }] },
        { path: ['degrees'] },
        { path: ['degrees', null] },
        { path: ['degrees', null, 'title'], display: [{ name: 'Title', locale: 'en-ZA' }] },
      ],
    },
  })
  const { scope: __, ...mdoc } = known.card
  assert.deepEqual(mdoc, {
    format: 'mso_mdoc',
    doctype: 'org.example.card.1',
    credential_signing_alg_values_supported: [-7, -9],
    cryptographic_binding_methods_supported: ['cose_key'],
    proof_types_supported: proofs,
    credential_metadata: {
      display: [{ name: 'Card' }],
      claims: [{ path: ['org.example.card', 'number'], mandatory: true, display: [{ name: 'Number' }] }],
    },
  })
})

test('the claims of the card come first, with what is inside them: wallets show claims in this order', async () => {
  const tenant = await aTenantWith({})
  const text = { type: 'string' } as const
  const made = await Promise.all(
    [
      {
        name: 'Card',
        code: 'lined',
        attributes: { given: text, place: { type: 'object', properties: { town: text } }, plac: text },
        display: { cardLine: ['/plac', '/place'] },
      },
      {
        name: 'Licence',
        code: 'licence',
        format: 'mdoc',
        docType: 'org.example.licence.1',
        attributes: { 'org.example': { number: text, class: text } },
        display: { cardLine: ['/org.example/class'] },
      },
    ].map((body) => issuer.api('POST', '/templates/credentials', body, tenant)),
  )
  for (const { status, body } of made) assert.equal(status, 201, JSON.stringify(body))
  const { body } = await metadataOf(tenant, {})
  const known = body.credential_configurations_supported
  const pathsOf = (code: string) =>
    known[code].credential_metadata.claims.map(({ path }: { path: string[] }) => path.join('/'))
  assert.deepEqual(pathsOf('lined'), ['plac', 'place', 'place/town', 'given'])
  assert.deepEqual(pathsOf('licence'), ['org.example/class', 'org.example/number'])
})

const note = {
  name: 'Note',
  code: 'note',
  display: { locale: 'en', translations: [{ locale: 'fr-CA', name: 'Avis' }] },
  attributes: { title: { type: 'string', name: 'Title', names: { 'fr-CA': 'Titre', af: 'Titel' } } },
}
const preferences: readonly (readonly [
  header: string | undefined,
  language: string | undefined,
  shown: readonly string[],
])[] = [
  [undefined, undefined, ['Note', 'Avis', 'Title', 'Titre', 'Titel']],
  ['*', undefined, ['Note', 'Avis', 'Title', 'Titre', 'Titel']],
  ['de', undefined, ['Note', 'Avis', 'Title', 'Titre', 'Titel']],
  ['de, fr;q=0.8, en;q=0.5', 'fr', ['Avis', 'Titre']],
  ['fr-FR', 'fr', ['Avis', 'Titre']],
  ['en-GB,en;q=0.9', 'en', ['Note', 'Title']],
  ['fr;q=0', undefined, ['Note', 'Avis', 'Title', 'Titre', 'Titel']],
]

test('[VCI-M5] 12.2.2: displays are in the preferred language where a template has it, else in all', async () => {
  const tenant = await aTenantWith({})
  assert.equal((await issuer.api('POST', '/templates/credentials', note, tenant)).status, 201)
  for (const type of ['application/json', 'application/jwt'])
    for (const [preferred, language, shown] of preferences) {
      const asked = preferred === undefined ? {} : { 'accept-language': preferred }
      const { body, headers } = await metadataOf(tenant, { accept: type, ...asked })
      const known = (type === 'application/json' ? body : decodeJwt(body)).credential_configurations_supported
      const { display, claims } = known.note.credential_metadata
      const names = [...display, ...claims[0].display].map(({ name }) => name)
      assert.deepEqual(names, shown, `${type}, ${preferred}`)
      assert.equal(headers['content-language'], language)
      assert.equal(headers.vary, 'accept, accept-language')
      assert.equal(known.card.credential_metadata.claims[0].display[0].name, 'Number')
    }
})

/** What the reader of eudi-lib-jvm-openid4vci-kt refuses since version 0.12, restated from its parser of 0.13. */
function eudiRefusals(metadata: Record<string, never>): string[] {
  const { credential_configurations_supported: known, credential_response_encryption: toWallet, ...rest } = metadata
  const configurations = Object.entries<Record<string, never>>(known ?? {})
  const levels = ['iso_18045_high', 'iso_18045_moderate', 'iso_18045_enhanced-basic', 'iso_18045_basic']
  const text = (value: unknown) => typeof value === 'string'
  const found: (string | false)[] = [
    configurations.length === 0 && 'no configurations',
    toWallet !== undefined && rest.credential_request_encryption === undefined && 'response encryption alone',
    typeof (rest.credential_request_encryption as { encryption_required?: unknown } | undefined)
      ?.encryption_required !== 'boolean' && 'encryption_required',
  ]
  for (const [id, one] of configurations) {
    const types = Object.entries<Record<string, never>>(one.proof_types_supported ?? {})
    const methods = (one.cryptographic_binding_methods_supported ?? []) as unknown[]
    const { display: texts = [], claims = [] } = (one.credential_metadata ?? {}) as Record<string, Body[]>
    const numeric = one.format === 'mso_mdoc'
    const algs = (one.credential_signing_alg_values_supported ?? []) as unknown[]
    found.push(
      methods.length > 0 !== types.length > 0 && `${id}: binding methods and proof types`,
      !text(numeric ? one.doctype : one.vct) && `${id}: type`,
      !algs.every((alg) => typeof alg === (numeric ? 'number' : 'string')) && `${id}: algorithms`,
      !texts.every(({ name }) => text(name)) && `${id}: display`,
      !claims.every(({ path }) => Array.isArray(path)) && `${id}: claims`,
    )
    for (const [type, { key_attestations_required: required }] of types) {
      if (type === 'jwt' || type === 'attestation')
        found.push(required === undefined && `${id}: ${type} without attestation`)
      const listed = Object.values<string[]>(required ?? {}).flat()
      found.push(!listed.every((level) => levels.includes(level)) && `${id}: ${type} level`)
    }
  }
  return found.filter((one) => one !== false)
}
type Body = Record<string, unknown>

test('the EUDI reader refuses a proof type without key attestations, and takes metadata of a tenant that requires them', async () => {
  const open = (await metadataOf(await aTenantWith({}))).body
  assert.deepEqual(eudiRefusals(open).sort(), ['card: jwt without attestation', 'diploma: jwt without attestation'])
  for (const settings of [{ keyAttestations: 'required' }, { haip: true }]) {
    const { body } = await metadataOf(await aTenantWith(settings))
    assert.deepEqual(eudiRefusals(body), [])
    assert.deepEqual(
      body.credential_configurations_supported.card.proof_types_supported.attestation.key_attestations_required,
      {},
    )
  }
})
