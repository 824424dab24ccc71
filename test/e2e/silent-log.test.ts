import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, backendSecret, type Deployment, deploy } from '../support/server.ts'

// [SEC-73] The main job, with everything that can go wrong on its way, at the level at which most is logged.
const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
/** Values that stand nowhere else. */
const claims = { given_name: 'Quirinalda', grade: 7391.25 }

const lines: string[] = []
const write = (level: string) => (fields: object, message: string) => {
  lines.push(
    JSON.stringify({ level, ...fields, message }, (_, value) => (value instanceof Error ? String(value.stack) : value)),
  )
}
const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }

let chirograph: Deployment
let school: Api
let thandi: Api
before(async () => {
  chirograph = await deploy({ log }, { LOG_LEVEL: 'debug' })
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
})
after(() => chirograph.stop())

test('no code, token, nonce, claim, key or secret is logged, whichever request is sent and whatever fails', async () => {
  const secrets = [
    backendSecret,
    school.token,
    thandi.token,
    ...Object.values(claims).map(String),
    'never-a-secret-of-ours',
  ]
  const { type, issuance } = await offer(secrets)
  const received = await thandi.post('/wallet/v2/credentials', {
    credentialOffer: issuance.offerUri,
    txCode: issuance.txCode,
  })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  const [credential] = received.body.data
  await thandi.patch(`/wallet/v2/credentials/${credential.id}`, { status: 'accepted' })
  secrets.push(...(await present(type)))
  secrets.push(...(await abroad()))
  await goWrong(secrets)
  await chirograph.stop()
  assert.ok(lines.length > 30, `only ${lines.length} lines`)
  const all = lines.join('\n')
  for (const secret of secrets) {
    assert.ok(typeof secret === 'string' && secret.length >= 6, `no secret: ${secret}`)
    const at = all.indexOf(secret)
    assert.equal(at, -1, at === -1 ? '' : all.slice(Math.max(0, at - 300), at + 100))
  }
  assert.doesNotMatch(all, /eyJ[\w-]{10,}\./, 'a JWT')
  assert.doesNotMatch(all, /"d":"|PRIVATE KEY/, 'a private key')
})

async function offer(secrets: (string | null)[]) {
  const attributes = { given_name: { type: 'string', required: true }, grade: { type: 'number' } }
  const made = await school.post('/creds/templates/credentials', {
    name: 'Diploma',
    code: 'diploma',
    attributes,
    txCode: { length: 8 },
  })
  const { id, type } = made.body.data
  const { body } = await school.post('/creds/credentials/issuance', { credentialTemplateId: id, attributes: claims })
  secrets.push(body.data.txCode, ...(await codesOf(body.data.offerUri)))
  return { type, issuance: body.data }
}

/** The token of the link, and the code behind it. */
async function codesOf(offerUri: string): Promise<string[]> {
  const uri = new URL(offerUri).searchParams.get('credential_offer_uri') ?? ''
  const { body } = await chirograph.nobody.get(uri)
  return [uri.split('/').at(-1) ?? '', body.grants[PRE_AUTHORIZED]['pre-authorized_code']]
}

async function present(type: string): Promise<string[]> {
  const credentials = [{ type, attributes: { given_name: { type: 'string' }, grade: { type: 'number', minimum: 50 } } }]
  const made = await school.post('/creds/templates/presentations', { name: 'Who', description: 'x', credentials })
  const presentationTemplateId = made.body.data.id
  const asked = await school.post('/creds/presentations/request', { presentationTemplateId })
  const presentationRequest = asked.body.data.authorizationRequestUri
  const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest })
  const answered = await thandi.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, { status: 'answered' })
  assert.equal(answered.body.data?.status, 'answered', JSON.stringify(answered.body))
  const requestUri = new URL(presentationRequest).searchParams.get('request_uri') ?? ''
  return [requestUri.split('/').at(-1) ?? '']
}

/** A token that a foreign wallet got, and a nonce. */
async function abroad(): Promise<string[]> {
  const attributes = { n: { type: 'string' } }
  const made = await school.post('/creds/templates/credentials', { name: 'Card', code: 'card', attributes })
  const ask = { credentialTemplateId: made.body.data.id, attributes: { n: 'Zwentibold' } }
  const { body } = await school.post('/creds/credentials/issuance', ask)
  const [link = '', code = ''] = await codesOf(body.data.offerUri)
  const granted = await chirograph.nobody.form('/issuers/acme/token', {
    grant_type: PRE_AUTHORIZED,
    'pre-authorized_code': code,
  })
  const token: string = granted.body.access_token
  const nonce: string = (await chirograph.nobody.post('/issuers/acme/nonce')).body.c_nonce
  const headers = { ...json, authorization: `Bearer ${token}` }
  const proofs = { jwt: [`${Buffer.from('{"alg":"none"}').toString('base64url')}.${nonce}.x`] }
  for (const wrong of ['{', '[]', JSON.stringify({ credential_configuration_id: 'card', proofs })]) {
    assert.equal((await chirograph.nobody.send('POST', '/issuers/acme/credential', wrong, headers)).status, 400)
  }
  return [link, code, token, nonce, 'Zwentibold']
}

/** Mistakes of callers: each says something secret in a place where it may be quoted. */
async function goWrong(secrets: (string | null)[]): Promise<void> {
  const secret = 'never-a-secret-of-ours'
  const { nobody } = chirograph
  await nobody.send('POST', '/issuers/acme/token', `grant_type=${secret}&pre-authorized_code=${secret}`, form)
  await nobody.send('POST', '/issuers/acme/token', `${secret}=1&${secret}=2`, form)
  await nobody.send('POST', '/issuers/acme/credential', `{"${secret}`, { ...json, authorization: `Bearer ${secret}` })
  await nobody.send('POST', `/issuers/acme/credential?access_token=${secret}`, '{}', json)
  await nobody.get(`/issuers/acme/offers/${secret}`)
  await nobody.get(`/issuers/${secret}/offers/${secret}`)
  await nobody.get(`/issuers/acme/offer-qr?credential_offer_uri=${secret}`)
  await nobody.get(`/${secret}`)
  await nobody.form('/auth/token', {
    grant_type: 'client_credentials',
    client_id: 'acme-backend',
    client_secret: secret,
  })
  await nobody.form('/auth/token', {
    grant_type: 'client_credentials',
    client_assertion: secret,
    client_assertion_type: secret,
  })
  await nobody.send('GET', '/creds/credentials', undefined, { authorization: `Bearer ${secret}` })
  await school.post('/creds/credentials/issuance', { credentialTemplateId: secret, attributes: { [secret]: secret } })
  await school.send('POST', '/creds/credentials/issuance', `{"attributes":{"x":"${secret}"`, json)
  await school.get(`/creds/credentials/${secret}`)
  await school.get(`/creds/credentials?filter[reference]=${secret}%00`)
  await thandi.post('/wallet/v2/credentials', {
    credentialOffer: `openid-credential-offer://?credential_offer=${secret}`,
  })
  await thandi.post('/wallet/v2/credentials', { credentialOffer: `${chirograph.url}/issuers/acme/offers/${secret}` })
  await thandi.post('/wallet/v2/presentations', { presentationRequest: `openid4vp://?request_uri=${secret}` })
  assert.ok(secrets.includes(secret))
}
