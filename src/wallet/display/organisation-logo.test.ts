import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aPagesServer, type PagesServer } from '../../authorization/sign-in/test-support/pages-server.ts'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import { Fault } from '../../fault.ts'
import type { OutboundFetch } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { organisationFaceEndpoints } from './public-endpoints.ts'

/** A script in it runs nowhere. */
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
const asked: string[] = []
/** What the host of the logo answers. */
let answer: () => { readonly status: number; readonly body: Buffer }
const fetchLogo: OutboundFetch = async (_tenantId, url) => {
  asked.push(url)
  return { ...answer(), contentType: 'image/svg+xml', headers: {} }
}
let server: PagesServer
before(async () => {
  server = await aPagesServer({}, { fetch: fetchLogo, endpoints: organisationFaceEndpoints })
})
after(() => server.close())

/** An organisation with a logo of its own. @returns the path of what is said of it */
async function organisationWith(settings: object): Promise<string> {
  const slug = `t${newId().replaceAll('-', '')}`
  await applyBootstrap(server.platform, { tenants: [{ slug, name: 'College', settings }] })
  return `/organisations/${slug}`
}

const get = (path: string) => fetch(server.origin + path)

test('a logo is fetched once for all who look, and shown from our address, where its scripts do nothing', async () => {
  const logoUri = `https://college.example/${newId()}.svg`
  const path = await organisationWith({ logoUri, accentColor: '#7a1f4e', languages: ['fr'] })
  const about = Object(await (await get(`${path}/about`)).json())
  assert.deepEqual(about, {
    slug: path.split('/').at(-1),
    name: 'College',
    accentColor: '#7a1f4e',
    languages: ['fr'],
    privacyUri: null,
    supportAddress: null,
    logoPath: `${path}/logo`,
    makesWallets: true,
  })
  answer = () => ({ status: 200, body: Buffer.from(SVG) })
  const answers = await Promise.all(Array.from({ length: 5 }, () => get(`${path}/logo`)))
  for (const one of answers) {
    assert.equal(one.status, 200)
    assert.equal(one.headers.get('content-type'), 'image/svg+xml')
    assert.match(one.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
  }
  assert.deepEqual(
    asked.filter((url) => url === logoUri),
    [logoUri],
  )
})

test('a logo that does not arrive, or is no picture, is not there; it is asked for again after a minute', async () => {
  for (const [what, wrong] of [
    [
      'away',
      () => {
        throw new Fault('upstream.timeout')
      },
    ],
    ['missing', () => ({ status: 404, body: Buffer.from('') })],
    ['a page', () => ({ status: 200, body: Buffer.from('<!doctype html><title>x</title>') })],
  ] as const) {
    const logoUri = `https://college.example/${newId()}.png`
    const path = await organisationWith({ logoUri })
    answer = wrong
    assert.equal((await get(`${path}/logo`)).status, 404, what)
    answer = () => ({ status: 200, body: Buffer.from(SVG) })
    assert.equal((await get(`${path}/logo`)).status, 404, what)
    assert.equal(asked.filter((url) => url === logoUri).length, 1, what)
    server.clock.shiftSeconds += 61
    assert.equal((await get(`${path}/logo`)).status, 200, what)
  }
})

test('an organisation without a logo has none, and one that is not there is not there', async () => {
  const path = await organisationWith({})
  assert.equal(Object(await (await get(`${path}/about`)).json()).logoPath, null)
  assert.equal((await get(`${path}/logo`)).status, 404)
  for (const rest of ['about', 'logo']) assert.equal((await get(`/organisations/nobody/${rest}`)).status, 404)
})
