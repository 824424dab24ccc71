import { PlainBrowser } from '../src/authorization/sign-in/test-support/plain-browser.ts'
import { at, type Json, text } from './json.ts'
import { chapter, expect, type Party, say, show } from './telling.ts'

/** The parties of the third part. `resident`: the wallet of Thandi at the registry. */
type RegistryParties = { readonly registry: Party; readonly resident: Party; readonly shop: Party }

const PASSWORD = 'a lighthouse made of bread'

/**
 * Runs the third part: issuing by HAIP 1.0, into a wallet whose holder signs in at the issuer, and an encrypted
 * presentation.
 *
 * @throws Error if a step fails
 */
export async function runRegistryPart(parties: RegistryParties): Promise<void> {
  const root = await prepare(parties)
  const template = await describe(parties)
  const offerUri = await offer(parties, template)
  const browser = await enrol(parties)
  await receive(parties, offerUri, browser)
  await share(parties, text(template, 'type'), root)
}

async function prepare({ registry }: RegistryParties): Promise<Json> {
  chapter(
    'Part 3. A registry issues by the high-assurance profile HAIP 1.0: it trusts the wallet provider of this server',
  )
  const about = { type: 'issuerRoot', keyType: 'P-256', countryName: 'ZA' }
  const json = { ...about, issuerAlternativeNameUrl: 'https://registry.example' }
  const root = at(await registry.call('POST', '/creds/certificates', 201, { json }), 'data')
  const provider = text(await registry.call('GET', '/wallet-provider/roots.pem', 200))
  const trusted = { name: 'Wallet provider', certificates: [provider], purposes: ['attester'] }
  await registry.call('POST', '/creds/trusted-entities', 201, { json: trusted })
  return root
}

async function describe({ registry }: RegistryParties): Promise<Json> {
  const attributes = { name: { type: 'string', required: true }, city: { type: 'string', required: true } }
  const json = { name: 'Residence', code: 'residence', attributes }
  return at(await registry.call('POST', '/creds/templates/credentials', 201, { json }), 'data')
}

async function offer({ registry }: RegistryParties, template: Json): Promise<string> {
  chapter(
    'The registry prepares an issuance for Thandi: the offer has no code; a wallet that opens it must send its user to sign in as her',
  )
  const about = { credentialTemplateId: text(template, 'id'), grants: ['authorization_code'] }
  const recipient = { identifierType: 'username', value: 'thandi' }
  const json = { ...about, recipient, attributes: { name: 'Thandi Molefe', city: 'Pretoria' } }
  const issuance = at(await registry.call('POST', '/creds/credentials/issuance', 200, { json }), 'data')
  return text(issuance, 'offerUri')
}

async function enrol({ registry }: RegistryParties): Promise<PlainBrowser> {
  chapter('Thandi opens her invitation in a browser and sets a password')
  const invited = await registry.call('POST', '/onboarding/users/thandi/invitation', 201, { json: {} })
  const browser = new PlainBrowser(registry.server)
  await browser.open(text(invited, 'data', 'link'))
  const { title, html } = await browser.send('/sign-in/link', { password: PASSWORD, repeated: PASSWORD })
  expect(title.startsWith('Your account'), `the browser shows "${title}"`, html)
  return browser
}

async function receive({ resident }: RegistryParties, offerUri: string, browser: PlainBrowser): Promise<void> {
  chapter('Her wallet pushes the request with a wallet attestation; she agrees in the browser')
  const json = { credentialOffer: offerUri }
  const session = at(await resident.call('POST', '/wallet/v2/issuance-sessions', 201, { json }), 'data')
  const address = new URL(text(session, 'authorizationUrl'))
  expect(address.searchParams.has('request_uri'), 'the browser gets a reference to the pushed request only', session)
  const page = await browser.open(address.pathname + address.search)
  say(`The page: ${page.title}`)
  const { url } = await browser.send('/issuers/registry/consent', { answer: 'allow' })
  const callback = new URL(url, resident.server)
  say(`The browser returns with ${[...callback.searchParams.keys()].join(', ')}`)
  await browser.open(callback.pathname + callback.search)
  const ended = await resident.call('GET', `/wallet/v2/issuance-sessions/${text(session, 'id')}`, 200)
  const what = 'the wallet redeemed the code with a DPoP proof, attested its key, and got an encrypted response'
  expect(at(ended, 'data', 'status') === 'completed', what, ended)
  const path = `/wallet/v2/credentials/${text(ended, 'data', 'credentialIds', 0)}`
  const accepted = await resident.call('PATCH', path, 200, { json: { status: 'accepted' } })
  show(at(accepted, 'data', 'claims'))
}

async function share({ registry, resident, shop }: RegistryParties, type: string, root: Json): Promise<void> {
  chapter('A shop requests the city, signed with its certificate; the answer is encrypted to the request')
  const trusted = { name: 'Registry', certificates: [text(root, 'certificate')] }
  await shop.call('POST', '/creds/trusted-entities', 201, { json: trusted })
  const about = { type: 'verifierRoot', keyType: 'P-256', countryName: 'ZA' }
  const own = { ...about, issuerAlternativeNameUrl: 'https://shop.example' }
  const verifier = at(await shop.call('POST', '/creds/certificates', 201, { json: own }), 'data')
  const reader = { name: 'Shop', certificates: [text(verifier, 'certificate')], purposes: ['verifier'] }
  await registry.call('POST', '/creds/trusted-entities', 201, { json: reader })
  const credentials = [{ type, attributes: { city: {} } }]
  const verifierConfig = { responseMode: 'direct_post.jwt' }
  const json = { name: 'City', description: 'Where to deliver', credentials, verifierConfig }
  const template = at(await shop.call('POST', '/creds/templates/presentations', 201, { json }), 'data')
  const ask = { json: { presentationTemplateId: text(template, 'id') } }
  const request = at(await shop.call('POST', '/creds/presentations/request', 200, ask), 'data')
  const open = { json: { presentationRequest: text(request, 'authorizationRequestUri') } }
  const prepared = at(await resident.call('POST', '/wallet/v2/presentations', 201, open), 'data')
  const answer = { json: { status: 'answered' } }
  await resident.call('PATCH', `/wallet/v2/presentations/${text(prepared, 'id')}`, 200, answer)
  const result = at(await shop.call('GET', `/creds/presentations/${text(request, 'id')}`, 200), 'data')
  show(at(result, 'credentials', 0, 'attributes'))
  expect(at(result, 'status') === 'verified', 'the shop verified it under the root of the registry', result)
}
