// The audit trail is searched by what people know: a name, a reference, a day.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { signIn } from '../../../bench/page-world.ts'
import { API_CALLS_MAX, apiCallsOf } from '../../../test/support/page-budgets.ts'
import { type ConsoleReader, openConsole } from '../test-support/console-reader.ts'
import { made } from '../test-support/made.ts'
import { NOTHING, shownPaths } from '../test-support/refusals.ts'

let opened: ConsoleReader
let auditor: string
let issuance: string
before(async () => {
  // Calls are counted by one process.
  opened = await openConsole(['owner'], { serversMax: 1 })
  const { acme, chirograph } = opened
  for (const [username, lastName] of [
    ['sipho', 'Dlamini'],
    ['sipho2', 'Nkosi'],
  ])
    await made(acme, '/onboarding/users', { username, firstName: 'Sipho', lastName, email: `${username}@example.org` })
  const attributes = { family_name: { type: 'string', name: 'Family name' } }
  const { id: credentialTemplateId } = await made(acme, '/creds/templates/credentials', {
    name: 'Diploma',
    code: 'diploma',
    attributes,
  })
  const issue = async (reference: string) =>
    await made(acme, '/creds/credentials/issuance', {
      credentialTemplateId,
      attributes: { family_name: 'Molefe' },
      reference,
    })
  const { id, offerUri } = await issue('2026-17')
  issuance = id
  await issue('2026-170')
  const wallet = await chirograph.wallet('acme', 'thandi')
  const [card] = await made(wallet, '/wallet/v2/credentials', { credentialOffer: offerUri })
  await wallet.patch(`/wallet/v2/credentials/${card.id}`, { status: 'accepted' })
  const { data } = (await acme.get(`/creds/credentials/${id}`)).body
  const revoked = await acme.post('/creds/credentials/revoke', { ids: [data.credentials[0].id] })
  assert.equal(revoked.status, 200, JSON.stringify(revoked.body))
  auditor = (await signIn(chirograph.url, acme, 'zanele', ['auditor'], '/console')).cookie
})
after(() => opened.chirograph.stop())

async function readAs(cookie: string, query: string): Promise<string> {
  const answer = await fetch(`${opened.chirograph.url}/console/audit${query}`, { headers: { cookie } })
  return (await answer.text()).replaceAll('&#38;', '&')
}

const read = (query: string) => readAs(opened.cookie, query)

/** Cells of the table, one column. */
function column(html: string, at: number): string[] {
  const rows = [...html.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].slice(1)
  return rows.map(([, row = '']) => {
    const cell = [...row.matchAll(/<t[dh][^>]*>([\s\S]*?)<\/t[dh]>/g)][at]?.[1] ?? ''
    return cell
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
  })
}

for (const typed of ['naledi', 'NALEDI'])
  test(`who did what: by the username ${typed}`, async () => {
    const html = await read(`?who=${typed}`)
    assert.match(html, /Only what was done by <b>[\s\S]*naledi/)
    const who = column(html, 1)
    assert(who.length > 0 && who.every((one) => one.startsWith('Who naledi')), who.join('|'))
    assert.match(html, /<input id="who"[^>]* value="(naledi|NALEDI)"/)
    assert(html.includes('<a href="/console/audit">Show what everybody did</a>'))
  })

test('by a name that several have the page asks whom, and a choice leads to the entries of one', async () => {
  const html = await read('?who=Siph%20&result=done')
  assert(html.includes('Whom do you mean?') && !html.includes('<table'))
  const choices = [...html.matchAll(/<a href="([^"]*who=[^"]*)"/g)].map(([, href = '']) => href)
  assert.deepEqual(choices.filter((one) => !one.includes('lang=')).toSorted(), [
    '/console/audit?result=done&who=sipho',
    '/console/audit?result=done&who=sipho2',
  ])
  // The username is that of one, and the beginning of another.
  assert.match(await read('?who=sipho'), /Only what was done by <b>[\s\S]*Sipho Dlamini/)
  assert.match(await read('?who=sipho2@example.org'), /Only what was done by <b>[\s\S]*Sipho Nkosi/)
})

test('by an application, whose id is a name', async () => {
  const html = await read('?who=acme-backend')
  const who = column(html, 1)
  assert(who.length > 0 && who.every((one) => one.includes('Application')), who.join('|'))
  // Who may not see the applications finds them by their id.
  assert.deepEqual(column(await readAs(auditor, '?who=acme-backend'), 1).length > 0, true)
})

test('by the reference of a credential: what was done to the offer, and to the credential', async () => {
  for (const html of [await read('?reference=2026-17'), await readAs(auditor, '?reference=2026-17')]) {
    assert.match(html, /Only what was done to <b>[\s\S]*2026-17/)
    const what = column(html, 0)
    assert(
      what.includes('What A credential was revoked') && what.includes('What A credential was offered'),
      what.join('|'),
    )
  }
  const several = await read('?reference=2026')
  assert(several.includes('Which credential do you mean?') && several.includes(`subject=${issuance}`))
  const [, chosen = ''] = new RegExp(`href="/console/audit(\\?[^"]*${issuance}[^"]*)"`).exec(several) ?? []
  assert(column(await read(chosen), 0).includes('What A credential was revoked'))
  // The choice stays while other filters change.
  assert.match(await read(chosen), new RegExp(`<input type="hidden" name="subject" value="${issuance},`))
})

test('what is called by no name is said, and looked for as a number', async () => {
  const html = await read('?who=nobody-at-all&reference=nothing-at-all')
  assert.match(html, /No person and no application is called “nobody-at-all” now/)
  assert.match(html, /No credential has the reference “nothing-at-all”/)
  const { data } = (await opened.acme.get('/onboarding/users/naledi')).body
  assert(column(await read(`?who=${data.id}`), 1).every((one) => one.startsWith('Who naledi')))
  assert((await read(`?who=${NOTHING}`)).includes('Nothing fits these filters'))
})

test('the file and the call for developers have what was understood, by ids', async () => {
  const { data } = (await opened.acme.get('/onboarding/users/naledi')).body
  const html = await read('?who=naledi')
  assert(html.includes(`filter%5Bactor%5D=${data.id}`))
  const csv = await read('?who=naledi&download=csv')
  const lines = csv.trim().split('\n')
  assert(lines.length > 1 && lines.slice(1).every((one) => one.includes(data.id)), csv.slice(0, 500))
})

test('looking up a person and a reference takes at most five calls', async () => {
  for (const query of ['?who=naledi&reference=2026-17', '?who=Siph', '?who=acme-backend&reference=2026-17']) {
    const calls = await apiCallsOf(opened.chirograph.url, `/console/audit${query}`, opened.cookie)
    assert(calls.length <= API_CALLS_MAX, `${query}: ${calls.join(', ')}`)
  }
})

// A browser sends no form in which a required field is empty.
test('no filter of a list has a field that must be filled in', async () => {
  const lists = shownPaths.filter((path) => !path.includes(NOTHING))
  let filters = 0
  for (const path of lists) {
    const html = await opened.read(path.replace('/console', ''))
    for (const [form] of html.matchAll(/<form class="filter"[\s\S]*?<\/form>/g)) {
      filters += 1
      assert(!/ required/.test(form), path)
    }
  }
  assert(filters > 5, String(filters))
})
