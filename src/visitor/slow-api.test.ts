// The pages for visitors while the database does not answer: each answers within 10 s with what it has, and leads back
// to itself.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase, postgresUrl } from '../../test/support/database.ts'
import { type LossyDatabase, lossyDatabase } from '../../test/support/lossy-database.ts'
import { makeTemplate } from '../../test/support/main-job.ts'
import { type Deployment, deploy } from '../../test/support/server.ts'

const skip = postgresUrl === null ? 'needs a PostgreSQL server' : false
const ORIGIN = 'https://shop.example'
const MS_MAX = 10_000
let lossy: LossyDatabase
let chirograph: Deployment
let id: string
before(async () => {
  if (postgresUrl === null) return
  lossy = await lossyDatabase(await createDatabase(postgresUrl))
  chirograph = await deploy({}, { DATABASE_URL: lossy.url, LOG_LEVEL: 'silent' }, {}, 1)
  const acme = await chirograph.backend('acme')
  const { type } = await makeTemplate(acme, 'badge')
  const asks = {
    name: 'Level',
    description: '',
    credentials: [{ type, name: 'Student card', attributes: { level: {} } }],
  }
  const template = await acme.post('/creds/templates/presentations', asks)
  const page = { name: 'Shop', presentationTemplateId: template.body.data.id, origins: [ORIGIN] }
  const made = await acme.post('/creds/verification-pages', page)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  id = made.body.data.id
})
after(async () => {
  lossy?.comeBack()
  await chirograph?.stop()
  await lossy?.close()
})

type Step = { readonly method: 'GET' | 'POST'; readonly path: string; readonly headers?: Record<string, string> }

async function ask({ method, path, headers = {} }: Step, body?: string) {
  const startedMs = performance.now()
  const answer = await fetch(chirograph.url + path, {
    method,
    redirect: 'manual',
    headers,
    ...(body !== undefined && { body }),
  })
  return {
    status: answer.status,
    html: await answer.text(),
    headers: answer.headers,
    ms: performance.now() - startedMs,
  }
}

const cookieOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ')
const own = { 'sec-fetch-site': 'same-origin' }

test('a database that goes silent: each page for visitors answers within 10 s, leads back, and works once it is back', {
  skip,
}, async () => {
  const shown = await ask({ method: 'GET', path: `/verify/${id}` })
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(shown.html) ?? []
  const visit = cookieOf(shown.headers)
  const form = { ...own, 'content-type': 'application/x-www-form-urlencoded' }
  const posted = new URLSearchParams({ csrf }).toString()
  const begin = { method: 'POST', path: `/verify/${id}`, headers: { ...form, cookie: visit } } as const
  const begun = await ask(begin, posted)
  assert.equal(begun.status, 303, begun.html)
  const cookie = `${visit}; ${cookieOf(begun.headers)}`
  const embed = `/embed/${id}?origin=${encodeURIComponent(ORIGIN)}`
  // What the server knows of the page for some seconds is enough for those that need no state.
  const [known, again] = [/<h1[\s>]/, />Try again</]
  const steps: readonly (Step & { readonly body?: string; readonly shows: RegExp; readonly late: boolean })[] = [
    { method: 'GET', path: `/verify/${id}`, shows: known, late: false },
    { method: 'GET', path: `/verify/${id}`, headers: { cookie }, shows: again, late: true },
    { ...begin, body: posted, shows: again, late: true },
    { method: 'GET', path: `/verify/${id}/return`, shows: known, late: false },
    { method: 'GET', path: embed, shows: known, late: false },
    { method: 'POST', path: embed, headers: own, shows: again, late: true },
    // The script of the page reads the status alone, and asks again.
    { method: 'GET', path: `/verify/${id}/state`, headers: { cookie, 'x-state': '"x"' }, shows: /^$/, late: true },
  ]
  lossy.goSilent()
  const answers = await Promise.all(steps.map((one) => ask(one, one.body)))
  for (const [index, { status, html, ms }] of answers.entries()) {
    const { method, path, shows, late } = steps[index] ?? { method: '', path: '', shows: known, late: true }
    assert.ok(ms < MS_MAX, `${method} ${path} took ${ms} ms`)
    assert.ok((late ? [503, 504] : [200, 503, 504]).includes(status), `${method} ${path} is ${status}`)
    const isRefused = status !== 200 && shows === known
    assert.match(html, isRefused ? again : shows, `${method} ${path}`)
  }
  lossy.comeBack()
  for (let tries = 0; tries < 50 && (await ask({ method: 'GET', path: embed })).status !== 200; tries += 1);
  const after = await ask({ method: 'GET', path: `/verify/${id}`, headers: { cookie } })
  assert.equal(after.status, 200, after.html)
  assert.match(after.html, /Waiting for your wallet/)
})
