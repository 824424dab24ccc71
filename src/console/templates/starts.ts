import { type AttributeRow, emptyRow } from './content/attribute-rows.ts'
import { blank, type Draft } from './draft.ts'
import type { TemplateTexts } from './texts.ts'

const MDL = 'org.iso.18013.5.1'
/** Document type and namespace of proofs of age of the European Union. */
const AGE = 'eu.europa.ec.av.1'

function row(key: string, name: string, type = 'string', isRequired = true): AttributeRow {
  return { ...emptyRow, key, name, type, isRequired }
}

function plainWith(texts: Readonly<Record<string, string>>): Draft['plain'] {
  return { ...blank.plain, ...Object.fromEntries(Object.entries(texts).map(([name, one]) => [name, [one]])) }
}

function after(count: string, unit: Draft['until']['unit']): Draft['until'] {
  return { ...blank.until, kind: 'span', count, unit }
}

function onCard(one: AttributeRow): AttributeRow {
  return { ...one, isOnCard: true }
}

/** By these a card is found in lists, and told from others. */
function naming(one: AttributeRow): AttributeRow {
  return { ...one, isInLabel: true }
}

/** Verifiers always see it. */
function shown(one: AttributeRow): AttributeRow {
  return { ...one, isAlways: true }
}

/** What a new template may start from. Names of attributes are in the language of the person. */
export const starts: Readonly<Record<keyof TemplateTexts['starts'], (t: TemplateTexts) => Draft>> = {
  blank: () => blank,
  diploma: (t) => ({
    ...blank,
    plain: plainWith({ name: t.starts.diploma }),
    rows: [
      naming(row('family_name', t.parts.family_name)),
      naming(row('given_name', t.parts.given_name)),
      onCard(row('degree', t.parts.degree)),
      onCard(row('awarded_on', t.parts.awarded_on, 'date', false)),
    ],
  }),
  membership: (t) => ({
    ...blank,
    plain: plainWith({ name: t.parts.membership, back: '#3b2f6b' }),
    until: after('1', 'years'),
    rows: [
      naming(onCard(row('family_name', t.parts.family_name))),
      naming(onCard(row('given_name', t.parts.given_name))),
      naming(row('member_number', t.parts.member_number)),
      row('member_since', t.parts.member_since, 'date', false),
    ],
  }),
  staff: (t) => ({
    ...blank,
    plain: plainWith({ name: t.starts.staff, back: '#14532d' }),
    until: after('2', 'years'),
    rows: [
      naming(onCard(row('family_name', t.parts.family_name))),
      naming(onCard(row('given_name', t.parts.given_name))),
      naming(row('staff_number', t.parts.staff_number)),
      row('department', t.parts.department, 'string', false),
    ],
  }),
  ticket: (t) => ({
    ...blank,
    plain: plainWith({ name: t.parts.ticket, back: '#7a2e0e' }),
    rows: [
      shown(onCard(row('event', t.parts.event))),
      shown(onCard(row('event_date', t.parts.event_date, 'date'))),
      row('venue', t.parts.venue, 'string', false),
      onCard(row('seat', t.parts.seat, 'string', false)),
      naming(shown(row('ticket_number', t.parts.ticket_number))),
      naming(row('family_name', t.parts.family_name, 'string', false)),
      naming(row('given_name', t.parts.given_name, 'string', false)),
    ],
  }),
  licence: (t) => ({
    ...blank,
    plain: plainWith({ name: t.parts.licence, back: '#5b1a3a', docType: `${MDL}.mDL` }),
    until: after('5', 'years'),
    format: 'mdoc',
    rows: [{ ...emptyRow, key: MDL, type: 'namespace' }, ...licence(t).map((one) => ({ ...one, depth: 1 }))],
  }),
  // Each copy is shown once and for a short time, so that nobody is recognized by it, and nothing has to be revoked.
  age: (t) => ({
    ...blank,
    plain: { ...plainWith({ name: t.parts.age, back: '#0f3d5c', docType: AGE, copies: '30' }), revocable: [] },
    until: after('3', 'months'),
    format: 'mdoc',
    rows: [
      { ...emptyRow, key: AGE, type: 'namespace' },
      { ...naming(onCard(row('age_over_18', t.parts.age_over_18, 'boolean'))), depth: 1 },
    ],
  }),
}

/** The elements that ISO/IEC 18013-5 requires. */
function licence({ parts: t }: TemplateTexts): readonly AttributeRow[] {
  return [
    naming(onCard(row('family_name', t.family_name))),
    naming(onCard(row('given_name', t.given_name))),
    row('birth_date', t.birth_date, 'date'),
    row('issue_date', t.issue_date, 'date'),
    row('expiry_date', t.expiry_date, 'date'),
    row('issuing_country', t.issuing_country),
    row('issuing_authority', t.issuing_authority),
    naming(row('document_number', t.document_number)),
    row('portrait', t.portrait, 'bytes'),
    { ...row('driving_privileges', t.driving_privileges, 'array'), of: 'any' },
    row('un_distinguishing_sign', t.un_distinguishing_sign),
  ]
}
