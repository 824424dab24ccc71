import { foldedName, namedBy } from '../../tables/table.ts'
import {
  mailNames,
  referenceNames,
  replacesNames,
  usernameNames,
  validFromNames,
  validUntilNames,
} from '../templates/content/column-names.ts'
import { leavesOf, type Template } from '../templates/content/template.ts'

/**
 * What a column may become: an attribute of the template, the reference, the validity of the card, the card that it
 * replaces, or the person who receives it.
 */
export type Target = {
  /** Name of the column in the API's table. */
  readonly value: string
  readonly label: string
  readonly type: string
  readonly isRequired: boolean
  /** Names under which a column is recognized, folded. */
  readonly names: readonly string[]
  /** Names of columns that are probably meant, folded: the person is asked, because it decides how the cards travel. */
  readonly probable?: readonly string[]
}

/** In place of a target: the person has to choose. */
export const OPEN = '?'

/** Where the offer of a row is sent by mail, and in which language the mail is. */
export const [MAIL, MAIL_LANGUAGE] = ['mail.address', 'mail.language'] as const

/** The reference of the card that the new one replaces. */
export const REPLACES = 'replaces.reference'

/** Labels of what is no attribute. */
type OwnLabels = Readonly<
  Record<'reference' | 'email' | 'username' | 'mail' | 'mailLanguage' | 'validFrom' | 'validUntil' | 'replaces', string>
>

/** Returns what the columns for a template may become. @param sendsMail Then addresses may get offers by mail. */
export function targetsOf(template: Template, labels: OwnLabels, sendsMail: boolean): readonly Target[] {
  const leaves = leavesOf(template).map(({ path, label, shape: { type = 'string' }, isRequired }): Target => {
    const names = [path.join('.'), path.at(-1) ?? '', label].map(foldedName)
    return { value: `attributes.${path.join('.')}`, label, type, isRequired, names }
  })
  const own = (value: string, label: string, ...names: string[]): Target => {
    return { value, label, type: 'string', isRequired: false, names: [value, label, ...names].map(foldedName) }
  }
  const travel = (value: string, label: string, ...probable: string[]): Target => {
    return { ...own(value, label), probable: probable.map(foldedName) }
  }
  return [
    ...leaves,
    own('reference', labels.reference, ...referenceNames),
    { ...own('validFrom', labels.validFrom, ...validFromNames), type: 'date' },
    { ...own('validUntil', labels.validUntil, ...validUntilNames), type: 'date' },
    own(REPLACES, labels.replaces, ...replacesNames),
    ...(sendsMail ? [travel(MAIL, labels.mail, ...mailNames), own(MAIL_LANGUAGE, labels.mailLanguage)] : []),
    travel('recipient.email', labels.email, ...mailNames),
    travel('recipient.username', labels.username, ...usernameNames),
  ]
}

/**
 * Returns what the columns of a table become by their names; `''` where no target has the name, {@link OPEN} where it
 * would decide how the cards travel. Each target is used once.
 */
export function guessMapping(header: readonly string[], targets: readonly Target[]): readonly string[] {
  const free = new Set(targets)
  return header.map((name) => {
    const [found] = namedBy(name, [...free])
    if (found !== undefined) free.delete(found)
    if (found !== undefined) return found.value
    return targets.some(({ probable }) => probable?.includes(foldedName(name))) ? OPEN : ''
  })
}
