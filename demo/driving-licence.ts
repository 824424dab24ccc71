import { at, type Json, text } from './json.ts'
import { chapter, expect, type Party, say, show } from './telling.ts'

/** The parties of the second part. */
type LicenceParties = {
  readonly office: Party
  readonly school: Party
  readonly thandi: Party
  readonly rental: Party
}

const docType = 'org.iso.18013.5.1.mDL'
const nameSpace = 'org.iso.18013.5.1'

const elements: Json = {
  family_name: { type: 'string', required: true },
  given_name: { type: 'string', required: true },
  birth_date: { type: 'date', required: true },
  issue_date: { type: 'date', required: true },
  expiry_date: { type: 'date', required: true },
  issuing_country: { type: 'string', required: true },
  issuing_authority: { type: 'string', required: true },
  document_number: { type: 'string', required: true },
  portrait: { type: 'bytes', required: true },
  driving_privileges: { type: 'array', required: true },
  un_distinguishing_sign: { type: 'string', required: true },
  age_over_18: { type: 'boolean' },
}

/** A grey picture of one pixel, as JPEG. */
const portrait =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA='

const thandisLicence: Json = {
  family_name: 'Molefe',
  given_name: 'Thandi',
  birth_date: '2003-04-27',
  issue_date: '2024-02-01',
  expiry_date: '2034-01-31',
  issuing_country: 'ZA',
  issuing_authority: 'Department of Transport',
  document_number: '40270001ABC',
  portrait: Buffer.from(portrait, 'base64').toString('base64url'),
  driving_privileges: [{ vehicle_category_code: 'B', issue_date: '2024-02-01', expiry_date: '2034-01-31' }],
  un_distinguishing_sign: 'ZA',
  age_over_18: true,
}

/** Runs the second part: an issuer root certificate, and an ISO mdoc. @throws Error if a step fails */
export async function runLicencePart(parties: LicenceParties): Promise<void> {
  const root = await makeRoot(parties)
  await trust(parties, root)
  const offerUri = await offerLicence(parties)
  await keepLicence(parties, offerUri)
  await rent(parties)
}

async function makeRoot({ office }: LicenceParties): Promise<Json> {
  chapter('Part 2. The Department of Transport creates a root certificate to issue mdocs')
  const json = {
    type: 'issuerRoot',
    keyType: 'P-256',
    commonName: 'Transport IACA',
    countryName: 'ZA',
    issuerAlternativeNameUrl: 'https://transport.example',
  }
  const root = at(await office.call('POST', '/creds/certificates', 201, { json }), 'data')
  const certificates = at(await office.call('GET', '/creds/certificates', 200), 'data')
  for (const one of Array.isArray(certificates) ? certificates : []) {
    say(
      `Certificate ${text(one, 'type')} (${text(one, 'keyType')}), ${text(one, 'status')}, expires on ${text(one, 'expiresAt').slice(0, 10)}`,
    )
  }
  return root
}

async function trust({ school, rental }: LicenceParties, root: Json): Promise<void> {
  chapter("Globex, now as a car rental, and Acme, whose tenant hosts Thandi's wallet, trust that root")
  const json = { name: 'Department of Transport', certificates: [text(root, 'certificate')] }
  await rental.call('POST', '/creds/trusted-entities', 201, { json })
  await school.call('POST', '/creds/trusted-entities', 201, { json })
}

async function offerLicence({ office }: LicenceParties): Promise<string> {
  chapter('The department offers Thandi a driving licence as ISO/IEC 18013-5 mdoc')
  const body = {
    name: 'Driving licence',
    code: 'mdl',
    format: 'mdoc',
    docType,
    attributes: { [nameSpace]: elements },
  }
  const template = at(await office.call('POST', '/creds/templates/credentials', 201, { json: body }), 'data')
  const json = { credentialTemplateId: text(template, 'id'), attributes: { [nameSpace]: thandisLicence } }
  const issuance = at(await office.call('POST', '/creds/credentials/issuance', 200, { json }), 'data')
  return text(issuance, 'offerUri')
}

async function keepLicence({ thandi }: LicenceParties, offerUri: string): Promise<void> {
  chapter('Thandi receives and accepts the licence')
  const json = { credentialOffer: offerUri }
  const received = at(await thandi.call('POST', '/wallet/v2/credentials', 201, { json }), 'data', 0)
  say(`Received in format ${text(received, 'format')}, signed by ${text(received, 'iss')}`)
  await thandi.call('PATCH', `/wallet/v2/credentials/${text(received, 'id')}`, 200, { json: { status: 'accepted' } })
}

async function rent({ thandi, rental }: LicenceParties): Promise<void> {
  chapter('The car rental requests proof of age and driving privileges; Thandi shares them')
  const requested = { age_over_18: {}, driving_privileges: {} }
  const credential = { type: docType, format: 'mdoc', attributes: { [nameSpace]: { properties: requested } } }
  const json = { name: 'Driver', description: 'May drive a car', credentials: [credential] }
  const template = at(await rental.call('POST', '/creds/templates/presentations', 201, { json }), 'data')
  const request = at(
    await rental.call('POST', '/creds/presentations/request', 200, {
      json: { presentationTemplateId: text(template, 'id') },
    }),
    'data',
  )
  const open = { presentationRequest: text(request, 'authorizationRequestUri') }
  const prepared = at(await thandi.call('POST', '/wallet/v2/presentations', 201, { json: open }), 'data')
  const answer = { json: { status: 'answered' } }
  await thandi.call('PATCH', `/wallet/v2/presentations/${text(prepared, 'id')}`, 200, answer)
  const result = at(await rental.call('GET', `/creds/presentations/${text(request, 'id')}`, 200), 'data')
  const entry = at(result, 'credentials', 0)
  show(at(entry, 'attributes', nameSpace))
  expect(
    at(result, 'status') === 'verified' && at(entry, 'isValid') === true,
    'digests, device signature and certificate path are valid',
    result,
  )
  expect(at(entry, 'attributes', nameSpace, 'birth_date') === null, 'name and birth date were not disclosed', result)
}
