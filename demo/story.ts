import { tellOfLicence } from './driving-licence.ts'
import { forge, holderKey, present, redeem } from './foreign-wallet.ts'
import { at, type Json, text } from './json.ts'
import { chapter, expect, Party, say, show, showQr } from './telling.ts'

type Secrets = { readonly SCHOOL_SECRET: string; readonly EMPLOYER_SECRET: string; readonly OFFICE_SECRET: string }
type Cast = {
  readonly school: Party
  readonly thandi: Party
  readonly employer: Party
  readonly forger: Party
  readonly office: Party
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
const wanted = {
  name: 'Graduate engineer',
  description: 'Proof of a degree with a grade of at least 60',
  attributes: {
    given_name: { type: 'string' },
    family_name: { type: 'string' },
    degree: { type: 'string' },
    grade: { type: 'number', minimum: 60 },
  },
}

/** Tells the whole story against a server. @throws Error where it is not as told. */
export async function tell(url: string, secrets: Secrets): Promise<void> {
  const cast: Cast = {
    school: new Party('school', url),
    thandi: new Party('thandi', url),
    employer: new Party('employer', url),
    forger: new Party('forger', url),
    office: new Party('office', url),
  }
  await signIn(cast, secrets)
  const template = await describe(cast)
  const offerUri = await issue(cast, template)
  await keep(cast, offerUri)
  const askedTemplate = await ask(cast, text(template, 'type'))
  const asked = await request(cast, askedTemplate)
  await share(cast, asked)
  await verify(cast, asked)
  await refuseForgery(cast, template, askedTemplate)
  await refuseReplay(cast, offerUri)
  await tellOfLicence({ ...cast, rental: cast.employer })
  await refuseRevoked(cast, askedTemplate)
}

async function signIn({ school, thandi, employer, office }: Cast, secrets: Secrets): Promise<void> {
  chapter('Everybody gets a token')
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
  thandi.token = await token(thandi, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: school.token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    requested_subject: 'thandi',
    ...backend,
  })
}

async function describe({ school }: Cast): Promise<Json> {
  chapter('The school says what a diploma is')
  const template = at(await school.call('POST', '/creds/templates/credentials', 201, { json: diploma }), 'data')
  say(`Its type is ${text(template, 'type')}`)
  return template
}

async function issue({ school }: Cast, template: Json): Promise<string> {
  chapter("The school offers Thandi's diploma")
  const issuance = await open(school, template, thandisDiploma)
  say('A wallet on a phone would scan this; so does the one here:')
  showQr(text(issuance, 'offerUri'))
  return text(issuance, 'offerUri')
}

async function open(school: Party, template: Json, attributes: Json): Promise<Json> {
  const json = { credentialTemplateId: text(template, 'id'), attributes }
  return at(await school.call('POST', '/creds/credentials/issuance', 200, { json }), 'data')
}

async function keep({ thandi }: Cast, offerUri: string): Promise<void> {
  chapter('Thandi looks at the offer, receives the diploma and accepts it')
  const json = { credentialOffer: offerUri }
  await thandi.call('POST', '/wallet/v2/credential-offers/resolve', 200, { json })
  const received = at(await thandi.call('POST', '/wallet/v2/credentials', 201, { json }), 'data', 0)
  say('Her wallet fetched it by OpenID4VCI, checked signature, claims and key binding, and holds:')
  show(at(received, 'claims'))
  const accepted = await thandi.call('PATCH', `/wallet/v2/credentials/${text(received, 'id')}`, 200, {
    json: { status: 'accepted' },
  })
  expect(at(accepted, 'data', 'status') === 'accepted', 'the diploma is in the wallet', accepted)
}

async function ask({ employer }: Cast, type: string): Promise<Json> {
  chapter('An employer, another organisation, asks for four of the five claims, and wants them from the school')
  const school = text(await employer.call('GET', '/issuers/acme/did.json', 200), 'id')
  const { name, description, attributes } = wanted
  const json = { name, description, credentials: [{ type, attributes, issuers: [school] }] }
  return at(await employer.call('POST', '/creds/templates/presentations', 201, { json }), 'data')
}

async function request({ employer }: Cast, template: Json): Promise<Json> {
  const json = { presentationTemplateId: text(template, 'id') }
  return at(await employer.call('POST', '/creds/presentations/request', 200, { json }), 'data')
}

async function share({ thandi }: Cast, asked: Json): Promise<void> {
  chapter('Thandi sees what would be shared, and shares it')
  const json = { presentationRequest: text(asked, 'authorizationRequestUri') }
  const prepared = at(await thandi.call('POST', '/wallet/v2/presentations', 201, { json }), 'data')
  const attributes = at(prepared, 'selectedCredentials', 0, 'matchedAttributes')
  say(`To be shared: ${Array.isArray(attributes) ? attributes.join(', ') : 'nothing'}`)
  const answer = { json: { status: 'answered' } }
  const answered = await thandi.call('PATCH', `/wallet/v2/presentations/${text(prepared, 'id')}`, 200, answer)
  expect(at(answered, 'data', 'status') === 'answered', 'the wallet has answered by OpenID4VP', answered)
}

async function verify(cast: Cast, asked: Json): Promise<void> {
  chapter('The employer reads verified claims')
  const result = await resultOf(cast, asked)
  const entry = at(result, 'credentials', 0)
  show(at(entry, 'attributes'))
  say(`Issued by ${text(entry, 'issuer')}, as the employer wanted.`)
  expect(
    at(result, 'status') === 'verified' && at(entry, 'isValid') === true,
    'signed by the school, held by Thandi',
    result,
  )
  expect(
    at(entry, 'attributes', 'birth_date') === null,
    'the birth date, which nobody asked for, stayed with Thandi',
    result,
  )
}

async function resultOf({ employer }: Cast, asked: Json): Promise<Json> {
  return at(await employer.call('GET', `/creds/presentations/${text(asked, 'id')}`, 200), 'data')
}

async function refuseForgery(cast: Cast, diplomaTemplate: Json, askedTemplate: Json): Promise<void> {
  chapter('A forger with software of his own has a real diploma with grade 41, and makes it 91')
  const issuance = await open(cast.school, diplomaTemplate, sipho)
  const key = holderKey()
  const credential = await redeem(cast.forger.foreign, text(issuance, 'offerUri'), key)
  const asked = await request(cast, askedTemplate)
  const forged = (real: string) => forge(real, 'grade', 91)
  await present(cast.forger.foreign, text(asked, 'authorizationRequestUri'), credential, key, forged)
  const result = await resultOf(cast, asked)
  const issues = at(result, 'credentials', 0, 'issues')
  for (const issue of Array.isArray(issues) ? issues : []) say(`${text(issue, 'code')}: ${text(issue, 'message')}`)
  expect(at(result, 'status') === 'failed', 'the tampered presentation is refused', result)
}

async function refuseReplay({ thandi }: Cast, offerUri: string): Promise<void> {
  chapter('Somebody photographed the QR code and tries the offer again')
  const refused = await thandi.call('POST', '/wallet/v2/credentials', 422, { json: { credentialOffer: offerUri } })
  say(`${text(refused, 'errors', 0, 'code')}: ${text(refused, 'errors', 0, 'detail')}`)
  expect(at(refused, 'errors', 0, 'code') === 'OFFER_UNUSABLE', 'the replayed offer is refused', refused)
}

async function refuseRevoked(cast: Cast, askedTemplate: Json): Promise<void> {
  chapter('Third act. The school revokes the diploma, and the employer asks again')
  const issued = at(await cast.school.call('GET', '/creds/credentials?sort=createdAt&page[size]=1', 200), 'data', 0)
  const json = { ids: [text(issued, 'credentials', 0, 'id')] }
  const revoked = await cast.school.call('POST', '/creds/credentials/revoke', 200, { json })
  expect(at(revoked, 'data', 'results', 0, 'status') === 'revoked', 'the diploma is revoked', revoked)
  const asked = await request(cast, askedTemplate)
  await share(cast, asked)
  const result = await resultOf(cast, asked)
  const issues = at(result, 'credentials', 0, 'issues')
  for (const issue of Array.isArray(issues) ? issues : []) say(`${text(issue, 'code')}: ${text(issue, 'message')}`)
  expect(at(result, 'status') === 'failed', 'what was verified before is refused now', result)
}
