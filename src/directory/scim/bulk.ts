import { setImmediate } from 'node:timers/promises'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { toScimError } from '../../http/routes/faults.ts'
import { messageOf } from '../../protocols/scim/message.ts'
import type { Resource } from '../../protocols/scim/patch.ts'
import { memberNamed } from '../../protocols/scim/values.ts'
import { groupOperations, type ScimRequest, userOperations } from './operations.ts'
import { readVersionTag, versionTag } from './scim-user.ts'

/** Operations of one bulk request. */
export const BULK_OPERATIONS_MAX = 1000
/** Bytes of one bulk request. */
export const BULK_BYTES_MAX = 1_048_576

const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

type Operation = {
  readonly index: number
  readonly method: (typeof METHODS)[number]
  readonly bulkId: string | null
  readonly path: string
  /** The entity tag of the version that the client read. */
  readonly tag: string | undefined
  readonly data: Json
}
type Result = Readonly<Record<string, Json>>

/**
 * Runs the operations of a bulk request in turn. Each is committed by itself, so that what was answered holds when the
 * process ends in between. An operation that names the `bulkId` of another one runs after it.
 *
 * @throws Fault `scim.invalid_syntax`, `scim.too_many`
 * @see [RFC 7644, 3.7](https://www.rfc-editor.org/rfc/rfc7644#section-3.7)
 */
export async function runBulk(work: ScimRequest, body: Json): Promise<Resource> {
  const { operations, errorsMax } = readBulk(body)
  const results = new Map<number, Result>()
  const ids = new Map<string, string>()
  let errors = 0
  for (const operation of inOrder(operations)) {
    if (errors >= errorsMax) break
    // The embedded database answers without a turn of the event loop: other requests would wait until the end.
    await setImmediate()
    const result = await run(work, operation, ids)
    results.set(operation.index, result)
    if (Number(result.status) >= 400) errors += 1
  }
  const inRequestOrder = [...results].toSorted(([one], [other]) => one - other).map(([, result]) => result)
  return { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'], Operations: inRequestOrder }
}

function readBulk(body: Json): { operations: readonly Operation[]; errorsMax: number } {
  const message = messageOf(body, SCHEMA)
  const list = memberNamed(message, 'Operations')
  if (!Array.isArray(list)) throw invalid('Operations are needed.')
  if (list.length > BULK_OPERATIONS_MAX) {
    throw new Fault('scim.too_many', { detail: `At most ${BULK_OPERATIONS_MAX} operations in one request.` })
  }
  const failOnErrors = memberNamed(message, 'failOnErrors')
  const errorsMax = typeof failOnErrors === 'number' && failOnErrors > 0 ? failOnErrors : Number.POSITIVE_INFINITY
  return { operations: list.map(operationOf), errorsMax }
}

function operationOf(entry: Json, index: number): Operation {
  const at = `Operations[${index}]`
  if (!isJsonObject(entry)) throw invalid(`${at} is no object.`)
  const [name, path, bulkId, tag, data = null] = ['method', 'path', 'bulkId', 'version', 'data'].map((one) =>
    memberNamed(entry, one),
  )
  const method = METHODS.find((one) => typeof name === 'string' && name.toUpperCase() === one)
  if (method === undefined || typeof path !== 'string') throw invalid(`${at} needs method and path.`)
  // RFC 7644 3.7: bulkId is required for POST
  if (method === 'POST' && typeof bulkId !== 'string') throw invalid(`${at} needs a bulkId.`)
  const about = { index, method, bulkId: typeof bulkId === 'string' ? bulkId : null, path }
  return { ...about, tag: typeof tag === 'string' ? tag : undefined, data }
}

/**
 * Those that name a bulkId after the POST with it, otherwise as they come. What is named in a circle comes last, and
 * fails.
 */
function inOrder(operations: readonly Operation[]): readonly Operation[] {
  const makers = new Map(operations.flatMap((one) => (one.bulkId === null ? [] : [[one.bulkId, one] as const])))
  const done = new Set<Operation>()
  const visiting = new Set<Operation>()
  const visit = (operation: Operation) => {
    if (done.has(operation) || visiting.has(operation)) return
    visiting.add(operation)
    for (const name of namesIn([operation.data, operation.path])) {
      const maker = makers.get(name)
      if (maker !== undefined) visit(maker)
    }
    visiting.delete(operation)
    done.add(operation)
  }
  for (const operation of operations) visit(operation)
  return [...done]
}

const REFERENCE = /bulkId:([^/"\s]{1,200})/g

function namesIn(value: Json): string[] {
  return [...JSON.stringify(value).matchAll(REFERENCE)].map(([, name = '']) => name)
}

async function run(work: ScimRequest, operation: Operation, ids: Map<string, string>): Promise<Result> {
  const { method, bulkId } = operation
  const about = { method, ...(bulkId !== null && { bulkId }) }
  try {
    const resource = await runOne(work, operation, ids)
    if (resource === null)
      return { ...about, location: `${work.base}${textWithIds(operation.path, ids)}`, status: '204' }
    if (method === 'POST' && bulkId !== null && typeof resource.id === 'string') ids.set(bulkId, resource.id)
    const { location = null, version = versionTag(1) } = isJsonObject(resource.meta) ? resource.meta : {}
    return { ...about, location, version, status: method === 'POST' ? '201' : '200' }
  } catch (error) {
    const { status, body } = toScimError(error)
    // An unexpected error has an end to the request, as everywhere: its id stands in the log line of the whole request.
    if (status >= 500) throw error
    return { ...about, status: String(status), response: { ...(body as JsonObject) } }
  }
}

async function runOne(
  work: ScimRequest,
  operation: Operation,
  ids: ReadonlyMap<string, string>,
): Promise<Resource | null> {
  const { method, tag } = operation
  const version = tag === undefined ? undefined : readVersionTag(tag)
  const data = withIds(operation.data, ids)
  const [, kind, id, rest] = textWithIds(operation.path, ids).replace(/\/$/, '').split('/')
  const operations = { Users: userOperations, Groups: groupOperations }[kind ?? '']
  if (operations === undefined || rest !== undefined || (method === 'POST') !== (id === undefined)) {
    throw new Fault('scim.invalid_path', { detail: 'The path is /Users or /Groups, and for all but POST an id.' })
  }
  if (method === 'POST' || id === undefined) return operations.create(work, data)
  if (method === 'PUT') return operations.replace(work, id, data, version)
  if (method === 'PATCH') return operations.patch(work, id, data, version)
  await operations.remove(work, id, version)
  return null
}

/** Replaces `bulkId:name` by the id of what was created, in every text. @throws Fault `scim.invalid_value` */
function withIds(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return textWithIds(value, ids)
  if (Array.isArray(value)) return value.map((one) => withIds(one, ids))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withIds(one, ids)]))
}

function textWithIds(text: string, ids: ReadonlyMap<string, string>): string {
  return text.replace(REFERENCE, (_, name: string) => {
    const id = ids.get(name)
    if (id === undefined) throw new Fault('scim.invalid_value', { detail: `bulkId ${name} was not created before.` })
    return id
  })
}

function invalid(detail: string): Fault {
  return new Fault('scim.invalid_syntax', { detail })
}
