import type { ErrorObject } from 'ajv'
import type { Rule } from '../../fault/rules.ts'
import type { Violation } from '../../fault.ts'
import { pointerTo, stepsOf } from '../../json-pointer.ts'
import { nearestOf } from './nearest.ts'

/** Where the value was sent: violations of a body have a pointer, those of query and path a parameter. */
export type ViolationPlace = 'body' | 'query' | 'path'

/** Converts schema errors to violations: one per place, in the order found. */
export function violationsOfSchema(errors: readonly ErrorObject[], place: ViolationPlace): Violation[] {
  const seen = new Set<string>()
  return withoutBranches(errors).flatMap((error) => {
    const path = error.instancePath + memberOf(error)
    const violation = { ...at(place, path, sentence(error, place)), ...ruleOf(error) }
    const key = `${path} ${violation.detail}`
    if (seen.has(key)) return []
    seen.add(key)
    return [violation]
  })
}

function at(place: ViolationPlace, path: string, detail: string): Violation {
  if (place === 'body') return { detail, pointer: path }
  const [parameter = ''] = stepsOf(path)
  return { detail, parameter }
}

/** The keyword, and what it allows, so that pages can say it in their own language. */
function ruleOf({ keyword, params }: ErrorObject): Pick<Violation, 'rule' | 'limit'> {
  const limit = params.limit ?? params.type ?? params.format ?? params.allowedValues
  const isPlain = typeof limit === 'number' || typeof limit === 'string' || Array.isArray(limit)
  // A keyword of our own schemas.
  return { rule: keyword as Rule, ...(isPlain && { limit: Array.isArray(limit) ? limit.map(String) : limit }) }
}

/** The pointer of a missing or unknown member is its own, not that of the object around it. */
function memberOf({ keyword, params }: ErrorObject): string {
  const name = keyword === 'required' ? params.missingProperty : unknownMember(keyword, params)
  return typeof name === 'string' ? pointerTo('', name) : ''
}

function unknownMember(keyword: string, params: ErrorObject['params']): unknown {
  if (keyword === 'additionalProperties') return params.additionalProperty
  if (keyword === 'unevaluatedProperties') return params.unevaluatedProperty
  return keyword === 'propertyNames' ? params.propertyName : undefined
}

/**
 * Ajv reports the errors of every branch of a union. If exactly one branch fits the kind of the value, its errors are
 * kept and that of the union is dropped; otherwise the union is one error.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const dropped = new Set<ErrorObject>()
  for (const choice of errors) {
    if (choice.keyword !== 'anyOf' && choice.keyword !== 'oneOf') continue
    const inside = errors.filter((one) => one !== choice && isInside(one, choice))
    const branches = Map.groupBy(inside, (one) => branchOf(one, choice))
    const among = (isOther: (one: ErrorObject, choice: ErrorObject) => boolean) =>
      [...branches.values()].filter((branch) => !branch.some((one) => isOther(one, choice)))
    const fitting = among(isOtherKind)
    // Of words or null, and a value that is none of the words.
    const alike = fitting.length > 0 ? fitting : among(isOtherType)
    const [kept] = alike
    if (alike.length === 1 && kept !== undefined) {
      dropped.add(choice)
      for (const one of inside) if (!kept.includes(one)) dropped.add(one)
    } else {
      for (const one of inside) dropped.add(one)
    }
  }
  return errors.filter((one) => !dropped.has(one))
}

function isInside(one: ErrorObject, choice: ErrorObject): boolean {
  return one.schemaPath.startsWith(`${choice.schemaPath}/`) && one.instancePath.startsWith(choice.instancePath)
}

function branchOf(one: ErrorObject, choice: ErrorObject): string {
  return one.schemaPath.slice(choice.schemaPath.length + 1).split('/')[0] ?? ''
}

/** Whether the value is of another kind than the branch: another JSON type, or another constant in a direct member. */
function isOtherKind(one: ErrorObject, choice: ErrorObject): boolean {
  return isOtherType(one, choice) || (one.instancePath === choice.instancePath && one.keyword === 'enum')
}

function isOtherType(one: ErrorObject, choice: ErrorObject): boolean {
  return one.keyword === 'const' || (one.instancePath === choice.instancePath && one.keyword === 'type')
}

const sentences: Readonly<Record<string, (error: ErrorObject) => string>> = {
  required: ({ params }) => `${params.missingProperty} is missing.`,
  additionalProperties: ({ params, parentSchema }) => unknownName(params.additionalProperty, parentSchema),
  unevaluatedProperties: ({ params, parentSchema }) => unknownName(params.unevaluatedProperty, parentSchema),
  type: ({ params }) => `must be ${[params.type].flat().map(withArticle).join(' or ')}.`,
  enum: ({ params }) => `must be one of: ${params.allowedValues.join(', ')}.`,
  const: ({ params }) => `must be ${JSON.stringify(params.allowedValue)}.`,
  minLength: ({ params }) => `must have at least ${count(params.limit, 'character')}.`,
  maxLength: ({ params }) => `must have at most ${count(params.limit, 'character')}.`,
  minItems: ({ params }) => `must have at least ${count(params.limit, 'item')}.`,
  maxItems: ({ params }) => `must have at most ${count(params.limit, 'item')}.`,
  minProperties: ({ params }) => `must have at least ${count(params.limit, 'member')}.`,
  maxProperties: ({ params }) => `must have at most ${count(params.limit, 'member')}.`,
  minimum: ({ params }) => `must be ${params.limit} or more.`,
  maximum: ({ params }) => `must be ${params.limit} or less.`,
  uniqueItems: () => 'must not have the same item twice.',
  format: ({ params }) => `must be ${formats[params.format] ?? `a valid ${params.format}`}.`,
  pattern: ({ parentSchema }) => `does not match the required format${described(parentSchema)}.`,
  propertyNames: ({ params }) => `${params.propertyName} cannot be the name of a member here.`,
  anyOf: ({ parentSchema }) => `matches none of the allowed shapes${described(parentSchema)}.`,
  oneOf: ({ parentSchema }) => `matches none, or more than one, of the allowed shapes${described(parentSchema)}.`,
}

const NO_MEMBER = ' is not a member here'

const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  uri: 'an absolute URI',
  email: 'an e-mail address',
  date: 'a date such as 2026-01-31',
  'date-time': 'a time such as 2026-01-31T12:00:00.000Z',
}

function sentence(error: ErrorObject, place: ViolationPlace): string {
  const text = (sentences[error.keyword]?.(error) ?? `is not acceptable (${error.keyword}).`).replace(
    NO_MEMBER,
    place === 'body' ? NO_MEMBER : ' is not a parameter here',
  )
  const named = error.keyword === 'required' || memberOf(error) !== ''
  if (named) return text
  return `${nameOf(error.instancePath) ?? (place === 'body' ? 'The body' : 'The value')} ${text}`
}

/** Returns the member, or the item as `issuers[0]`. */
function nameOf(path: string): string | null {
  const parts = stepsOf(path)
  const named = parts.findLastIndex((part) => !/^\d+$/.test(part))
  if (parts.length === 0) return null
  const items = parts
    .slice(named + 1)
    .map((part) => `[${part}]`)
    .join('')
  return named === -1 ? `Item ${items}` : `${parts[named]}${items}`
}

/** Names the unknown member, and the known one that it resembles. */
function unknownName(name: string, schema: unknown): string {
  const known = typeof schema === 'object' && schema !== null && 'properties' in schema ? schema.properties : null
  const near = nearestOf(name, Object.keys(known ?? {}))
  return near === null ? `${name}${NO_MEMBER}.` : `${name}${NO_MEMBER}; did you mean ${near}?`
}

function described(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null || !('description' in schema)) return ''
  return typeof schema.description === 'string' ? ` (${schema.description.replace(/\.$/, '')})` : ''
}

function withArticle(type: string): string {
  if (type === 'null') return type
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`
}

function count(limit: number, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? '' : 's'}`
}
