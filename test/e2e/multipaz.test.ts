// multipaz (Kotlin) on the other side, in the program of peers/multipaz: its wallet redeems our offers and answers our
// requests, and its verifier reads what our wallet presents, in both formats. Our requests have encrypted responses: to
// others multipaz responds with an unsecured JWT, which OpenID4VP does not have.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text as textOf } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { mdl } from '../../src/protocols/mdoc/mdl.ts'
import { foreignRoot } from '../../src/wallet/test-support/foreign-mdoc.ts'
import { foreignVerifier } from '../../src/wallet/test-support/foreign-verifier.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'

const program = process.env.PEERS_MULTIPAZ
const skip = program === undefined ? 'the program with multipaz is not built: npm run test:peers builds it' : false

const text = { type: 'string' }
/** What is issued in each format, what is requested of it, and how multipaz names each claim. */
const formats = {
  'dc+sd-jwt': {
    template: {
      name: 'Diploma',
      attributes: { given_name: text, degree: text, address: { type: 'object', properties: { locality: text } } },
      txCode: { length: 6, inputMode: 'numeric' },
    },
    attributes: { given_name: 'Zoë', degree: 'BSc', address: { locality: 'Köln' } },
    requested: { degree: {}, address: { properties: { locality: text } } },
    shown: { degree: 'BSc', address: { locality: 'Köln' } },
    claims: { '["given_name"]': 'Zoë', '["degree"]': 'BSc', '["address"]': { locality: 'Köln' } },
    paths: [['degree'], ['address', 'locality']],
  },
  mso_mdoc: {
    template: {
      name: 'Member card',
      format: 'mdoc',
      docType: 'org.example.card.1',
      attributes: {
        [mdl.nameSpace]: { family_name: text, birth_date: { type: 'date' }, age_over_18: { type: 'boolean' } },
      },
      batchSize: 2,
    },
    attributes: { [mdl.nameSpace]: { family_name: 'Molefe', birth_date: '2001-03-14', age_over_18: true } },
    requested: { [mdl.nameSpace]: { properties: { family_name: {}, age_over_18: {} } } },
    shown: { [mdl.nameSpace]: { family_name: 'Molefe', age_over_18: true } },
    claims: {
      [`${mdl.nameSpace}/family_name`]: 'Molefe',
      [`${mdl.nameSpace}/birth_date`]: '2001-03-14',
      [`${mdl.nameSpace}/age_over_18`]: true,
    },
    paths: [
      [mdl.nameSpace, 'family_name'],
      [mdl.nameSpace, 'age_over_18'],
    ],
  },
}
const names = ['dc+sd-jwt', 'mso_mdoc'] as const

let chirograph: Deployment
let school: Api
let thandi: Api
let root: string
before(async () => {
  if (skip !== false) return
  chirograph = await deploy({}, {}, { acme: { walletFormats: ['vc+sd-jwt', 'mso_mdoc'] } })
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
  const about = { keyType: 'P-256', countryName: 'NL', issuerAlternativeNameUrl: `${chirograph.url}/issuers/acme` }
  root = (await made(school, '/creds/certificates', { type: 'issuerRoot', ...about })).certificate
  await made(school, '/creds/certificates', { type: 'verifierRoot', ...about })
})
after(() => chirograph?.stop())

async function made(by: Api, path: string, body: object) {
  const reply = await by.post(path, body)
  assert.ok(reply.status < 300, JSON.stringify(reply.body))
  return reply.body.data
}

/** Returns what the program answers: see peers/multipaz/src/main/kotlin/Main.kt. */
async function peer(ask: object) {
  const java = process.env.JAVA_HOME === undefined ? 'java' : `${process.env.JAVA_HOME}/bin/java`
  const child = spawn(java, ['-jar', program ?? ''], { stdio: 'pipe' })
  child.stdin.end(JSON.stringify(ask))
  const [answer, log] = await Promise.all([textOf(child.stdout), textOf(child.stderr)])
  assert.ok(answer.startsWith('{'), log)
  return JSON.parse(answer)
}

/** Makes a template and offers it. @returns its type, the link of the offer and the transaction code */
async function offered({ template, attributes }: (typeof formats)[keyof typeof formats], code: string) {
  const { id: credentialTemplateId, type } = await made(school, '/creds/templates/credentials', { ...template, code })
  const { offerUri: offer, txCode } = await made(school, '/creds/credentials/issuance', {
    credentialTemplateId,
    attributes,
  })
  return { type, offer, ...(txCode !== undefined && { txCode }) }
}

for (const name of names)
  test(`the wallet of multipaz redeems an offer of ${name} and answers our request with it`, { skip }, async () => {
    const format = formats[name]
    const { type, ...offer } = await offered(format, `held-${name.replace(/\W/g, '-')}`)
    const asked = { type, attributes: format.requested, ...(name === 'mso_mdoc' && { format: 'mdoc' }) }
    const template = { name: 'Club', description: 'To join', credentials: [asked] }
    const verifierConfig = { signer: 'certificate', responseMode: 'direct_post.jwt' }
    const { id: presentationTemplateId } = await made(school, '/creds/templates/presentations', {
      ...template,
      verifierConfig,
    })
    const { id, authorizationRequestUri: link } = await made(school, '/creds/presentations/request', {
      presentationTemplateId,
    })
    const held = await peer({ do: 'hold', ...offer, root, link })
    const { data } = (await school.get(`/creds/presentations/${id}`)).body
    assert.equal(data.status, 'verified', JSON.stringify(data))
    assert.deepEqual(data.credentials[0].attributes, format.shown)
    const copies = name === 'mso_mdoc' ? 2 : 1
    assert.deepEqual(held.findings, Array(copies).fill([]))
    assert.deepEqual(held.isTrusted, Array(copies).fill(true))
    for (const claims of held.claims) assert.partialDeepStrictEqual(claims, format.claims)
  })

/** What our wallet answers to a foreign verifier, and the parameters of its request. */
async function presented(query: object) {
  const shop = await foreignVerifier({ credentials: [{ id: 'q', ...query }] })
  try {
    const { id } = await made(thandi, '/wallet/v2/presentations', { presentationRequest: shop.link() })
    const { status, body } = await thandi.patch(`/wallet/v2/presentations/${id}`, { status: 'answered' })
    assert.equal(status, 200, JSON.stringify(body))
    const [presentation] = JSON.parse(shop.posted[0]?.get('vp_token') ?? '{}').q
    const { clientId, nonce, responseUri } = shop
    return { presentation, request: { clientId, nonce, responseUri } }
  } finally {
    await shop.close()
  }
}

for (const name of names)
  test(`multipaz verifies the ${name} that our wallet presents`, { skip }, async () => {
    const format = formats[name]
    const { type, offer: credentialOffer, txCode } = await offered(format, `shown-${name.replace(/\W/g, '-')}`)
    const [{ id }] = await made(thandi, '/wallet/v2/credentials', { credentialOffer, ...(txCode && { txCode }) })
    await thandi.patch(`/wallet/v2/credentials/${id}`, { status: 'accepted' })
    const meta = name === 'mso_mdoc' ? { doctype_value: type } : { vct_values: [type] }
    const shown = await presented({ format: name, meta, claims: format.paths.map((path) => ({ path })) })
    const ask = { do: name, root, ...shown }
    const { isTrusted, claims } = await peer(ask)
    assert.equal(isTrusted, true)
    if (name === 'mso_mdoc') assert.deepEqual(claims, format.shown)
    else assert.partialDeepStrictEqual(claims, { vct: type, ...format.shown })
    const request = { ...shown.request, nonce: 'another' }
    await assert.rejects(peer({ ...ask, request }), /nonce|signature failed/)
    const stranger = await peer({ ...ask, root: foreignRoot })
    assert.equal(stranger.isTrusted, false)
  })
