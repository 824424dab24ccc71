// A logo that an organisation gives as a picture: kept with it, public, and at an address that names its content.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'

const PATH = '/onboarding/organisation'
/** A script in it runs nowhere. */
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='

let chirograph: Deployment
let acme: Api
let globex: Api
before(async () => {
  chirograph = await deploy({}, {}, { globex: { logoUri: 'https://globex.example/logo.png' } })
  acme = await chirograph.backend('acme')
  globex = await chirograph.backend('globex')
})
after(() => chirograph.stop())

const svgUri = (svg: string) => `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`

/** Sets the logo of acme. @returns its address */
async function set(logoUri: string | null): Promise<string | null> {
  const { status, body } = await acme.patch(PATH, { logoUri })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual((await acme.get(PATH)).body.data.logoUri, body.data.logoUri)
  return body.data.logoUri
}

/** The address is public: any server answers there. */
async function statusAt(uri: string | null): Promise<number> {
  return (await fetch(`${chirograph.url}${new URL(uri ?? '').pathname}`)).status
}

test('a picture is kept and served to anybody, for ever; the setting is its address', async () => {
  const uri = await set(svgUri(SVG))
  assert.match(uri ?? '', /^https?:\/\/[^/]+\/organisations\/acme\/logos\/[\w-]{43}$/)
  const { pathname } = new URL(uri ?? '')
  const answer = await fetch(chirograph.url + pathname)
  assert.equal(await answer.text(), SVG)
  assert.equal(answer.headers.get('content-type'), 'image/svg+xml')
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
  const entry = (await acme.get('/creds/audit?filter[action]=tenant.changed')).body.data[0]
  assert.deepEqual(entry.detail, { members: ['logoUri'] })
  assert.equal(await set(svgUri(SVG)), uri)
  // Not at another organisation, nor at another address.
  assert.equal(await statusAt(uri?.replace('/acme/', '/globex/') ?? null), 404)
  assert.equal(await statusAt(`${uri?.slice(0, -1)}!`), 404)
})

test('issuer metadata and the pages of the organisation name the picture', async () => {
  const uri = await set(PNG)
  const { pathname } = new URL(uri ?? '')
  const seen = async (path: string) => JSON.stringify((await chirograph.nobody.get(path)).body)
  const end = performance.now() + 15_000
  // The other server notices within five seconds.
  for (const [path, text] of [
    ['/organisations/acme/about', `"logoPath":"${pathname}"`],
    ['/.well-known/openid-credential-issuer/issuers/acme', `"logo":{"uri":"${uri}"`],
  ] as const)
    while (!(await seen(path)).includes(text)) assert(performance.now() < end, await seen(path))
  assert.equal((await fetch(chirograph.url + pathname)).headers.get('content-type'), 'image/png')
  const fetched = await fetch(`${chirograph.url}/organisations/acme/logo`)
  assert.deepEqual([fetched.status, fetched.headers.get('content-type')], [200, 'image/png'])
})

test('another picture takes its place, and an address elsewhere or none removes it', async () => {
  for (const next of [svgUri(SVG), 'https://college.example/logo.png', null]) {
    const before = await set(PNG)
    assert.equal(await statusAt(before), 200)
    await set(next)
    assert.equal(await statusAt(before), 404, String(next))
  }
})

for (const [what, logoUri] of [
  ['a text that calls itself a PNG', `data:image/png;base64,${Buffer.from('hello').toString('base64')}`],
  ['a picture of more than 64 KiB', svgUri(`${SVG}${' '.repeat(65_536)}`)],
  ['an SVG that draws itself again and again', svgUri(`<svg>${'<use href="#a"/>'.repeat(13)}</svg>`)],
  ['a page', `data:text/html,${encodeURIComponent('<script>alert(1)</script>')}`],
  ['an address with an element in it', 'https://college.example/"><script>alert(1)</script>'],
  ['an address of more than 2,000 characters', `https://college.example/${'a'.repeat(2000)}`],
] as const)
  test(`${what} is refused at its member`, async () => {
    const { status, body } = await acme.patch(PATH, { logoUri })
    assert.equal(status, 400, JSON.stringify(body))
    assert.equal(body.errors[0].source.pointer, '/logoUri')
  })

test('a logo that the bootstrap file names is not replaced', async () => {
  const { status, body } = await globex.patch(PATH, { logoUri: PNG })
  assert.deepEqual([status, body.errors[0].source.pointer], [409, '/logoUri'])
  assert.equal((await globex.get(PATH)).body.data.logoUri, 'https://globex.example/logo.png')
})
