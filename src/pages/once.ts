import { randomToken } from '../crypto/random.ts'
import type { Fields } from '../http/routes/endpoint.ts'
import { hidden } from './controls.ts'
import type { Html } from './html.ts'

const ONCE = 'once'

/** Returns the first value of a member, trimmed; `''` without one. */
export function typed(fields: Fields, name: string): string {
  return fields.get(name)?.[0]?.trim() ?? ''
}

/** A member by which a form that is sent twice does its work once. */
export function onceField(fields: Fields): Html {
  return hidden(ONCE, typed(fields, ONCE) || randomToken(16))
}

/** The header for the call of such a form. */
export function onceHeader(fields: Fields): Record<string, string> {
  const key = typed(fields, ONCE)
  return /^[\w-]{22}$/.test(key) ? { 'idempotency-key': key } : {}
}
