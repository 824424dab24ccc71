import { isBase64url, toBase64url } from '../../crypto/base64url.ts'
import { readOwnJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { isUuid } from '../../uuid.ts'
import { byId, type RowPosition, type SortOrder } from '../search/sort-order.ts'

/** Of the longest text that a list is sorted by, encoded. */
const CHARS_MAX = 6000

/** A place in one of the orders of a list. */
type Cursor = { readonly order: SortOrder; readonly after: RowPosition }

/** Returns the cursor of a position: the id in the order of the ids, else the order, the value and the id. */
export function cursorOf(order: SortOrder, { value, id }: RowPosition): string {
  return isPlain(order) ? id : toBase64url(JSON.stringify([nameOf(order), value, id]))
}

/**
 * Reads a cursor. A cursor holds no more than a client could ask for by a filter, so it is not signed.
 *
 * @param orders The orders that the list may have.
 * @throws Fault `scim.invalid_cursor`
 */
export function readCursor(text: string, orders: readonly SortOrder[]): Cursor {
  if (isUuid(text) && orders.some(isPlain)) return { order: byId, after: { value: null, id: text } }
  if (text.length > CHARS_MAX || !isBase64url(text)) throw new Fault('scim.invalid_cursor')
  const [name, value, id, ...rest] = partsOf(text)
  const order = orders.find((one) => !isPlain(one) && nameOf(one) === name)
  const isText = typeof value === 'string' && !value.includes('\0')
  const isRight = order?.kind === 'time' ? isText && /^\d{1,17}$/.test(value) : isText || value === null
  if (order === undefined || !isRight || typeof id !== 'string' || !isUuid(id) || rest.length > 0) {
    throw new Fault('scim.invalid_cursor')
  }
  return { order, after: { value: isText ? value : null, id } }
}

function partsOf(text: string): readonly unknown[] {
  try {
    const parts = readOwnJson(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

function isPlain({ kind, descending }: SortOrder): boolean {
  return kind === 'id' && !descending
}

function nameOf({ name, descending }: SortOrder): string {
  return descending ? `-${name}` : name
}
