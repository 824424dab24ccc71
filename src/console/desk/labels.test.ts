// The desk calls a claim as the template that was asked for does, in the language of the page, whatever the clerk may
// read besides.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsoleReader, openConsole } from '../test-support/console-reader.ts'
import { made } from '../test-support/made.ts'

let opened: ConsoleReader
before(async () => {
  opened = await openConsole(['verifier'], { settings: { acme: { walletFormats: ['vc+sd-jwt', 'mso_mdoc'] } } })
})
after(() => opened.chirograph.stop())

/** A holder of the credential answers what the request asks for. @returns the path of the result at the desk */
async function checked(credential: object): Promise<string> {
  const { chirograph, acme } = opened
  const template = { name: 'Proof', description: '', credentials: [credential] }
  const { id: presentationTemplateId } = await made(acme, '/creds/templates/presentations', template)
  const asked = await made(acme, '/creds/presentations/request', { presentationTemplateId })
  const wallet = await chirograph.wallet('acme', 'thandi')
  const prepared = await made(wallet, '/wallet/v2/presentations', {
    presentationRequest: asked.authorizationRequestUri,
  })
  const answered = await wallet.patch(`/wallet/v2/presentations/${prepared.id}`, { status: 'answered' })
  assert.equal(answered.status, 200, JSON.stringify(answered.body))
  return `/verify/${asked.id}`
}

/** Name and value of each line of the panel of a credential, and its heading. */
async function linesOf(path: string, language: string) {
  const shown = await opened.read(path, language)
  const plain = (text = '') => text.replaceAll(/<[^>]*>/g, '').trim()
  const lines = [...shown.matchAll(/<dt>([\s\S]*?)<\/dt>\s*<dd>([\s\S]*?)<\/dd>/g)]
  return {
    heading: plain(/<section class="panel"><header><h2>([\s\S]*?)<\/h2>/.exec(shown)?.[1]),
    facts: Object.fromEntries(lines.map(([, name, value]) => [plain(name), plain(value)])),
  }
}

test('the result has the labels of the template, and where it has none the name of the claim as words', async () => {
  const { chirograph, acme } = opened
  const { id, type } = await made(acme, '/creds/templates/credentials', {
    name: 'Diploma',
    code: 'diploma',
    display: { locale: 'en-GB' },
    attributes: {
      attribute_3: { type: 'string', name: 'Field of study', names: { fr: 'Domaine d’études' } },
      only_english: { type: 'string', name: '<b>Honours</b>' },
      no_label: { type: 'string' },
      address: {
        type: 'object',
        properties: { attribute_3: { type: 'string', name: 'Town', names: { fr: 'Ville' } } },
      },
    },
  })
  const attributes = {
    attribute_3: 'Law',
    only_english: 'cum laude',
    no_label: 'x',
    address: { attribute_3: 'Durban' },
  }
  const { offerUri } = (await made(acme, '/creds/credentials/issuance', { credentialTemplateId: id, attributes })) ?? {}
  const wallet = await chirograph.wallet('acme', 'thandi')
  const [card] = await made(wallet, '/wallet/v2/credentials', { credentialOffer: offerUri })
  await wallet.patch(`/wallet/v2/credentials/${card.id}`, { status: 'accepted' })
  const wanted = { attribute_3: {}, only_english: {}, no_label: {}, address: { properties: { attribute_3: {} } } }
  const path = await checked({ type, attributes: wanted })
  for (const [language, study, town] of [
    ['en', 'Field of study', 'Town'],
    ['fr', 'Domaine d’études', 'Ville'],
  ] as const) {
    for (const one of [path, `${path}/state`]) {
      const { heading, facts } = await linesOf(one, language)
      assert.equal(heading, 'Diploma')
      const expected = {
        [study]: 'Law',
        '&#60;b&#62;Honours&#60;/b&#62;': 'cum laude',
        'No label': 'x',
        [town]: 'Durban',
      }
      assert.partialDeepStrictEqual(facts, expected)
    }
  }
})

test('the elements of an mdoc have the labels of the template of its document type, by their namespace', async () => {
  const { chirograph, acme } = opened
  const root = { type: 'issuerRoot', keyType: 'P-256', countryName: 'ZA' }
  await made(acme, '/creds/certificates', { ...root, issuerAlternativeNameUrl: 'https://parking.example' })
  const [docType, first, second] = ['org.example.parking.1', 'org.example.parking', 'org.example.parking.more']
  const { id } = await made(acme, '/creds/templates/credentials', {
    name: 'Parking permit',
    code: 'parking',
    format: 'mdoc',
    docType,
    display: { locale: 'en-GB' },
    attributes: {
      [first]: { zone: { type: 'string', name: 'Parking zone', names: { fr: 'Zone de stationnement' } } },
      [second]: { zone: { type: 'string', name: 'Second zone' }, car_colour: { type: 'string' } },
    },
  })
  const attributes = { [first]: { zone: 'A' }, [second]: { zone: 'B', car_colour: 'red' } }
  const { offerUri } = await made(acme, '/creds/credentials/issuance', { credentialTemplateId: id, attributes })
  const wallet = await chirograph.wallet('acme', 'thandi')
  const [card] = await made(wallet, '/wallet/v2/credentials', { credentialOffer: offerUri })
  await wallet.patch(`/wallet/v2/credentials/${card.id}`, { status: 'accepted' })
  const wanted = { [first]: { properties: { zone: {} } }, [second]: { properties: { zone: {}, car_colour: {} } } }
  const path = await checked({ type: docType, format: 'mdoc', attributes: wanted })
  for (const [language, zone] of [
    ['en', 'Parking zone'],
    ['fr', 'Zone de stationnement'],
  ] as const) {
    const { facts } = await linesOf(path, language)
    assert.partialDeepStrictEqual(facts, { [zone]: 'A', 'Second zone': 'B', 'Car colour': 'red' })
  }
})
