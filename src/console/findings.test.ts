// A wrong value in the designers is told at its field, in the language of the page: by the API where that knows it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { shownText } from '../pages/foreign-text.ts'
import { ruleWords } from './frame/form-values.ts'
import { consoleTexts } from './frame/texts.ts'
import { requestTexts } from './requests/texts.ts'
import { verifierTexts } from './requests/verifier-texts.ts'
import { furtherTexts } from './templates/further-texts.ts'
import { templateTexts } from './templates/texts.ts'
import { type ConsoleReader, openConsole } from './test-support/console-reader.ts'
import { controlsOf, sentFrom } from './test-support/form-of.ts'
import { made } from './test-support/made.ts'

let opened: ConsoleReader
let own = ''
before(async () => {
  opened = await openConsole(['owner'])
  const attributes = { grade: { type: 'number' }, born: { type: 'date' }, name: { type: 'string' } }
  own = (await made(opened.acme, '/creds/templates/credentials', { name: 'Own', code: 'own', attributes })).id
})
after(() => opened.chirograph.stop())

type Language = 'en' | 'fr'
type Texts = {
  readonly t: (typeof templateTexts)['en']
  readonly f: (typeof furtherTexts)['en']
  readonly r: (typeof requestTexts)['en']
  readonly v: (typeof verifierTexts)['en']
  readonly of: (rule: string, limit?: string | number) => string
  readonly missing: (label: string) => string
  readonly line: (number: number, why: string) => string
}
/** What is typed: `null` is taken out of what is sent. */
type Typed = Readonly<Record<string, string | readonly string[] | null>>
type Case = readonly [from: string, typed: Typed, at: string, words: (texts: Texts) => string]

function textsOf(language: Language): Texts {
  const { line, required: missing, ...t } = consoleTexts[language]
  const of = (rule: string, limit: string | number = '') => ruleWords(t, rule, String(limit)) ?? assert.fail(rule)
  return {
    t: templateTexts[language],
    f: furtherTexts[language],
    r: requestTexts[language],
    v: verifierTexts[language],
    of,
    missing,
    line,
  }
}

/** Saves the form of a page, with something else typed. */
async function save(path: string, typed: Typed, language: Language): Promise<Response> {
  const html = await opened.read(path, language)
  const [, action = '', content = ''] =
    /<main[\s\S]*?<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(html) ?? []
  const fields = new Map(sentFrom(controlsOf({ text: content })))
  for (const [name, value] of Object.entries(typed)) {
    if (value === null) fields.delete(name)
    else fields.set(name, [value].flat())
  }
  const members = [...fields].flatMap(([name, values]) => values.map((value) => [name, value]))
  const headers = {
    cookie: opened.cookie,
    'accept-language': language,
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
  }
  const body = String(new URLSearchParams([...members, ['do', 'save']]))
  return fetch(new URL(action, opened.chirograph.url), { method: 'POST', redirect: 'manual', headers, body })
}

/** Saves something wrong. @returns what is said, by field; `''`: above the form */
async function refusedAs(path: string, typed: Typed, language: Language): Promise<ReadonlyMap<string, string>> {
  const response = await save(path, typed, language)
  const shown = await response.text()
  assert.equal(response.status, 400, `${path} ${JSON.stringify(typed)}: ${shown.slice(0, 300)}`)
  const said = [...shown.matchAll(/<p class="error" id="([^"]*)-error">([\s\S]*?)<\/p>/g)]
  const general = /role="alert"[^>]*>\s*<h2>[^<]*<\/h2>\s*<p>([\s\S]*?)<\/p>/.exec(shown)?.[1]
  return new Map([...said.map(([, name = '', why = '']) => [name, plain(why)] as const), ['', plain(general ?? '')]])
}

function plain(text: string): string {
  return text.replaceAll(/<[^>]*>/g, '').replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

const blank = '/templates/new'
const diploma = '/templates/new?from=diploma'
const licence = '/templates/new?from=licence'
const long = (count: number) => 'x'.repeat(count)
const provider = { source: 'provider', claims: 'family_name = a\ngiven_name = b\ndegree = c' }
/** A box that is ticked in the first rows. */
const boxes = (name: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}-${at}`, '1']))

const templates: readonly Case[] = [
  [diploma, { name: '' }, 'name', ({ missing, t }) => missing(t.name)],
  [diploma, { name: long(201) }, 'name', ({ of }) => of('maxLength', 200)],
  [diploma, { description: long(1001) }, 'description', ({ of }) => of('maxLength', 1000)],
  [diploma, { code: 'a b' }, 'code', ({ of }) => of('pattern')],
  [diploma, { code: 'own' }, 'code', ({ of }) => of('unique')],
  [licence, { docType: '' }, 'docType', ({ missing, t }) => missing(t.docType)],
  [licence, { docType: long(257) }, 'docType', ({ of }) => of('maxLength', 256)],
  [blank, { rows: '0' }, '', ({ of }) => of('attribute.none')],
  [diploma, { 'key-1': '', 'label-1': '' }, 'label-1', ({ missing, t }) => missing(t.label)],
  [diploma, { 'key-1': long(129) }, 'key-1', ({ of }) => of('maxLength', 128)],
  [diploma, { 'key-1': 'iss' }, 'key-1', ({ of }) => of('attribute.reserved')],
  [diploma, { 'key-1': 'family_name' }, 'key-1', ({ t }) => t.keyTwice],
  [diploma, { 'label-2': long(201) }, 'label-2', ({ of }) => of('maxLength', 200)],
  [diploma, { 'about-2': long(1001) }, 'about-2', ({ of }) => of('maxLength', 1000)],
  [
    diploma,
    { languages: '2', locale: 'en', 'locale-0': 'fr', 'locale-1': 'de', 'label1-2': long(201) },
    'label1-2',
    ({ of }) => of('maxLength', 200),
  ],
  [diploma, { 'type-1': 'object' }, 'type-1', ({ t }) => t.partsMissing],
  [diploma, { 'depth-1': '1' }, 'type-0', ({ t }) => t.partsExtra],
  [
    diploma,
    { 'type-0': 'object', 'depth-1': '1', 'key-1': '_sd', 'named-0': null, 'named-1': null },
    'key-1',
    ({ of }) => of('attribute.reserved'),
  ],
  [diploma, { ...boxes('card', 4) }, 'card-3', ({ of }) => of('maxItems', 3)],
  [diploma, { ...boxes('named', 4) }, 'named-3', ({ of }) => of('maxItems', 3)],
  [diploma, { 'type-1': 'array' }, 'named-1', ({ of }) => of('attribute.unnamed_kind')],
  [licence, { 'key-0': '', docType: '' }, 'key-0', ({ missing, t }) => missing(t.namespace)],
  [licence, { rows: '1' }, 'key-0', ({ of }) => of('attribute.none')],
  [licence, { 'key-1': 'family' }, 'key-1', ({ of }) => of('licence.foreign')],
  [licence, { 'type-3': 'bytes' }, 'type-3', ({ of }) => of('licence.type', 'full-date')],
  [licence, { rows: '11' }, 'key-0', ({ of }) => of('licence.missing', 'un_distinguishing_sign')],
  [diploma, { ink: '#1f2d4b' }, 'ink', ({ t }) => t.contrast],
  [diploma, { back: 'red' }, 'back', ({ of }) => of('pattern')],
  [diploma, { logo: 'ftp://x.example' }, 'logo', ({ of }) => of('pattern')],
  [diploma, { logo: 'https://x.example', logoText: long(201) }, 'logoText', ({ of }) => of('maxLength', 200)],
  [diploma, { picture: 'ftp://x.example' }, 'picture', ({ of }) => of('pattern')],
  [diploma, { cardName: long(201) }, 'cardName', ({ of }) => of('maxLength', 200)],
  [diploma, { cardAbout: long(1001) }, 'cardAbout', ({ of }) => of('maxLength', 1000)],
  [diploma, { languages: '1', 'locale-0': 'fr', 'lname-0': 'A' }, 'locale', ({ missing, t }) => missing(t.locale)],
  [diploma, { languages: '1', locale: 'fr', 'locale-0': 'fr' }, 'locale-0', ({ t }) => t.localeTwice],
  [diploma, { languages: '1', locale: 'en', 'locale-0': 'x', 'lname-0': 'A' }, 'locale-0', ({ of }) => of('pattern')],
  [
    diploma,
    { languages: '2', locale: 'en', 'locale-0': 'de', 'locale-1': 'fr', 'lname-1': long(201) },
    'lname-1',
    ({ of }) => of('maxLength', 200),
  ],
  [
    diploma,
    { languages: '1', locale: 'en', 'locale-0': 'fr', 'lname-0': 'A', 'labout-0': long(1001) },
    'labout-0',
    ({ of }) => of('maxLength', 1000),
  ],
  [diploma, { from: 'span', fromCount: 'ten' }, 'fromCount', ({ of }) => of('type', 'integer')],
  [diploma, { until: 'span', untilCount: '' }, 'untilCount', ({ of }) => of('type', 'integer')],
  [diploma, { until: 'span', untilCount: '101' }, 'untilCount', ({ of }) => of('maximum', 100)],
  [diploma, { until: 'span', untilCount: '0' }, 'untilCount', ({ of }) => of('template.never_valid')],
  [diploma, { until: 'date', untilDate: 'soon' }, 'untilDate', ({ of }) => of('anyOf')],
  [
    diploma,
    { from: 'date', fromDate: '2030-01-02', until: 'date', untilDate: '2030-01-01' },
    'untilDate',
    ({ of }) => of('template.never_valid'),
  ],
  [diploma, { signer: 'did:web', keyType: 'Ed25519' }, 'keyType', ({ of }) => of('signer.did_key')],
  [licence, { signer: 'did:web' }, 'signer', ({ of }) => of('template.mdoc_signer')],
  [licence, { signer: 'certificate', keyType: 'Ed25519' }, 'keyType', ({ of }) => of('template.mdoc_signer')],
  [diploma, { copies: '51' }, 'copies', ({ of }) => of('maximum', 50)],
  [diploma, { copies: '1.5' }, 'copies', ({ of }) => of('type', 'integer')],
  [diploma, { refillDays: 'x' }, 'refillDays', ({ of }) => of('type', 'integer')],
  [diploma, { refillTimes: '3' }, 'refillDays', ({ missing, t }) => missing(t.refillDays)],
  [diploma, { refillDays: '1', refillTimes: '0' }, 'refillTimes', ({ of }) => of('minimum', 1)],
  [diploma, { refillDays: '1', approved: '1' }, 'refillDays', ({ of }) => of('template.refill_approved')],
  [diploma, { txCode: '1', txLength: '5' }, 'txLength', ({ of }) => of('minimum', 6)],
  [diploma, { txCode: '1', txText: long(301) }, 'txText', ({ of }) => of('maxLength', 300)],
  [diploma, { source: 'webhook', endpoint: '' }, 'endpoint', ({ missing, f }) => missing(f.endpoint)],
  [diploma, { source: 'webhook', endpoint: 'x' }, 'endpoint', ({ of }) => of('type', 'uuid')],
  [
    diploma,
    { source: 'webhook', endpoint: '01890000-0000-7000-8000-000000000000' },
    'endpoint',
    ({ of }) => of('webhook.unknown'),
  ],
  [diploma, { ...provider, provider: 'nowhere' }, 'provider', ({ of }) => of('provider.unknown')],
  [diploma, { ...provider, claims: 'family_name' }, 'claims', ({ f }) => f.claimsWrong],
  [diploma, { ...provider, claims: 'family_name = a' }, 'claims', ({ of }) => of('claims.missing')],
  [
    diploma,
    { ...provider, claims: `${provider.claims}\n\nx = y` },
    'claims',
    ({ of, line }) => line(5, of('claims.unknown')),
  ],
  [
    diploma,
    { ...provider, claims: `${provider.claims}\n/degree = y` },
    'claims',
    ({ of, line }) => `${line(3, of('claims.twice'))} ${line(4, of('claims.twice'))}`,
  ],
]

const byHand = '/requests/new?type=urn:x:1'
const hand = { name: 'Proof', 'path-0-0': 'a' }
const mdoc = { ...hand, 'path-0-0': 'org.example.1 / a', 'format-0': 'mdoc' }
/** A second credential, as it is added. */
const second = {
  credentials: '2',
  which: 'all',
  'type-1': 'urn:x:2',
  'format-1': 'sd-jwt-vc',
  'rows-1': '1',
  'path-1-0': 'b',
  'on-1-0': '1',
  'cond-1-0': 'any',
  'from-1': 'default',
}
const info = { infos: '1', 'iformat-0': 'jwt', 'idata-0': 'x' }
const ENTITY = '01890000-0000-7000-8000-00000000000a'

const requests: readonly Case[] = [
  [byHand, { ...hand, name: '' }, 'name', ({ missing, r }) => missing(r.name)],
  [byHand, { ...hand, about: long(2001) }, 'about', ({ of }) => of('maxLength', 2000)],
  [byHand, { ...hand, purpose: long(301) }, 'purpose', ({ of }) => of('maxLength', 300)],
  [byHand, { ...hand, keep: '1' }, 'keep', ({ of }) => of('minimum', 60)],
  [byHand, { ...hand, expires: '1' }, 'expires', ({ of }) => of('minimum', 30)],
  [byHand, { ...hand, 'type-0': '' }, 'type-0', ({ missing, r }) => missing(r.typeAddress)],
  [byHand, { ...hand, 'cname-0': long(201) }, 'cname-0', ({ of }) => of('maxLength', 200)],
  [byHand, { ...hand, 'cabout-0': long(2001) }, 'cabout-0', ({ of }) => of('maxLength', 2000)],
  [byHand, { 'path-0-0': '' }, 'path-0-0', ({ r }) => r.pathMissing],
  [byHand, { 'path-0-0': long(257) }, 'path-0-0', ({ of }) => of('maxLength', 256)],
  [byHand, { ...hand, 'rows-0': '0' }, 'from-0', ({ r }) => r.chooseOne],
  [byHand, { ...hand, 'cond-0-0': 'is', 'value-0-0': '' }, 'value-0-0', ({ r }) => r.valueMissing],
  [byHand, { ...hand, 'cond-0-0': 'min', 'value-0-0': 'x' }, 'value-0-0', ({ of }) => of('type', 'number')],
  [
    byHand,
    { ...hand, 'cond-0-0': 'between', 'value-0-0': '1', 'until-0-0': 'x' },
    'until-0-0',
    ({ of }) => of('type', 'number'),
  ],
  [byHand, { ...hand, 'cond-0-0': 'oneOf', 'value-0-0': '1.5' }, 'value-0-0', ({ of }) => of('request.values', 64)],
  [byHand, { ...mdoc, 'path-0-0': 'a' }, 'path-0-0', ({ of }) => of('request.mdoc_element')],
  [byHand, { ...mdoc, 'path-0-0': 'a / b / c' }, 'path-0-0', ({ of }) => of('request.mdoc_element')],
  [byHand, { ...mdoc, 'cond-0-0': 'is', 'value-0-0': '1' }, 'cond-0-0', ({ of }) => of('request.mdoc_values')],
  [byHand, { ...hand, 'from-0': 'issuers', 'issuers-0': '' }, 'issuers-0', ({ r }) => r.issuerMissing],
  [
    byHand,
    { ...hand, 'from-0': 'issuers', 'issuers-0': 'did:web:a.example\n\nnobody' },
    'issuers-0',
    ({ of, line }) => line(3, of('request.issuer')),
  ],
  [
    byHand,
    { ...hand, 'from-0': 'issuers', 'issuers-0': '*\ndid:web:a.example' },
    'issuers-0',
    ({ of, line }) => line(1, of('request.any_issuer')),
  ],
  [byHand, { ...hand, 'from-0': 'entities' }, 'from-0', ({ r }) => r.entityMissing],
  [
    byHand,
    { ...hand, 'from-0': 'entities', 'entities-0[]': ENTITY },
    'from-0',
    ({ of }) => of('trusted_entity.unknown'),
  ],
  [byHand, { ...hand, 'claims-0': 'zz' }, 'claims-0', ({ of, line }) => line(1, of('request.unknown_attribute'))],
  [byHand, { ...hand, 'claims-0': '[1' }, 'claims-0', ({ v }) => v.claimsWrong],
  [byHand, { ...hand, 'authorities-0': 'YWJj\na+b' }, 'authorities-0', ({ of, line }) => line(2, of('pattern'))],
  [
    byHand,
    { ...hand, ...second, 'optional-0': '1', 'optional-1': '1' },
    'optional-0',
    ({ of }) => of('request.all_optional'),
  ],
  [byHand, { ...hand, ...second, which: 'sets', sets: 'x' }, 'sets', ({ v }) => v.setsWrong],
  [
    byHand,
    { ...hand, ...second, which: 'sets', sets: '1 | 2\n3' },
    'sets',
    ({ of, line }) => line(2, of('request.unknown_credential')),
  ],
  [byHand, { ...hand, redirect: 'http://x.example' }, 'redirect', ({ of }) => of('redirect.address')],
  [byHand, { ...hand, clientId: 'known' }, 'clientId', ({ of }) => of('verifier.client_extra')],
  [byHand, { ...hand, prefix: 'pre-registered' }, 'clientId', ({ of }) => of('verifier.client_needed')],
  [byHand, { ...hand, prefix: 'pre-registered', clientId: 'a:b' }, 'clientId', ({ of }) => of('pattern')],
  [byHand, { ...hand, attestation: 'x' }, 'attestation', ({ of }) => of('verifier.attestation_extra')],
  [byHand, { ...hand, prefix: 'verifier_attestation' }, 'attestation', ({ of }) => of('verifier.attestation_needed')],
  [
    byHand,
    { ...hand, prefix: 'verifier_attestation', attestation: 'x' },
    'attestation',
    ({ of }) => of('verifier.attestation'),
  ],
  [byHand, { ...hand, prefix: 'redirect_uri', signer: 'certificate' }, 'prefix', ({ of }) => of('signer.unsigned')],
  [
    byHand,
    { ...hand, prefix: 'pre-registered', clientId: 'a', keyType: 'P-256' },
    'prefix',
    ({ of }) => of('signer.uncertified'),
  ],
  [byHand, { ...hand, prefix: 'x509_hash', signer: 'did:web' }, 'prefix', ({ of }) => of('signer.did_prefix')],
  [byHand, { ...hand, keyType: 'Ed25519', signer: 'did:web' }, 'keyType', ({ of }) => of('signer.did_key')],
  [byHand, { ...hand, ...info, 'iformat-0': '' }, 'iformat-0', ({ missing, v }) => missing(v.infoFormat)],
  [byHand, { ...hand, ...info, 'idata-0': '' }, 'idata-0', ({ missing, v }) => missing(v.infoData)],
  ['own', {}, 'on-0-0', ({ r }) => r.chooseOne],
  ['own', { 'on-0-0': '1', 'cond-0-0': 'is', 'value-0-0': 'x' }, 'value-0-0', ({ of }) => of('type', 'number')],
  ['own', { 'on-0-1': '1', 'cond-0-1': 'max', 'value-0-1': 'x' }, 'value-0-1', ({ of }) => of('type', 'date')],
]

for (const [what, cases] of Object.entries({ template: templates, request: requests }))
  for (const [from, typed, at, words] of cases) {
    const shown = shownText(JSON.stringify(typed), 120)
    test(`a wrong value of a ${what} is told at ${at || 'the top'}: ${shown}`, async () => {
      for (const language of ['en', 'fr'] as const) {
        const path = from === 'own' ? `/requests/new?template=${own}` : from
        const said = await refusedAs(path, typed, language)
        assert.equal(said.get(at), words(textsOf(language)), JSON.stringify([...said]))
        if (at !== '') assert.equal(said.get(''), '')
      }
    })
  }

for (const [kind, path, typed, at] of [
  ['template', diploma, { signer: 'did:web' }, 'signer'],
  ['request', byHand, { ...hand, mode: 'direct_post' }, 'signer'],
] as const)
  test(`what HAIP forbids of a ${kind} is told at what signs it`, async () => {
    await opened.acme.patch('/onboarding/organisation', { haip: true })
    for (const language of ['en', 'fr'] as const) {
      const said = await refusedAs(path, typed, language)
      const rule = kind === 'template' ? 'haip.signer' : 'haip.request'
      assert.equal(said.get(at), textsOf(language).of(rule), JSON.stringify([...said]))
    }
    await opened.acme.patch('/onboarding/organisation', { haip: false })
  })

test('an attribute may have any name that the API accepts', async () => {
  const attributes = { 'a name': { type: 'string' }, prénom: { type: 'string' } }
  const body = { name: 'Odd names', code: 'odd-names', attributes }
  const { id } = await made(opened.acme, '/creds/templates/credentials', body)
  assert.equal((await save(`/templates/${id}`, { description: 'Changed' }, 'en')).status, 303)
  const { data } = (await opened.acme.get(`/creds/templates/credentials/${id}`)).body
  assert.deepEqual([data.description, data.attributes], ['Changed', attributes])
})

test('what is wrong is listed in the order of the page', async () => {
  const typed = { copies: '99', until: 'span', untilCount: 'x', 'key-1': 'iss', name: '' }
  const shown = await (await save(diploma, typed, 'en')).text()
  const links = [...shown.matchAll(/<li><a href="#([^"]*)">/g)].map(([, name]) => name)
  assert.deepEqual(links, ['name', 'key-1', 'untilCount', 'copies'])
})
