import { generateKeyPairSync } from 'node:crypto'
import type { JsonObject } from '../../src/crypto/json.ts'
import { softwareKey } from '../../src/crypto/signing-key.ts'
import { type NameSpaceRules, toElements } from '../../src/protocols/mdoc/element-type.ts'
import { issueMdoc, type MdocDraft, type MdocSigner } from '../../src/protocols/mdoc/issue-mdoc.ts'
import { drivingPrivileges, mdl } from '../../src/protocols/mdoc/mdl.ts'
import { planValidity } from '../../src/protocols/mdoc/plan-validity.ts'

/** A fixed moment, so that no test depends on the clock. */
export const noon = new Date('2026-11-20T12:00:00Z')
/** Key of a document signer, made anew for every run. */
export const signerKey = softwareKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
/** Key of a holder, made anew for every run. */
export const deviceKey = softwareKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)

/** What the certificate of {@link signerKey} says. */
export const certificate = {
  der: Buffer.from('leaf'),
  key: signerKey.publicJwk,
  notBefore: new Date('2026-11-01T08:30:00Z'),
  notAfter: new Date('2027-11-30T08:30:00Z'),
  countryName: 'NL',
  stateOrProvinceName: 'NL-UT',
}
/** Who signs in most tests. What is in the chain does not matter below the path validation. */
export const signer: MdocSigner = { key: signerKey, x5chain: [certificate.der], certificate }

/** The types of {@link licence}. */
export const licenceRules: NameSpaceRules = {
  [mdl.nameSpace]: {
    family_name: { type: 'string' },
    given_name: { type: 'string' },
    birth_date: { type: 'full-date' },
    issue_date: { type: 'full-date' },
    expiry_date: { type: 'tdate' },
    issuing_country: { type: 'string' },
    issuing_authority: { type: 'string' },
    document_number: { type: 'string' },
    portrait: { type: 'bytes' },
    driving_privileges: drivingPrivileges,
    un_distinguishing_sign: { type: 'string' },
    age_over_18: { type: 'boolean' },
    height: { type: 'number' },
  },
  'nl.example.extra': { points: { type: 'number' }, note: { type: 'map' } },
}

/** The elements of {@link licence} in words of the API, for a template. */
export const licenceElements = {
  family_name: { type: 'string' },
  given_name: { type: 'string' },
  birth_date: { type: 'date' },
  issue_date: { type: 'date' },
  expiry_date: { type: 'tdate' },
  issuing_country: { type: 'string' },
  issuing_authority: { type: 'string' },
  document_number: { type: 'string' },
  portrait: { type: 'bytes' },
  driving_privileges: { type: 'array' },
  un_distinguishing_sign: { type: 'string' },
  age_over_18: { type: 'boolean' },
  height: { type: 'number' },
} as const

/** A complete mDL in JSON, as the API takes it. */
export const licence: { readonly [nameSpace: string]: JsonObject } = {
  [mdl.nameSpace]: {
    family_name: 'Jansen',
    given_name: 'Zoë',
    birth_date: '1990-02-28',
    issue_date: '2026-11-20',
    expiry_date: '2031-11-20T00:00:00Z',
    issuing_country: 'NL',
    issuing_authority: 'RDW',
    document_number: '1234567890',
    portrait: Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(1000, 7)]).toString('base64url'),
    driving_privileges: [{ vehicle_category_code: 'B', issue_date: '2010-01-01', codes: [{ code: '01' }] }],
    un_distinguishing_sign: 'NL',
    age_over_18: true,
    height: 178,
  },
  'nl.example.extra': { points: 4.5, note: { text: 'wears glasses', since: '2020-01-01', list: [1, null, false] } },
}

/** A draft that everybody accepts, before it is spoilt. */
export function aDraft(more: Partial<MdocDraft> = {}): MdocDraft {
  return {
    docType: mdl.docType,
    elements: toElements(licenceRules, licence).elements,
    deviceKey: deviceKey.publicJwk,
    validityInfo: planValidity({ now: noon }, certificate),
    status: { status_list: { idx: 7, uri: 'https://issuer.example/status/1' } },
    ...more,
  }
}

/** An issued mdoc. */
export function anMdoc(more: Partial<MdocDraft> = {}, by: MdocSigner = signer): Promise<Buffer> {
  return issueMdoc(aDraft(more), by)
}
