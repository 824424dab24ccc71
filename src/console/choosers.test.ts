// More than a hundred of everything, and no script: each chooser reaches number 103, keeps what was typed, and shows
// what is chosen by its name.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { API_CALLS_MAX, effortOf } from '../../test/support/page-budgets.ts'
import { html } from '../pages/html.ts'
import { type ConsoleReader, openConsole } from './test-support/console-reader.ts'
import { type Control, controlsOf } from './test-support/form-of.ts'
import { made as madeBy } from './test-support/made.ts'

const COUNT = 103

let opened: ConsoleReader
/** Ids by number, from 1. */
const ids: Record<'templates' | 'requests' | 'entities', string[]> = { templates: [''], requests: [''], entities: [''] }

const numbered = (name: string, n: number) => `${name} ${String(n).padStart(3, '0')}`
const made = (path: string, body: object) => madeBy(opened.acme, path, body)
const last = (what: keyof typeof ids) => ids[what][COUNT] ?? ''

before(async () => {
  opened = await openConsole(['owner'], { serversMax: 1 })
  const attributes = { family_name: { type: 'string', name: 'Family name' } }
  let type = ''
  for (let n = 1; n <= COUNT; n += 1) {
    const template = { name: numbered('Template', n), code: `template-${n}`, attributes }
    const entity = { name: numbered('Entity', n), dids: [{ did: `did:web:e${n}.example` }] }
    const [one, other] = await Promise.all([
      made('/creds/templates/credentials', template),
      made('/creds/trusted-entities', entity),
    ])
    type = one.type
    ids.templates.push(one.id)
    ids.entities.push(other.id)
  }
  for (let n = 1; n <= COUNT; n += 1) {
    const credentials = [{ type: n > 2 ? type : 'urn:other', attributes: { family_name: {} } }]
    const request = { name: numbered('Request', n), description: '', credentials }
    ids.requests.push((await made('/creds/templates/presentations', request)).id)
  }
})
after(() => opened.chirograph.stop())

/** The form of a page that sends to an address, with its controls. */
function formIn(page: string, action: string): readonly Control[] {
  const found = [...page.matchAll(/<form\b[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)]
  const text = found.find(([, to, content]) => to === action && !content?.includes('action='))?.[2]
  assert(text !== undefined, `no form to ${action}`)
  return controlsOf(Object.assign(html``, { text }))
}

/** Sends a form as a browser without scripts does, after a person changed some of its fields. */
async function send(action: string, controls: readonly Control[], changes: Readonly<Record<string, string>>) {
  const body = new URLSearchParams()
  for (const { name, value, isOn } of controls) if (isOn && !(name in changes)) body.append(name, value)
  for (const [name, value] of Object.entries(changes)) body.append(name, value)
  const headers = { cookie: opened.cookie, origin: opened.chirograph.url, 'accept-language': 'en' }
  const reply = await fetch(`${opened.chirograph.url}${action}`, { method: 'POST', body, headers, redirect: 'manual' })
  return { status: reply.status, to: reply.headers.get('location') ?? '', page: await reply.text() }
}

const typedIn = (controls: readonly Control[], name: string) => controls.find((one) => one.name === name)?.value
const choicesOf = (controls: readonly Control[], name: string) =>
  controls.find((one) => one.name === name)?.choices ?? []
const hasOption = (page: string, value: string, text: string) =>
  new RegExp(`<option value="${value}"( selected)?>${text}</option>`).test(page)

async function callsOf(path: string): Promise<number> {
  return (await effortOf(opened.chirograph.url, `/console${path}`, opened.cookie)).calls.length
}

for (const path of ['/issue', '/issue/table'])
  test(`every template can be reached at ${path}, by name and page by page`, async () => {
    const row = `${path === '/issue' ? '/console/issue/' : '/console/issue/table?template='}${last('templates')}`
    assert((await opened.read(`${path}?q=103`)).includes(row))
    let pages = 1
    for (let at = path; ; pages += 1) {
      const page = await opened.read(at)
      if (page.includes(row)) break
      const next = /rel="next" href="\/console([^"]+)"/.exec(page)?.[1]
      assert(next !== undefined, `page ${pages} of ${path} has no next`)
      at = next.replaceAll('&amp;', '&').replaceAll('&#38;', '&')
    }
    assert.equal(pages, 5)
    assert.match(await opened.read(`${path}?q=nothing`), /No template has this name/)
  })

test('lists are filtered by what is beyond the first hundred, and say its name', async () => {
  await made('/creds/credentials/issuance', {
    credentialTemplateId: last('templates'),
    attributes: { family_name: 'X' },
  })
  await made('/creds/presentations/request', { presentationTemplateId: last('requests') })
  const lists = [
    ['/credentials', 'Template 103', last('templates')],
    ['/verifications', 'Request 103', last('requests')],
  ] as const
  for (const [path, name, id] of lists) {
    const first = await opened.read(path)
    assert(!hasOption(first, id, name))
    assert.match(first, /There are more\. Search by name\./)
    const found = await opened.read(`${path}?find-template=103`)
    assert(hasOption(found, id, name))
    assert.doesNotMatch(found, /with these filters/)
    const filtered = await opened.read(`${path}?template=${id}`)
    assert(filtered.includes(`<option value="${id}" selected>${name}</option>`))
    assert.match(filtered, /1 \w+ with these filters/)
    assert.match(await opened.read(`${path}?find-template=nothing`), /Nothing has this name\./)
    assert((await callsOf(`${path}?template=${id}`)) <= API_CALLS_MAX)
  }
})

test('a batch is listed with the name of its template, whichever that is', async () => {
  const items = [{ attributes: { family_name: 'X' } }]
  await made('/creds/credentials/issuance/batch', { credentialTemplateId: last('templates'), items })
  assert.match(await opened.read('/batches'), /Template 103/)
})

test('at the desk every request can be searched and asked for, and is chosen the next time', async () => {
  const desk = '/console/verify'
  // So that the last one is another.
  await made('/creds/presentations/request', { presentationTemplateId: ids.requests[1] })
  const begun = formIn(await opened.read('/verify'), desk)
  assert(!choicesOf(begun, 'template').includes(last('requests')))
  const several = await send(desk, begun, { 'find-template': 'Request 10', do: 'find' })
  assert.equal(typedIn(formIn(several.page, desk), 'template'), ids.requests[1])
  // The Enter key, and no button.
  const found = await send(desk, begun, { 'find-template': '103' })
  assert.equal(found.status, 200)
  const form = formIn(found.page, desk)
  assert.equal(typedIn(form, 'template'), last('requests'))
  assert.equal(typedIn(form, 'find-template'), '103')
  const asked = await send(desk, form, {})
  assert.equal(asked.status, 303)
  assert.match(await opened.read(asked.to.replace('/console', '')), /<h1[^>]*>(<bdi>)?Request 103/)
  const again = await opened.read('/verify')
  assert(again.includes(`<option value="${last('requests')}" selected>Request 103</option>`))
  assert((await callsOf('/verify')) <= API_CALLS_MAX)
})

test('a verification page asks for a request beyond the first hundred; what was typed stays while it is searched', async () => {
  const action = '/console/verification-pages/new'
  const begun = formIn(await opened.read('/verification-pages/new'), action)
  const found = await send(action, begun, {
    name: 'Discount',
    heading: 'Show it',
    'find-presentationTemplateId': '103',
    do: 'find',
  })
  const form = formIn(found.page, action)
  assert.equal(typedIn(form, 'name'), 'Discount')
  assert.equal(typedIn(form, 'heading'), 'Show it')
  assert.equal(typedIn(form, 'presentationTemplateId'), last('requests'))
  const saved = await send(action, form, { do: 'save' })
  assert.equal(saved.status, 303)
  const one = formIn(await opened.read(saved.to.replace('/console', '')), saved.to)
  assert.equal(typedIn(one, 'presentationTemplateId'), last('requests'))
  const searched = formIn(
    (await send(saved.to, one, { 'find-presentationTemplateId': '102', do: 'save' })).page,
    saved.to,
  )
  assert.equal(typedIn(searched, 'presentationTemplateId'), last('requests'))
  assert(choicesOf(searched, 'presentationTemplateId').includes(ids.requests[102] ?? ''))
  assert((await callsOf(saved.to.replace('/console', ''))) <= API_CALLS_MAX)
})

test('a request is made of templates and entities beyond the first hundred', async () => {
  const action = '/console/requests/new'
  assert(hasOption(await opened.read('/requests/new?find-more=103'), last('templates'), 'Template 103'))
  const begun = formIn(await opened.read(`/requests/new?template=${last('templates')}`), action)
  assert.equal(typedIn(begun, 'cname-0'), 'Template 103')
  const found = await send(action, begun, { 'from-0': 'entities', 'find-entities-0': 'Entity 103', do: 'find' })
  const shown = formIn(found.page, action)
  const box = shown.find(({ value }) => value === last('entities'))
  assert(box?.name === 'entities-0[]' && !box.isOn)
  const ticked = { 'entities-0[]': last('entities'), 'on-0-0': '1', name: 'Far down' }
  const other = await send(action, shown, { ...ticked, 'find-entities-0': 'Entity 005', do: 'save' })
  const both = formIn(other.page, action)
  assert(both.find(({ value }) => value === last('entities'))?.isOn)
  assert(both.some(({ value }) => value === ids.entities[5]))
  assert.match(other.page, /Entity 103/)
  const sought = formIn((await send(action, both, { 'find-more': '102', do: 'find' })).page, action)
  const more = formIn((await send(action, sought, { more: ids.templates[102] ?? '', do: 'more' })).page, action)
  assert.equal(typedIn(more, 'cname-1'), 'Template 102')
  const saved = await send(action, more, { 'on-1-0': '1', do: 'save' })
  assert.equal(saved.status, 303, String(saved.page.match(/class="message bad"[\s\S]*?<\/div>/)?.[0]))
  const id = /\/console\/requests\/([0-9a-f-]{36})">(<bdi>)?Far down/.exec(await opened.read('/requests?q=Far'))?.[1]
  const path = `/requests/${id}`
  const one = formIn(await opened.read(path), `/console${path}`)
  // The attributes that are not asked for are those of the template: it was found by its type.
  for (const at of [0, 1]) assert.equal(typedIn(one, `own-${at}`), '1')
  assert(one.find(({ value }) => value === last('entities'))?.isOn)
  assert.match(await opened.read(path), /<label[^>]*>Entity 103<\/label>/)
  assert((await callsOf(path)) <= API_CALLS_MAX, String(await callsOf(path)))
})

test('a template says which requests use it, also those beyond the first hundred', async () => {
  const page = await opened.read(`/templates/${last('templates')}`)
  assert.match(page, /Request 003/)
  assert.doesNotMatch(page, /Request 001/)
  const all = /href="(\/console\/requests\?type=[^"]+)"/.exec(page)?.[1] ?? ''
  const count = /(\d+) requests with these filters/.exec(await opened.read(all.replace('/console', '')))?.[1]
  assert(Number(count) > 100 && Number(count) < COUNT, String(count))
  assert.match(await opened.read(`/templates/${ids.templates[1]}`), /No request asks for it yet/)
})

test('lists are sorted by the heads of their tables; the order stays with filters, pages and the download', async () => {
  const sorted = [
    ['/templates', 'name', /Template 001/, /Template 103/],
    ['/requests', '-name', /Request 103/, /Request 001/],
    ['/people', '-username', /naledi/, /nobody/],
    ['/credentials', 'createdAt', /Template 103/, /nobody/],
    ['/verifications', 'createdAt', /Request 1/, /nobody/],
    ['/batches', 'createdAt', /Template 103/, /nobody/],
  ] as const
  await made('/creds/credentials/issuance/batch', {
    credentialTemplateId: last('templates'),
    items: [{ attributes: { family_name: 'X' } }],
  })
  for (const [path, sort, first, other] of sorted) {
    const page = await opened.read(path)
    assert(page.includes(`href="/console${path}?sort=${sort}"`), `${path} does not offer ${sort}`)
    const shown = await opened.read(`${path}?sort=${sort}`)
    const body = /<tbody>[\s\S]*<\/tbody>/.exec(shown)?.[0] ?? ''
    assert.match(body, first)
    assert.doesNotMatch(body, other)
    const direction = sort.startsWith('-') ? 'descending' : 'ascending'
    assert.equal(shown.match(/aria-sort="(\w+)"/g)?.join(), `aria-sort="${direction}"`)
    assert.match(shown, new RegExp(`class="filter"[\\s\\S]*name="sort" value="${sort}"[\\s\\S]*</form>`))
    assert(shown.includes(`?sort=${sort}&#38;download=csv`) || shown.includes(`?sort=${sort}&amp;download=csv`), path)
    assert.doesNotMatch(shown, /with these filters/)
    const next = /rel="next" href="([^"]+)"/.exec(shown)?.[1]
    if (next !== undefined) assert.match(next, new RegExp(`[?;&]sort=${sort}`))
    // An address that somebody made up.
    assert.match(await opened.read(`${path}?sort=nothing`), /<tbody>/)
  }
  const file = await opened.read('/requests?sort=-name&download=csv')
  assert.match(file.split('\n')[1] ?? '', /Request 103/)
})

test('a head that sorts leads from one order to the other, and back to that of the list', async () => {
  const headOf = async (query: string) => {
    const page = await opened.read(`/templates${query}`)
    return /<th scope="col"[^>]*><a href="([^"]+)">Name<\/a>/.exec(page)?.[1]
  }
  assert.equal(await headOf(''), '/console/templates?sort=name')
  assert.equal(await headOf('?sort=name'), '/console/templates?sort=-name')
  assert.equal(await headOf('?sort=-name'), '/console/templates')
  assert.match((await headOf('?q=Template&sort=name')) ?? '', /q=Template.+sort=-name/)
})
