import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { freePort } from '../../test/support/free-port.ts'
import { platformOn } from '../../test/support/platform.ts'
import { readConfig } from '../config.ts'
import { languages } from '../contract/languages.ts'
import { randomBytes } from '../crypto/random.ts'
import { Fault, type FaultCode, faults } from '../fault.ts'
import { buildServer, type Server } from '../http/server/server.ts'
import { SESSION_COOKIE, writeCookie } from './cookies.ts'
import { renderClientFault, renderFault } from './fault-page.ts'
import { form } from './form.ts'
import { html } from './html.ts'
import { pageEndpoint } from './page-endpoint.ts'
import { button } from './parts.ts'
import { assetEndpoints } from './public-endpoints.ts'

const summary = 'For tests.'
const endpoints = [
  ...assetEndpoints,
  pageEndpoint({
    method: 'GET',
    path: '/try',
    summary,
    handle: (frame) => ({
      page: {
        title: 'Try',
        main: html`${form(frame, '/try?x=1', button('Go'))}${form(frame, '/other', button('Go'))}`,
        modules: ['copy-text'],
      },
    }),
  }),
  pageEndpoint({
    method: 'POST',
    path: '/try',
    summary,
    handle: ({ fields, query }) => ({
      page: { title: 'Got', main: html`<p>${JSON.stringify([...fields.entries()].slice(1))} ${query.x}</p>` },
    }),
  }),
  pageEndpoint({
    method: 'POST',
    path: '/other',
    summary,
    handle: ({ platform }) => ({ to: '/try', endsVisit: true, cookies: [writeCookie(platform, SESSION_COOKIE, 's2')] }),
  }),
  pageEndpoint({
    method: 'GET',
    path: '/leave',
    summary,
    handle: () => ({ leaveFor: 'https://else.example/a?b=1&c' }),
  }),
  pageEndpoint({
    method: 'GET',
    path: '/refused/{code}',
    summary,
    handle: ({ params }) => {
      if (params.code === 'defect') throw new Error('inner')
      throw new Fault(params.code === 'busy' ? 'request.rate_limited' : 'resource.unknown', {
        detail: 'English only',
        meta: { retryAfterSeconds: 61 },
      })
    },
  }),
]

const masterKey = randomBytes(32)
let database: TestDatabase
const servers: Server[] = []
let origin = ''
let secureOrigin = ''
before(async () => {
  database = await openTestDatabase()
  const serve = async (publicUrl?: string) => {
    const port = await freePort()
    const here = `http://127.0.0.1:${port}`
    const config = { ...readConfig({ PORT: String(port), PUBLIC_URL: publicUrl ?? here }) }
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
    const platform = platformOn({ store: database.store, config, log, masterKey })
    const server = buildServer({
      platform,
      routes: [],
      endpoints,
      notFoundPage: renderFault,
      authenticate: () => Promise.reject(new Fault('token.missing')),
    })
    await server.listen()
    servers.push(server)
    return here
  }
  origin = await serve()
  secureOrigin = await serve('https://chirograph.example')
})
after(async () => {
  for (const server of servers) await server.close(100)
  await database.close()
})

type Opened = { readonly cookie: string; readonly token: string; readonly otherToken: string }

/** Opens the page with the form, as a browser with this cookie. */
async function open(cookie = ''): Promise<Opened> {
  const response = await fetch(`${origin}/try`, { headers: { cookie } })
  const found = [...(await response.text()).matchAll(/name="csrf" value="([^"]+)"/g)].map(([, value]) => value ?? '')
  const set = response.headers.getSetCookie().map((one) => one.split(';', 1)[0])
  const [token = '', otherToken = ''] = found
  return { token, otherToken, cookie: [cookie, ...set].filter((one) => one !== '').join('; ') }
}

function post(path: string, body: string, headers: Record<string, string>): Promise<Response> {
  const type = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  return fetch(`${origin}${path}`, { method: 'POST', redirect: 'manual', body, headers: { ...type, ...headers } })
}

test('a form reaches its page, with members that repeat', async () => {
  const { token, cookie } = await open()
  const response = await post('/try?x=7', `csrf=${token}&a=1&b=%C3%BC&a=2`, { cookie })
  assert.equal(response.status, 200)
  assert.match(
    await response.text(),
    /\[\[&#34;a&#34;,\[&#34;1&#34;,&#34;2&#34;\]\],\[&#34;b&#34;,\[&#34;ü&#34;\]\]\] 7/,
  )
})

test('without Fetch Metadata the origin decides', async () => {
  const { token, cookie } = await open()
  const send = (headers: Record<string, string>) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return fetch(`${origin}/try`, { method: 'POST', body: `csrf=${token}`, headers: { ...type, cookie, ...headers } })
  }
  assert.equal((await send({ origin })).status, 200)
  assert.equal((await send({ origin: 'null' })).status, 403)
  assert.equal((await send({})).status, 403)
})

for (const [what, change] of [
  ['of another website', { headers: { 'sec-fetch-site': 'cross-site' } }],
  ['of another host of the same site', { headers: { 'sec-fetch-site': 'same-site' } }],
  ['that no page sent', { headers: { 'sec-fetch-site': 'none' } }],
  ['without a token', { body: 'a=1' }],
  ['with an empty token', { body: 'csrf=' }],
  ['with the token of another browser', { other: true }],
  ['without the cookie of its browser', { headers: { cookie: '' } }],
  ['for another address', { path: '/other' }],
  ['made before sign-in, sent after it', { headers: { cookie: 'chirograph=secret' } }],
] as const) {
  test(`a form ${what} is refused: the page says that nothing was changed`, async () => {
    const { token, cookie } = await open()
    const sent = 'other' in change ? (await open()).token : token
    const headers = { cookie, ...('headers' in change ? change.headers : {}) }
    const response = await post(
      'path' in change ? change.path : '/try',
      'body' in change ? change.body : `csrf=${sent}`,
      headers,
    )
    assert.equal(response.status, 403)
    assert.match(await response.text(), /Nothing was changed/)
  })
}

test('a form of before sign-in or sign-out is refused after it', async () => {
  const before = await open('chirograph=s1')
  const used = await fetch(`${origin}/try`, { headers: { cookie: 'chirograph=s1' } })
  assert.equal(used.headers.getSetCookie().length, 0, 'a session needs no visit cookie')
  assert.equal((await post('/try', `csrf=${before.token}`, { cookie: 'chirograph=s1' })).status, 200)
  assert.equal((await post('/try', `csrf=${before.token}`, { cookie: 'chirograph=s2' })).status, 403)
})

test('an answer that begins or ends a session deletes the visit cookie', async () => {
  const { cookie, otherToken } = await open()
  const visit = await fetch(`${origin}/try`, { headers: { cookie } })
  assert.deepEqual(visit.headers.getSetCookie(), [], 'the visit continues')
  const response = await post('/other', `csrf=${otherToken}`, { cookie })
  assert.deepEqual([response.status, response.headers.get('location')], [303, '/try'])
  assert.deepEqual(response.headers.getSetCookie(), [
    'chirograph=s2; Path=/; HttpOnly; SameSite=Lax',
    'chirograph-visit=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
  ])
})

test('every page has the strict policy, and is stored and framed nowhere [SEC-76]', async () => {
  for (const path of ['/try', '/refused/x', '/refused/defect', '/leave']) {
    const { headers } = await fetch(origin + path)
    const policy = headers.get('content-security-policy') ?? ''
    for (const part of [
      "default-src 'none'",
      "script-src 'self';",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ])
      assert(policy.includes(part), `${path}: ${part}`)
    assert.match(
      policy,
      /require-trusted-types-for 'script'; trusted-types fragment; style-src 'self' 'nonce-[\w-]{22}'/,
    )
    assert.deepEqual(
      ['cache-control', 'cross-origin-opener-policy', 'cross-origin-resource-policy', 'referrer-policy'].map((one) =>
        headers.get(one),
      ),
      ['no-store', 'same-origin', 'same-origin', 'no-referrer'],
    )
  }
  const nonces = await Promise.all(
    [1, 2].map(async () => (await fetch(`${origin}/try`)).headers.get('content-security-policy')),
  )
  assert.notEqual(nonces[0], nonces[1])
})

test('an address outside is left for by a page, since the policy stops redirects of a form', async () => {
  const response = await fetch(`${origin}/leave`, { redirect: 'manual' })
  assert.deepEqual([response.status, response.headers.get('refresh')], [200, '0;url=https://else.example/a?b=1&c'])
  assert.match(await response.text(), /href="https:\/\/else.example\/a\?b=1&#38;c"/)
})

test('a fault is a page in the language of the person: what to do, and the id of the log line', async () => {
  const response = await fetch(`${origin}/refused/busy`, { headers: { 'accept-language': 'fr-FR' } })
  const text = await response.text()
  assert.deepEqual([response.status, response.headers.get('retry-after')], [429, '61'])
  assert.match(text, /<html lang="fr">.*<title>Erreur\u00a0: Trop de tentatives/s)
  assert.match(text, /Réessayez dans 2 minutes/)
  assert(text.includes(response.headers.get('x-request-id') ?? 'none') && !text.includes('English only'))
  const defect = await (await fetch(`${origin}/refused/defect`)).text()
  assert(defect.includes('It was our fault') && !defect.includes('inner'))
})

test('the page about every fault has one heading, says what to do, and has a way from there', () => {
  for (const code of Object.keys(faults) as FaultCode[]) {
    for (const render of [renderFault, renderClientFault]) {
      const [status] = faults[code].api
      const { html: text } = render(new Fault(code), { status, id: 'x', method: 'GET', url: '/here', headers: {} })
      const main = /<main.*<\/main>/s.exec(text)?.[0] ?? ''
      assert.equal(main.match(/<h[1-6]/g)?.length, 1, code)
      assert.match(main, /class="message bad" role="alert"><p>[^<]{10,}<\/p>/, code)
      assert.match(main, /<a class="button plain" href="\/"/, code)
    }
  }
})

test('a browser that opens an address where nothing is gets a page, a program JSON', async () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const [init, status, type] of [
    [{ headers: browser }, 404, 'text/html; charset=utf-8'],
    [{ headers: { accept: '*/*' } }, 404, 'application/json'],
    [{ headers: browser, method: 'PURGE' }, 404, 'application/json'],
  ] as const) {
    const response = await fetch(`${origin}/nothing-here`, init)
    assert.deepEqual([response.status, response.headers.get('content-type')], [status, type])
    assert.equal(response.headers.get('cache-control'), 'no-store')
  }
  const method = await fetch(`${origin}/other`, { headers: browser })
  assert.deepEqual([method.status, method.headers.get('allow')], [405, 'POST'])
  assert.match(await method.text(), /<h1>Page not found/)
})

test('the choice of a language is kept in a cookie and leads back to the page', async () => {
  const response = await fetch(`${origin}/try?a=1&lang=fr`)
  assert.match(
    response.headers.getSetCookie().join('\n'),
    /^chirograph-language=fr; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000$/m,
  )
  assert.match(await response.text(), /href="\/try\?a=1&#38;lang=en" lang="en"/)
})

test('under https the visit cookie is bound to the host', async () => {
  const response = await fetch(`${secureOrigin}/try`)
  assert.match(
    response.headers.getSetCookie()[0] ?? '',
    /^__Host-chirograph-visit=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
})

test('style and modules have immutable addresses, compressed where the browser takes it', async () => {
  const page = await (await fetch(`${origin}/try`)).text()
  const paths = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
  assert.equal(paths.length, 2)
  for (const path of paths) {
    const response = await fetch(origin + path, { headers: { 'accept-encoding': 'br' } })
    assert.match(response.headers.get('content-type') ?? '', /^text\/(css|javascript); charset=utf-8$/)
    assert.equal(response.headers.get('content-encoding'), 'br')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    const plain = await fetch(origin + path, { headers: { 'accept-encoding': 'gzip, br;q=0' } })
    assert.equal(plain.headers.get('content-encoding'), null)
    assert.equal(await plain.text(), await response.text())
  }
})

test('no other name than those that pages have is an asset', async () => {
  const page = await (await fetch(`${origin}/try`)).text()
  const [, path = ''] = /href="(\/assets\/[^"]+)"/.exec(page) ?? []
  const digest = path.slice('/assets/pages-'.length, -'.css'.length)
  const other = digest.startsWith('A') ? `B${digest.slice(1)}` : `A${digest.slice(1)}`
  assert.equal((await fetch(`${origin}/assets/pages-${digest}.css`)).status, 200)
  for (const name of [
    `pages-${other}.css`,
    'pages.css',
    'pages-0000.css',
    `pages-${digest}.js`,
    `holder-${digest}.css`,
  ])
    assert.equal((await fetch(`${origin}/assets/${name}`)).status, 404, name)
  for (const name of ['constructor', '__proto__', `toString-${digest}.css`, '..%2Fassets.ts'])
    assert.equal((await fetch(`${origin}/assets/${name}`)).status, 404, name)
})

test('a form above 64 KiB is refused by a page', async () => {
  const { token, cookie } = await open()
  const response = await post('/try', `csrf=${token}&a=${'x'.repeat(65_536)}`, { cookie })
  assert.equal(response.status, 413)
  assert.match(await response.text(), /You sent too much/)
})

test('a page about a refusal leads to pages only: to what was asked for, or to the page whose form was refused', () => {
  const waysOf = (method: string, headers: Record<string, string>) => {
    const asked = { status: 503, id: 'x', method, url: '/here', headers: { host: 'chirograph.example', ...headers } }
    const { html: text } = renderFault(new Fault('database.unavailable'), asked)
    return [...text.matchAll(/ href="(\/[^"]*)"/g)].map(([, way]) => way).filter((way) => !way?.startsWith('/assets/'))
  }
  const referer = 'https://chirograph.example/form?page=2'
  const others = Object.keys(languages).slice(1)
  const waysIn = (path: string) =>
    others.map((language) => `${path}${path.includes('?') ? '&#38;' : '?'}lang=${language}`)
  assert.deepEqual(waysOf('GET', { referer }), ['/here', '/', ...waysIn('/here')])
  assert.deepEqual(waysOf('POST', { referer }), ['/form?page=2', '/', ...waysIn('/form?page=2')])
  assert.deepEqual(waysOf('POST', { referer: 'https://other.example/form' }), ['/', '/', ...waysIn('/')])
  assert.deepEqual(waysOf('POST', {}), ['/', '/', ...waysIn('/')])
})
