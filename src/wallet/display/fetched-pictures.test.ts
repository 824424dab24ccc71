// What the wallet fetches for a person to look at: pictures of types, logos of verifiers. Once, bounded, and of no
// stranger.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { makeTemplate } from '../../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { until } from '../../../test/support/until.ts'
import { VERIFIER_STATEMENT_FORMAT } from '../../protocols/openid4vp/verifier-statement.ts'
import { foreignIssuer } from '../test-support/foreign-issuer.ts'
import { foreignVerifier } from '../test-support/foreign-verifier.ts'

let chirograph: Deployment
let school: Api
let template: { id: string; type: string }
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  template = await makeTemplate(school, 'pictures')
})
after(() => chirograph.stop())

async function receive(holder: Api, credentialOffer: string): Promise<string> {
  const { status, body } = await holder.post('/wallet/v2/credentials', { credentialOffer })
  assert.equal(status, 201, JSON.stringify(body))
  const { id } = body.data[0]
  await holder.patch(`/wallet/v2/credentials/${id}`, { status: 'accepted' })
  return id
}

async function anAsk(): Promise<string> {
  const credentials = [{ type: template.type, attributes: { name: {} } }]
  const made = await school.post('/creds/templates/presentations', {
    name: 'Who',
    description: 'Internal',
    credentials,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const asked = await school.post('/creds/presentations/request', { presentationTemplateId: made.body.data.id })
  return asked.body.data.authorizationRequestUri
}

const png = (width: number, height: number) => {
  const bytes = Buffer.alloc(64)
  Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1').copy(bytes)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

test('the picture of a type is fetched once, with its integrity, and drawn with the values of its holder alone', async (t) => {
  const asked: string[] = []
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 190"><text>{{who}} {{no}}</text></svg>`
  const types = createServer((request, response) => {
    asked.push(request.url ?? '')
    const type = request.url === '/card.svg' ? 'image/svg+xml' : 'application/json'
    response.writeHead(200, { 'content-type': type }).end(request.url === '/card.svg' ? drawing : document)
  })
  await new Promise<void>((resolve) => types.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${Object(types.address()).port}`
  const integrity = `sha256-${createHash('sha256').update(drawing).digest('base64')}`
  const document = JSON.stringify({
    vct: `${base}/card`,
    display: [
      { locale: 'en', rendering: { svg_templates: [{ uri: `${base}/card.svg`, 'uri#integrity': integrity }] } },
    ],
    claims: [
      { path: ['given_name'], svg_id: 'who' },
      { path: ['member', 'number'], svg_id: 'no' },
    ],
  })
  const sri = `sha512-${createHash('sha512').update(document).digest('base64')}`
  const pieter = await chirograph.wallet('acme', 'pieter')
  t.after(() => types.close())
  const receiveWith = async (type: string) => {
    const club = await foreignIssuer()
    t.after(() => club.close())
    club.lie({
      payload: (payload) => ({ ...payload, vct: `${base}/card`, 'vct#integrity': type, given_name: '<b>Zoë</b>' }),
      reply: {
        issuer: (reply) => {
          const { membership } = Object(reply.body).credential_configurations_supported
          const supported = { membership: { ...membership, vct: `${base}/card` } }
          return { ...reply, body: { ...Object(reply.body), credential_configurations_supported: supported } }
        },
      },
    })
    return receive(pieter, club.offerUri)
  }
  const id = await receiveWith(sri)
  const images = await until(async () => (await pieter.get(`/wallet/v2/credentials/${id}`)).body.meta.display.images)
  assert.deepEqual(images, ['card'])
  for (let times = 0; times < 3; times += 1) {
    const { body } = await pieter.get(`/wallet/v2/credentials/${id}/images/card`)
    assert.equal(body.data.mediaType, 'image/svg+xml')
    assert.match(Buffer.from(body.data.data, 'base64').toString(), /<text>&lt;b&gt;Zoë&lt;\/b&gt; M-1<\/text>/)
  }
  assert.deepEqual(asked, ['/card', '/card.svg'])
  const other = await chirograph.wallet('globex', 'pieter')
  assert.equal((await other.get(`/wallet/v2/credentials/${id}/images/card`)).status, 404)
  const wrong = await receiveWith('sha512-AAAA')
  await until(() => asked.length >= 3)
  await until(async () => {
    const jobs = await pieter.get(`/wallet/v2/credentials/${wrong}`)
    return jobs.body.meta.display.images === undefined ? true : undefined
  })
  assert.deepEqual(asked, ['/card', '/card.svg', '/card'], 'nothing more is fetched for a document of another hash')
})

test('the logo of a verifier is fetched once, small, and only if the organisation knows the verifier', async (t) => {
  const asked: string[] = []
  const host = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/slow.png') return
    response.writeHead(200, { 'content-type': 'image/png' })
    response.end(request.url === '/huge.png' ? png(20_000, 20_000) : png(40, 40))
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    host.closeAllConnections()
    host.close()
  })
  const base = `http://127.0.0.1:${Object(host.address()).port}`
  const holder = await chirograph.wallet('acme', 'pieter')
  const claims = [{ path: ['name'] }]
  const shop = await foreignVerifier({
    credentials: [{ id: 'b', format: 'dc+sd-jwt', meta: { vct_values: [template.type] }, claims }],
  })
  t.after(() => shop.close())
  const prepare = async (logo_uri: string) => {
    const statement = { format: VERIFIER_STATEMENT_FORMAT, data: { client_name: 'Shop', logo_uri } }
    shop.behave({ object: (object) => ({ ...object, verifier_info: [statement] }) })
    const { status, body } = await holder.post('/wallet/v2/presentations', { presentationRequest: shop.link() })
    assert.equal(status, 201, JSON.stringify(body))
    const path = `/wallet/v2/presentations/${body.data.id}`
    const { hasLogo } = (await holder.get(path)).body.meta
    return { hasLogo, logo: await holder.get(`${path}/logo`) }
  }
  const stranger = await prepare(`${base}/stranger.png`)
  assert.deepEqual([stranger.hasLogo, stranger.logo.status, asked], [undefined, 404, []])
  const did = shop.clientId.replace('decentralized_identifier:', '')
  const trusted = await school.post('/creds/trusted-entities', {
    name: 'Shop',
    dids: [{ did }],
    purposes: ['verifier'],
  })
  assert.equal(trusted.status, 201, JSON.stringify(trusted.body))
  // Another server learns within seconds whom the organisation trusts.
  const known = await until(async () => {
    const prepared = await prepare(`${base}/logo.png`)
    return prepared.hasLogo === true ? prepared : undefined
  })
  assert.deepEqual([known.hasLogo, known.logo.body.data.mediaType], [true, 'image/png'])
  assert.deepEqual(asked, ['/logo.png'])
  for (const uri of [`${base}/huge.png`, `${base}/slow.png`, 'http://192.168.1.1/x.png', 'data:text/html,x'])
    assert.equal((await prepare(uri)).hasLogo, undefined, uri)
  const { logoUri } = { logoUri: 'https://college.example/logo.png' }
  await school.patch('/onboarding/organisation', { logoUri })
  const link = new URL(await anAsk()).searchParams.get('request_uri') ?? ''
  const said = await until(async () => {
    const [, payload = ''] = (await (await fetch(link)).text()).split('.')
    const [{ data }] = JSON.parse(Buffer.from(payload, 'base64url').toString()).verifier_info
    return data.logo_uri === undefined ? undefined : data
  })
  assert.partialDeepStrictEqual(said, { client_name: 'Acme College', logo_uri: logoUri })
  await school.patch('/onboarding/organisation', { logoUri: null })
})
