// A server process is killed while the console issues a table. On PostgreSQL: a second process carries on, and the
// first one is started again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PlainBrowser, Shown } from '../../src/authorization/sign-in/test-support/plain-browser.ts'
import { postgresUrl } from '../support/database.ts'
import { everyRow } from '../support/every-row.ts'
import { atConsole } from '../support/oauth-person.ts'
import { type Api, api, backendSecret } from '../support/server.ts'
import { type ServerChildren, serverChildren } from '../support/server-children.ts'
import { until } from '../support/until.ts'

const skip = postgresUrl === null ? 'two processes share a database of PostgreSQL only' : false
const ROWS = 1000
/** Rows with a word where a number should be. */
const BAD = [7, 507]
const GOOD = ROWS - BAD.length
const TABLE = '/console/issue/table'
const BATCHES = '/creds/credentials/issuance/batch'

let server: ServerChildren
let school: Api
let secretary: PlainBrowser
let templateId: string
before(async () => {
  if (skip !== false) return
  const client = { clientId: 'acme-backend', clientSecret: backendSecret, scopes: ['tenant:admin'] }
  server = await serverChildren({ tenants: [{ slug: 'acme', name: 'Acme College', clients: [client] }] })
  const form = { grant_type: 'client_credentials', client_id: client.clientId, client_secret: backendSecret }
  const { body } = await api(server.url, null).form('/auth/token', form)
  school = api(server.urls[1], body.access_token)
  secretary = await atConsole(server, school, 'secretary', ['issuer'])
  const attributes = { name: { type: 'string', required: true }, grade: { type: 'number' } }
  const made = await school.post('/creds/templates/credentials', { name: 'Badge', code: 'badge', attributes })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  templateId = made.body.data.id
})
after(() => server?.stop())

/** Opens a page at the process that lives. */
const open = (path: string): Promise<Shown> => secretary.open(server.urls[1] + path)

/** Pastes a table. @returns the path of its page */
async function keepTable(round: number): Promise<string> {
  const rows = Array.from({ length: ROWS }, (_, n) => `Student ${n};${BAD.includes(n) ? 'good' : '1,5'};${round}-${n}`)
  await open(`${TABLE}?template=${templateId}`)
  const shown = await secretary.send(TABLE, { pasted: ['name;grade;reference', ...rows].join('\r\n') })
  assert.match(shown.url, /\/table\/[0-9a-f-]{36}$/, shown.html)
  await open(`${shown.url}/who`)
  return (await secretary.send(`${shown.url}/who`, { way: 'links' })).url
}

type Form = ReturnType<PlainBrowser['form']>

/**
 * Presses the button that issues, with the form as it was shown.
 *
 * @param at The process that gets it.
 * @returns null when it died
 */
async function issue({ action, hidden }: Form, at: string): Promise<number | null> {
  const headers = { cookie: secretary.cookieHeader, 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams({ ...hidden, do: 'issue' })
  return fetch(at + action, { method: 'POST', redirect: 'manual', headers, body }).then(
    ({ status }) => status,
    () => null,
  )
}

type Batch = {
  readonly id: string
  readonly status: string
  readonly total: number
  readonly done: number
  readonly failed: number
}

/** The newest first. */
async function batches(): Promise<readonly Batch[]> {
  const { status, body } = await school.get(`${BATCHES}?page[size]=100`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/** The moment was missed. */
const isOver = async (count: number) => {
  const found = await batches()
  return found.length > count && found[0]?.status === 'completed'
}
const isInterrupted = ({ html }: Shown) => html.includes('Finish issuing')

/** When the process is killed that got the form: while it takes the form, and in the middle of the batch. */
const moments: readonly ((path: string, count: number) => Promise<boolean>)[] = [
  async (path) => isInterrupted(await open(path)),
  async (_, count) => {
    const found = await batches()
    return found.length > count && (found[0]?.done ?? 0) >= ROWS / 4
  },
]

/** Kills the process that issues a table. @returns the page of the table, its form, and whether there was work left */
async function cut(round: number, moment: (typeof moments)[number]) {
  const path = await keepTable(round)
  assert.match((await open(path)).html, /2 of 1,000 rows cannot be issued/)
  const form = secretary.form(path)
  const { length } = await batches()
  const posted = issue(form, server.urls[0])
  await until(async () => (await moment(path, length)) || (await isOver(length)), 1)
  await server.kill(0)
  const [answer, [newest]] = [await posted, await batches()]
  const isCut = answer === null || newest?.status !== 'completed'
  await server.start(0)
  return { round, path, form, isCut }
}

/** Presses the button as long as the page asks for it. */
async function finish(path: string): Promise<void> {
  await until(async () => {
    const shown = await open(path)
    if (shown.html.includes(`${GOOD} rows are in a batch`)) return true
    await issue(secretary.form(path), server.urls[1])
    return false
  }, 250)
}

/**
 * The form of before is sent again to both processes, and issues nothing; what could not be issued can be taken home.
 */
async function check({ round, path, form }: Awaited<ReturnType<typeof cut>>): Promise<string> {
  const { length } = await batches()
  for (const at of server.urls) assert.notEqual(await issue(form, at), null)
  assert.equal((await batches()).length, length, 'a table was issued again')
  const { html } = await open(path)
  assert.match(html, /998 rows are in a batch/)
  assert.doesNotMatch(html, /name="do" value="issue"/)
  const home = await open(`${path}/problems`)
  assert.deepEqual(
    home.html.match(/Student \d+/g),
    BAD.map((n) => `Student ${n}`),
  )
  await until(async () => (await batches()).every(({ status }) => status === 'completed'))
  const issued = await everyRow(school, `/creds/credentials?search[reference]=${round}-`)
  assert.equal(issued.length, GOOD, `round ${round}: a row was issued twice, or not at all`)
  return /\/console\/batches\/([0-9a-f-]{36})/.exec(html)?.[1] ?? ''
}

test('killed while it issues a table of 1,000, a process loses no row and issues none twice; the pages show the true counts', {
  skip,
}, async () => {
  const cuts: Awaited<ReturnType<typeof cut>>[] = []
  for (const [round, moment] of moments.entries()) cuts.push(await cut(round, moment))
  assert(
    cuts.some(({ isCut }) => isCut),
    'every table was issued before its process was killed',
  )
  const ids: string[] = []
  for (const one of cuts.toReversed()) {
    await finish(one.path)
    ids.push(await check(one))
  }
  assert.equal(new Set(ids).size, moments.length)
  for (const { total, done, failed } of await batches()) assert.deepEqual([total, done, failed], [GOOD, GOOD, 0])
  assert.equal((await batches()).length, moments.length)
  for (const id of ids) {
    const { html } = await open(`/console/batches/${id}`)
    const figures = [...html.matchAll(/<dd class="figure">([\d,]+)/g)].map(([, figure]) => figure)
    assert.deepEqual(figures, ['998', '0', '0', '998'])
  }
  const events = await everyRow(school, '/creds/events?filter[type]=openid4vc.issuance.offered')
  assert.equal(events.length, moments.length * GOOD, 'an issuance has two events, or none')
})
