import { runRegistryPart } from './code-flow.ts'
import { runLicencePart } from './driving-licence.ts'
import { forge, holderKey, present, redeem } from './foreign-wallet.ts'
import { at, type Json, text } from './json.ts'
import { chapter, expect, Party, say, show, showQr } from './telling.ts'

type Secrets = Readonly<Record<'SCHOOL_SECRET' | 'EMPLOYER_SECRET' | 'OFFICE_SECRET' | 'REGISTRY_SECRET', string>>
type Parties = {
  readonly school: Party
  readonly thandi: Party
  readonly employer: Party
  readonly forger: Party
  readonly office: Party
  readonly registry: Party
  readonly resident: Party
}

const diploma: Json = {
  name: 'Diploma',
  code: 'diploma',
  attributes: {
    given_name: { type: 'string', required: true },
    family_name: { type: 'string', required: true },
    birth_date: { type: 'date' },
    degree: { type: 'string', required: true },
    grade: { type: 'number' },
  },
}
const thandisDiploma: Json = {
  given_name: 'Thandi',
  family_name: 'Molefe',
  birth_date: '2003-04-27',
  degree: 'BSc Computer Science',
  grade: 78,
}
const sipho: Json = { given_name: 'Sipho', family_name: 'Dube', degree: 'BSc Computer Science', grade: 41 }
const requested = {
  name: 'Graduate engineer',
  description: 'Proof of a degree with a grade of at least 60',
  attributes: {
    given_name: { type: 'string' },
    family_name: { type: 'string' },
    degree: { type: 'string' },
    grade: { type: 'number', minimum: 60 },
  },
}

/** Runs all steps against a server. @throws Error if a step fails */
export async function runStory(url: string, secrets: Secrets): Promise<void> {
  const parties: Parties = {
    school: new Party('school', url),
    thandi: new Party('thandi', url),
    employer: new Party('employer', url),
    forger: new Party('forger', url),
    office: new Party('transport', url),
    registry: new Party('registry', url),
    resident: new Party('thandi', url),
  }
  await signIn(parties, secrets)
  const template = await describe(parties)
  const offerUri = await issue(parties, template)
  await keep(parties, offerUri)
  const presentationTemplate = await ask(parties, text(template, 'type'))
  const presentation = await request(parties, presentationTemplate)
  await share(parties, presentation)
  await verify(parties, presentation)
  await refuseForgery(parties, template, presentationTemplate)
  await refuseReplay(parties, offerUri)
  await runLicencePart({ ...parties, rental: parties.employer })
  await runRegistryPart({ ...parties, shop: parties.employer })
  await refuseRevoked(parties, presentationTemplate)
}

async function signIn(parties: Parties, secrets: Secrets): Promise<void> {
  const { school, thandi, employer, office, registry, resident } = parties
  chapter(
    'Part 1. Each organisation gets an access token, and the school and the registry one for the wallet of Thandi',
  )
  const asClient = (client: string, secret: string) => ({ client_id: client, client_secret: secret })
  const backend = asClient('acme-backend', secrets.SCHOOL_SECRET)
  const token = async (party: Party, form: Record<string, string>) =>
    text(await party.call('POST', '/auth/token', 200, { form }), 'access_token')
  school.token = await token(school, { grant_type: 'client_credentials', ...backend })
  employer.token = await token(employer, {
    grant_type: 'client_credentials',
    ...asClient('globex-backend', secrets.EMPLOYER_SECRET),
  })
  office.token = await token(office, {
    grant_type: 'client_credentials',
    ...asClient('transport-backend', secrets.OFFICE_SECRET),
  })
  const ofRegistry = asClient('registry-backend', secrets.REGISTRY_SECRET)
  registry.token = await token(registry, { grant_type: 'client_credentials', ...ofRegistry })
  const exchanged = (subject: string) => ({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: subject,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    requested_subject: 'thandi',
  })
  thandi.token = await token(thandi, { ...exchanged(school.token), ...backend })
  resident.token = await token(resident, { ...exchanged(registry.token), ...ofRegistry })
}

async function describe({ school }: Parties): Promise<Json> {
  chapter('The school creates a credential template for diplomas')
  const template = at(await school.call('POST', '/creds/templates/credentials', 201, { json: diploma }), 'data')
  say(`Its credential type (vct) is ${text(template, 'type')}`)
  return template
}

async function issue({ school }: Parties, template: Json): Promise<string> {
  chapter("The school creates a credential offer for Thandi's diploma")
  const issuance = await open(school, template, thandisDiploma)
  say('A wallet on a phone scans this QR code:')
  showQr(text(issuance, 'offerUri'))
  return text(issuance, 'offerUri')
}

async function open(school: Party, template: Json, attributes: Json): Promise<Json> {
  const json = { credentialTemplateId: text(template, 'id'), attributes }
  return at(await school.call('POST', '/creds/credentials/issuance', 200, { json }), 'data')
}

async function keep({ thandi }: Parties, offerUri: string): Promise<void> {
  chapter('Thandi views the offer, receives the diploma and accepts it')
  const json = { credentialOffer: offerUri }
  await thandi.call('POST', '/wallet/v2/credential-offers/resolve', 200, { json })
  const received = at(await thandi.call('POST', '/wallet/v2/credentials', 201, { json }), 'data', 0)
  say('Her wallet redeemed the offer with OpenID4VCI, verified the credential, and stores these claims:')
  show(at(received, 'claims'))
  const accepted = await thandi.call('PATCH', `/wallet/v2/credentials/${text(received, 'id')}`, 200, {
    json: { status: 'accepted' },
  })
  expect(at(accepted, 'data', 'status') === 'accepted', 'the diploma is accepted', accepted)
}

async function ask({ employer }: Parties, type: string): Promise<Json> {
  chapter('An employer, another organisation, requests four of the five claims, issued by the school')
  const school = text(await employer.call('GET', '/issuers/acme/did.json', 200), 'id')
  const { name, description, attributes } = requested
  const json = { name, description, credentials: [{ type, attributes, issuers: [school] }] }
  return at(await employer.call('POST', '/creds/templates/presentations', 201, { json }), 'data')
}

async function request({ employer }: Parties, template: Json): Promise<Json> {
  const json = { presentationTemplateId: text(template, 'id') }
  return at(await employer.call('POST', '/creds/presentations/request', 200, { json }), 'data')
}

async function share({ thandi }: Parties, presentation: Json): Promise<void> {
  chapter('Thandi views the request and shares the claims')
  const json = { presentationRequest: text(presentation, 'authorizationRequestUri') }
  const prepared = at(await thandi.call('POST', '/wallet/v2/presentations', 201, { json }), 'data')
  const attributes = at(prepared, 'selectedCredentials', 0, 'matchedAttributes')
  say(`Requested claims: ${Array.isArray(attributes) ? attributes.join(', ') : 'none'}`)
  const answer = { json: { status: 'answered' } }
  const answered = await thandi.call('PATCH', `/wallet/v2/presentations/${text(prepared, 'id')}`, 200, answer)
  expect(at(answered, 'data', 'status') === 'answered', 'the wallet sent the presentation with OpenID4VP', answered)
}

async function verify(parties: Parties, presentation: Json): Promise<void> {
  chapter('The employer reads verified claims')
  const result = await resultOf(parties, presentation)
  const entry = at(result, 'credentials', 0)
  show(at(entry, 'attributes'))
  say(`Issuer: ${text(entry, 'issuer')}`)
  expect(
    at(result, 'status') === 'verified' && at(entry, 'isValid') === true,
    'signed by the school, presented by its holder',
    result,
  )
  expect(at(entry, 'attributes', 'birth_date') === null, 'the birth date was not requested and not disclosed', result)
}

async function resultOf({ employer }: Parties, presentation: Json): Promise<Json> {
  return at(await employer.call('GET', `/creds/presentations/${text(presentation, 'id')}`, 200), 'data')
}

async function refuseForgery(parties: Parties, diplomaTemplate: Json, presentationTemplate: Json): Promise<void> {
  chapter('A forger changes the grade in a genuine diploma from 41 to 91 and presents it with his own wallet software')
  const issuance = await open(parties.school, diplomaTemplate, sipho)
  const key = holderKey()
  const credential = await redeem(parties.forger.foreign, text(issuance, 'offerUri'), key)
  const presentation = await request(parties, presentationTemplate)
  const forged = (real: string) => forge(real, 'grade', 91)
  await present(parties.forger.foreign, text(presentation, 'authorizationRequestUri'), credential, key, forged)
  const result = await resultOf(parties, presentation)
  const issues = at(result, 'credentials', 0, 'issues')
  for (const issue of Array.isArray(issues) ? issues : []) say(`${text(issue, 'code')}: ${text(issue, 'message')}`)
  expect(at(result, 'status') === 'failed', 'the forged presentation is refused', result)
}

async function refuseReplay({ thandi }: Parties, offerUri: string): Promise<void> {
  chapter('The QR code of the first offer is scanned again')
  const refused = await thandi.call('POST', '/wallet/v2/credentials', 422, { json: { credentialOffer: offerUri } })
  say(`${text(refused, 'errors', 0, 'code')}: ${text(refused, 'errors', 0, 'detail')}`)
  expect(at(refused, 'errors', 0, 'code') === 'OFFER_UNUSABLE', 'the offer cannot be redeemed twice', refused)
}

async function refuseRevoked(parties: Parties, presentationTemplate: Json): Promise<void> {
  chapter('Part 4. The school revokes the diploma, and the employer requests it again')
  const issued = at(await parties.school.call('GET', '/creds/credentials?sort=createdAt&page[size]=1', 200), 'data', 0)
  const json = { ids: [text(issued, 'credentials', 0, 'id')] }
  const revoked = await parties.school.call('POST', '/creds/credentials/revoke', 200, { json })
  expect(at(revoked, 'data', 'results', 0, 'status') === 'revoked', 'the diploma is revoked', revoked)
  const presentation = await request(parties, presentationTemplate)
  await share(parties, presentation)
  const result = await resultOf(parties, presentation)
  const issues = at(result, 'credentials', 0, 'issues')
  for (const issue of Array.isArray(issues) ? issues : []) say(`${text(issue, 'code')}: ${text(issue, 'message')}`)
  expect(at(result, 'status') === 'failed', 'the revoked diploma is refused', result)
}
