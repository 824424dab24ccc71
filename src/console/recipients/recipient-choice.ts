import { isMailAddress } from '../../mail-address.ts'
import { columnRole } from '../templates/content/column-names.ts'

/** How the cards of a table reach people. `links` and `letters`: the organisation hands out the offers itself. */
export const ways = ['wallets', 'mail', 'links', 'letters'] as const
/** One of {@link ways}. */
export type Way = (typeof ways)[number]

/** By what a recipient is looked up among the users; as `identifierType` of the API. */
export const recipientKeys = ['email', 'username', 'externalIdentifier'] as const
type RecipientKey = (typeof recipientKeys)[number]

/** Who gets the cards of a table, as a person has chosen it. `column`: place of the column, from 0. */
export type RecipientChoice =
  | {
      readonly way: 'wallets'
      readonly column: number
      readonly by: RecipientKey
      /** Whether those without an account are invited before the rows are issued. */
      readonly invites: boolean
    }
  | { readonly way: 'mail'; readonly column: number }
  | { readonly way: 'links' | 'letters' }

/** Numbers of open rows by whether they reach somebody. */
export type Reach = {
  /** Which reach somebody, as far as their recipient or address says. */
  readonly found: number
  /** Whose cell is empty and nothing is wrong: they are issued, and their links are handed out. */
  readonly blank: number
  /** Whose recipient or address is refused, or has no account. */
  readonly refused: number
  /** Whose people have no account; they can be invited. */
  readonly accountless: number
}

type CheckedRow = {
  readonly cells: readonly string[]
  readonly problems: readonly { readonly target: string }[]
  readonly isIssued: boolean
  readonly hasNoAccount?: boolean
}

/** Returns the column with the recipients or addresses; null: there is none. */
export function recipientColumn(choice: RecipientChoice | undefined): number | null {
  return choice !== undefined && 'column' in choice ? choice.column : null
}

/** Returns what that column becomes in the table of the API; null: there is none. */
export function recipientTarget(choice: RecipientChoice | undefined): string | null {
  if (choice?.way === 'wallets') return `recipient.${choice.by}`
  return choice?.way === 'mail' ? 'mail.address' : null
}

/** Whether people without an account are invited: the mail with the link needs their address. */
export function canInvite(choice: RecipientChoice | undefined): boolean {
  return choice?.way === 'wallets' && choice.by === 'email'
}

/** Counts checked rows by whether they reach somebody. */
export function reachOf(choice: RecipientChoice | undefined, rows: readonly CheckedRow[]): Reach {
  const open = rows.filter(({ isIssued }) => !isIssued)
  const [column, target] = [recipientColumn(choice), recipientTarget(choice)]
  const isBlank = ({ cells }: CheckedRow) => column === null || (cells[column] ?? '') === ''
  const isRefused = ({ hasNoAccount, problems }: CheckedRow) =>
    hasNoAccount === true || problems.some((one) => one.target === target)
  return {
    found: open.filter((row) => !isBlank(row) && !isRefused(row)).length,
    blank: open.filter((row) => isBlank(row) && row.problems.length === 0).length,
    refused: open.filter(isRefused).length,
    accountless: open.filter(({ hasNoAccount }) => hasNoAccount === true).length,
  }
}

/** A column by which people may be found, and in how many rows it has a value, or an e-mail address. */
export type PeopleColumn = {
  readonly column: number
  /** What its cells may be, the likeliest first. */
  readonly keys: readonly RecipientKey[]
  readonly filled: number
  readonly addresses: number
}

const ADDRESS_CHARS_MAX = 320

/**
 * Returns the columns by which people may be found, the likeliest first: those with addresses, then those whose heading
 * says a username or a number, then those whose cells all differ.
 */
export async function peopleColumns(
  header: readonly string[],
  rows: readonly Pick<CheckedRow, 'cells'>[],
): Promise<readonly PeopleColumn[]> {
  const found: (PeopleColumn & { readonly rank: number })[] = []
  for (const [column, name] of header.entries()) {
    // Other requests get their turn.
    await new Promise(setImmediate)
    const cells = rows.flatMap(({ cells: all }) => all[column] || [])
    const addresses = cells.filter((cell) => cell.length <= ADDRESS_CHARS_MAX && isMailAddress(cell)).length
    const keys = cells.length === 0 ? [] : keysOf(name, cells, addresses)
    if (keys.length > 0) found.push({ column, keys, filled: cells.length, addresses, rank: rankOf(name, keys) })
  }
  return found.toSorted((one, other) => one.rank - other.rank).map(({ rank: _, ...column }) => column)
}

function keysOf(name: string, cells: readonly string[], addresses: number): readonly RecipientKey[] {
  const role = columnRole(name)
  if (addresses * 2 > cells.length || role === 'mail') return ['email']
  if (role === 'username') return ['username', 'externalIdentifier']
  const isDistinct = role === 'other' && new Set(cells).size === cells.length && cells.length > 1
  return role === 'reference' || isDistinct ? ['externalIdentifier', 'username'] : []
}

function rankOf(name: string, [key]: readonly RecipientKey[]): number {
  if (key === 'email') return 0
  if (key === 'username') return 1
  return columnRole(name) === 'reference' ? 2 : 3
}
