import { type AttributeRow, emptyRow } from './content/attribute-rows.ts'
import { blank, type Draft } from './draft.ts'
import type { TemplateTexts } from './texts.ts'

const MDL = 'org.iso.18013.5.1'

function row(key: string, name: string, type = 'string', isRequired = true): AttributeRow {
  return { ...emptyRow, key, name, type, isRequired }
}

function plainWith(texts: Readonly<Record<string, string>>): Draft['plain'] {
  return { ...blank.plain, ...Object.fromEntries(Object.entries(texts).map(([name, one]) => [name, [one]])) }
}

function years(count: string): Draft['until'] {
  return { ...blank.until, kind: 'span', count, unit: 'years' }
}

function onCard(one: AttributeRow): AttributeRow {
  return { ...one, isOnCard: true }
}

/** By these a card is found in lists, and told from others. */
function naming(one: AttributeRow): AttributeRow {
  return { ...one, isInLabel: true }
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
  staff: (t) => ({
    ...blank,
    plain: plainWith({ name: t.starts.staff, back: '#14532d' }),
    until: years('2'),
    rows: [
      naming(onCard(row('family_name', t.parts.family_name))),
      naming(onCard(row('given_name', t.parts.given_name))),
      naming(row('staff_number', t.parts.staff_number)),
      row('department', t.parts.department, 'string', false),
    ],
  }),
  licence: (t) => ({
    ...blank,
    plain: plainWith({ name: t.parts.licence, back: '#5b1a3a', docType: `${MDL}.mDL` }),
    until: years('5'),
    format: 'mdoc',
    rows: [{ ...emptyRow, key: MDL, type: 'namespace' }, ...licence(t).map((one) => ({ ...one, depth: 1 }))],
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
