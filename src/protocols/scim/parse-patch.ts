import { isJsonObject, type Json } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { parseTargetPath, type TargetPath } from './filter.ts'
import { messageOf } from './message.ts'
import { memberNamed } from './values.ts'

/** One operation of a PATCH. `path` null: `value` has the attributes. */
export type PatchOperation = {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: TargetPath | null
  readonly value: Json | undefined
}

const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
/** As many as of a bulk request: authentik sends an operation a member, and reads the limit there. */
const OPERATIONS_MAX = 1000

/**
 * Parses the body of a PATCH. Names of operations may have any case, because Microsoft Entra ID sends `Add` and
 * `Replace`.
 *
 * @throws Fault `scim.invalid_syntax`, `scim.invalid_path`, `scim.no_target`, `scim.too_many` beyond 1,000 operations
 * @see [RFC 7644, 3.5.2](https://www.rfc-editor.org/rfc/rfc7644#section-3.5.2)
 */
export function parsePatch(body: Json): readonly PatchOperation[] {
  const operations = memberNamed(messageOf(body, SCHEMA), 'Operations')
  if (!Array.isArray(operations) || operations.length === 0) {
    throw new Fault('scim.invalid_syntax', { detail: 'Operations are needed.' })
  }
  if (operations.length > OPERATIONS_MAX) {
    throw new Fault('scim.too_many', { detail: `At most ${OPERATIONS_MAX} operations in one request.` })
  }
  return operations.map(operationOf)
}

function operationOf(entry: Json): PatchOperation {
  const name = isJsonObject(entry) ? memberNamed(entry, 'op') : undefined
  const op = (['add', 'replace', 'remove'] as const).find(
    (one) => typeof name === 'string' && name.toLowerCase() === one,
  )
  if (op === undefined || !isJsonObject(entry)) {
    throw new Fault('scim.invalid_syntax', { detail: 'The op of an operation is add, replace or remove.' })
  }
  // RFC 7643 2.5: null is an attribute without a value. Clients with no path send an empty text, too.
  const named = memberNamed(entry, 'path') ?? ''
  const path = named === '' ? undefined : named
  const given = memberNamed(entry, 'value')
  const value = op === 'remove' ? (given ?? undefined) : given
  if (path !== undefined && typeof path !== 'string') throw new Fault('scim.invalid_path')
  // RFC 7644 3.5.2.2: without a path there is nothing to remove
  if (op === 'remove' && path === undefined) throw new Fault('scim.no_target', { detail: 'remove needs a path.' })
  if (op !== 'remove' && value === undefined) throw new Fault('scim.invalid_value', { detail: 'value is missing.' })
  return { op, path: path === undefined ? null : parseTargetPath(path), value }
}
