import { type Json, readOwnJson } from '../../crypto/json.ts'
import type { ClaimsPreview } from './choice.ts'

/** One line of what leaves: a claim, or an array with all of its elements that leave. */
type Row = { path: string; value: Json; isRequested: boolean }

type Step = string | number
/** Values by their step; the order is that of the card. */
type Tree = Map<Step, Tree | { readonly leaf: Json }>

/**
 * Returns the lines of what would leave: the values of an array, which the API lists one by one, stand together as they
 * do in the card.
 */
export function disclosedRows(disclosed: ClaimsPreview['disclosed']): Row[] {
  const rows: Row[] = []
  const arrays = new Map<string, { readonly row: Row; readonly tree: Tree }>()
  for (const { path, position, value, isRequested } of disclosed) {
    // Written by our own API.
    const steps = position === undefined ? [] : (readOwnJson(position) as Step[])
    const top = steps.findIndex((step) => typeof step === 'number')
    if (top < 0) {
      rows.push({ path, value, isRequested })
      continue
    }
    const above = JSON.stringify(steps.slice(0, top))
    const known = arrays.get(`${isRequested} ${above}`)
    const array = known ?? { row: { path: above, value: null, isRequested }, tree: new Map() }
    if (known === undefined) {
      rows.push(array.row)
      arrays.set(`${isRequested} ${above}`, array)
    }
    insert(array.tree, steps.slice(top), value)
  }
  for (const { row, tree } of arrays.values()) row.value = jsonOf(tree)
  return rows
}

function insert(tree: Tree, steps: readonly Step[], value: Json): void {
  let at = tree
  for (const step of steps.slice(0, -1)) {
    const inside = at.get(step)
    const next: Tree = inside instanceof Map ? inside : new Map()
    at.set(step, next)
    at = next
  }
  const last = steps.at(-1)
  if (last !== undefined) at.set(last, { leaf: value })
}

/** Elements that stay leave no gap. */
function jsonOf(tree: Tree): Json {
  const values = [...tree].map(([step, one]) => [step, one instanceof Map ? jsonOf(one) : one.leaf] as const)
  return values.every(([step]) => typeof step === 'number')
    ? values.toSorted(([one], [other]) => Number(one) - Number(other)).map(([, value]) => value)
    : Object.fromEntries(values)
}
