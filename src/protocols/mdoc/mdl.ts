import type { ElementRule, ElementType } from './element-type.ts'

/** Names of the mobile driving licence. */
export const mdl = { docType: 'org.iso.18013.5.1.mDL', nameSpace: 'org.iso.18013.5.1' } as const

const privilege: ElementRule = {
  type: 'map',
  properties: {
    vehicle_category_code: { type: 'string' },
    issue_date: { type: 'full-date' },
    expiry_date: { type: 'full-date' },
    codes: {
      type: 'array',
      items: {
        type: 'map',
        properties: { code: { type: 'string' }, sign: { type: 'string' }, value: { type: 'string' } },
      },
    },
  },
}

/** The type of `driving_privileges`, for templates that declare only an array. */
export const drivingPrivileges: ElementRule = { type: 'array', items: privilege }

/** [MD-8] The mandatory elements of an mDL. */
export const mdlMandatory = [
  'family_name',
  'given_name',
  'birth_date',
  'issue_date',
  'expiry_date',
  'issuing_country',
  'issuing_authority',
  'document_number',
  'portrait',
  'driving_privileges',
  'un_distinguishing_sign',
] as const

const types: ReadonlyMap<string, readonly ElementType[]> = new Map<string, readonly ElementType[]>([
  ...['family_name', 'given_name', 'issuing_country', 'issuing_authority', 'document_number', 'un_distinguishing_sign']
    .concat(['administrative_number', 'eye_colour', 'hair_colour', 'birth_place', 'resident_address', 'nationality'])
    .concat(['issuing_jurisdiction', 'resident_city', 'resident_state', 'resident_postal_code', 'resident_country'])
    .concat(['family_name_national_character', 'given_name_national_character'])
    .map((name) => [name, ['string']] as const),
  ['birth_date', ['full-date']],
  ['issue_date', ['tdate', 'full-date']],
  ['expiry_date', ['tdate', 'full-date']],
  ['portrait', ['bytes']],
  ['portrait_capture_date', ['tdate']],
  ['signature_usual_mark', ['bytes']],
  ['driving_privileges', ['array']],
  ...['sex', 'height', 'weight', 'age_in_years', 'age_birth_year'].map((name) => [name, ['number']] as const),
])

/** Which types an element of the mDL namespace may have; null if the standard has no such element. */
export function mdlTypesOf(element: string): readonly ElementType[] | null {
  if (/^age_over_\d\d$/.test(element)) return ['boolean']
  if (/^biometric_template_[a-z_]+$/.test(element)) return ['bytes']
  return types.get(element) ?? null
}
