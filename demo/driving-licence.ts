import { at, type Json, text } from './json.ts'
import { chapter, expect, type Party, say, show } from './telling.ts'

/** Who plays in the second act. */
export type LicenceCast = {
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

/** The second act: an authority with certificates of its own, and an ISO mdoc. @throws Error where it is not as told. */
export async function tellOfLicence(cast: LicenceCast): Promise<void> {
  const root = await makeRoot(cast)
  await trust(cast, root)
  const offerUri = await offerLicence(cast)
  await keepLicence(cast, offerUri)
  await rent(cast)
}

async function makeRoot({ office }: LicenceCast): Promise<Json> {
  chapter('Second act. The Department of Transport makes itself an authority')
  const json = {
    ...{ type: 'issuerRoot', keyType: 'P-256', commonName: 'Transport IACA' },
    ...{ countryName: 'ZA', issuerAlternativeNameUrl: 'https://transport.example' },
  }
  const root = at(await office.call('POST', '/creds/certificates', 201, { json }), 'data')
  const listed = at(await office.call('GET', '/creds/certificates', 200), 'data')
  for (const one of Array.isArray(listed) ? listed : []) {
    say(
      `${text(one, 'type')}, ${text(one, 'keyType')}, ${text(one, 'status')} until ${text(one, 'expiresAt').slice(0, 10)}`,
    )
  }
  return root
}

async function trust({ school, rental }: LicenceCast, root: Json): Promise<void> {
  chapter("The car rental, and the organisation that keeps Thandi's wallet, trust that root")
  const json = { name: 'Department of Transport', certificates: [text(root, 'certificate')] }
  await rental.call('POST', '/creds/trusted-entities', 201, { json })
  await school.call('POST', '/creds/trusted-entities', 201, { json })
}

async function offerLicence({ office }: LicenceCast): Promise<string> {
  chapter("The department offers Thandi's driving licence, an mdoc of ISO/IEC 18013-5")
  const describe = {
    name: 'Driving licence',
    code: 'mdl',
    format: 'mdoc',
    docType,
    attributes: { [nameSpace]: elements },
  }
  const template = at(await office.call('POST', '/creds/templates/credentials', 201, { json: describe }), 'data')
  const json = { credentialTemplateId: text(template, 'id'), attributes: { [nameSpace]: thandisLicence } }
  const issuance = at(await office.call('POST', '/creds/credentials/issuance', 200, { json }), 'data')
  return text(issuance, 'offerUri')
}

async function keepLicence({ thandi }: LicenceCast, offerUri: string): Promise<void> {
  chapter('Thandi receives it and accepts it')
  const json = { credentialOffer: offerUri }
  const received = at(await thandi.call('POST', '/wallet/v2/credentials', 201, { json }), 'data', 0)
  say(`Format ${text(received, 'format')}, signed by ${text(received, 'iss')}`)
  await thandi.call('PATCH', `/wallet/v2/credentials/${text(received, 'id')}`, 200, { json: { status: 'accepted' } })
}

async function rent({ thandi, rental }: LicenceCast): Promise<void> {
  chapter('A car rental asks whether she is of age and may drive, and nothing else')
  const wanted = { age_over_18: {}, driving_privileges: {} }
  const asked = { type: docType, format: 'mdoc', attributes: { [nameSpace]: { properties: wanted } } }
  const json = { name: 'Driver', description: 'May drive a car', credentials: [asked] }
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
    'digests, device key and the path to the root hold',
    result,
  )
  expect(at(entry, 'attributes', nameSpace, 'birth_date') === null, 'her name and birth date stayed with her', result)
}
