import type { JsonObject } from '../../crypto/json.ts'

/** Adds those elements that are not there. */
export function added(elements: readonly JsonObject[], given: readonly JsonObject[]): readonly JsonObject[] {
  const isThere = isAmong(elements, isSame)
  const fresh = given.filter((one) => !isThere(one))
  return onePrimary(
    [...elements, ...fresh],
    fresh.map((_, at) => elements.length + at),
  )
}

/** RFC 7644 3.5.2: an element that becomes primary ends that of the others. */
export function onePrimary(elements: readonly JsonObject[], changed: readonly number[]): readonly JsonObject[] {
  const primary = changed.filter((index) => elements[index]?.primary === true).at(-1)
  if (primary === undefined) return elements
  return elements.map((one, index) => (index !== primary && one.primary === true ? { ...one, primary: false } : one))
}

/** Leaves out the elements that are removed. */
export function without(elements: readonly JsonObject[], removed: readonly JsonObject[]): readonly JsonObject[] {
  const isRemoved = isAmong(removed, (gone, one) => isSame(one, gone))
  return elements.filter((one) => !isRemoved(one))
}

/**
 * Tells whether an element is one of many, without comparing it with each: a request may have a thousand operations.
 */
function isAmong(
  many: readonly JsonObject[],
  isOne: (known: JsonObject, one: JsonObject) => boolean,
): (one: JsonObject) => boolean {
  const byValue = Map.groupBy(many, ({ value }) => value)
  return (one) => byValue.get(one.value)?.some((known) => isOne(known, one)) ?? false
}

/** Elements are the same when their values are (RFC 7643 2.4: `value` is what identifies an element). */
function isSame(one: JsonObject, other: JsonObject): boolean {
  return (
    one.value !== undefined &&
    one.value !== null &&
    one.value === other.value &&
    (one.type ?? null) === (other.type ?? one.type ?? null)
  )
}
