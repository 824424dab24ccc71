import { foldedName, namedBy } from '../../tables/table.ts'
import { recipientKeys } from '../recipients/recipient-choice.ts'
import { referenceNames, replacesNames, validFromNames, validUntilNames } from '../templates/content/column-names.ts'
import { leavesOf, type Template } from '../templates/content/template.ts'

/**
 * What a column may become: an attribute of the template, the reference, the validity of the card, the card that it
 * replaces, or who receives the card.
 */
export type Target = {
  /** Name of the column in the API's table. */
  readonly value: string
  readonly label: string
  readonly type: string
  readonly isRequired: boolean
  /** Names under which a column is recognized, folded. */
  readonly names: readonly string[]
  /** It is who receives the card, which is chosen in a step of its own and is never guessed. */
  readonly isRecipient?: boolean
}

/** Where the offer of a row is sent by mail, and in which language the mail is. */
export const [MAIL, MAIL_LANGUAGE] = ['mail.address', 'mail.language'] as const

/** The reference of the card that the new one replaces. */
export const REPLACES = 'replaces.reference'

/** Labels of what is no attribute. */
type OwnLabels = Readonly<
  Record<
    | 'reference'
    | 'email'
    | 'username'
    | 'externalIdentifier'
    | 'mail'
    | 'mailLanguage'
    | 'validFrom'
    | 'validUntil'
    | 'replaces',
    string
  >
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
  const recipient = (value: string, label: string): Target => ({ ...own(value, label), isRecipient: true })
  return [
    ...leaves,
    own('reference', labels.reference, ...referenceNames),
    { ...own('validFrom', labels.validFrom, ...validFromNames), type: 'date' },
    { ...own('validUntil', labels.validUntil, ...validUntilNames), type: 'date' },
    own(REPLACES, labels.replaces, ...replacesNames),
    ...(sendsMail ? [recipient(MAIL, labels.mail), own(MAIL_LANGUAGE, labels.mailLanguage)] : []),
    ...recipientKeys.map((key) => recipient(`recipient.${key}`, labels[key])),
  ]
}

/** Returns what a person chooses from for a column: not who receives the card. */
export function columnTargets(targets: readonly Target[]): readonly Target[] {
  return targets.filter(({ isRecipient }) => isRecipient !== true)
}

/**
 * Returns what the columns of a table become when a card was made of it: the attributes that were made of them, or what
 * their names say.
 *
 * @param made Names of attributes by column
 */
export function mappingOfMade(
  header: readonly string[],
  made: ReadonlyMap<number, string>,
  targets: readonly Target[],
): readonly string[] {
  const others = targets.filter(({ value }) => !value.startsWith('attributes.'))
  const guessed = guessMapping(
    header.map((name, column) => (made.has(column) ? '' : name)),
    others,
  )
  return header.map((_, column) => made.get(column) ?? guessed[column] ?? '')
}

/**
 * Returns what the columns of a table become by their names; `''` where no target has the name. Each target is used
 * once.
 */
export function guessMapping(header: readonly string[], targets: readonly Target[]): readonly string[] {
  const free = new Set(columnTargets(targets))
  return header.map((name) => {
    const [found] = namedBy(name, [...free])
    if (found !== undefined) free.delete(found)
    return found?.value ?? ''
  })
}
