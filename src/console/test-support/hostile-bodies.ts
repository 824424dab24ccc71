import { document, resolved, type Shape } from '../../../test/support/openapi-document.ts'
import type { Api, Reply } from '../../../test/support/server.ts'
import { pointerTo } from '../../json-pointer.ts'
import { formulaSigns, hostileNames } from './hostile-names.ts'

/** What fills a member up to the length that it takes, in one word. */
export const LONGEST = 'longest'
/** Of a claim, where nothing says how long it may be. */
const LONGEST_CHARS = 20_000
const TRIES_MAX = 12

const EVERYTHING = 'everything at once'
const everything =
  `"><zq-owned onclick=zq>'</b></title></textarea></style></script><script>alert(1)</script>&lt;b&gt;` +
  `\u202eA\u2066\u2067B\u200b\u200c\u200d\ufeff\u2060\u0007\u001b[31m\u0085\u2028\n\t\0\ud83cبنك${'\u0300\u0301'.repeat(9)}`

/** The kinds of values: those of {@link hostileNames}, the longest, and all that markup and signs can do in one. */
export const kinds: readonly string[] = [...Object.keys(hostileNames), EVERYTHING, LONGEST]
/** Kinds for which a tenant has everything; of the others it has a row in each list. */
export const wholeKinds: readonly string[] = [EVERYTHING, LONGEST]

/** Members of bodies that keep their values in {@link hostileApi}: method, path and pointer; and why. */
const kept: readonly (readonly [members: RegExp, reason: string])[] = [
  [/\/(credentialTemplateId|presentationTemplateId|clientId)$/, 'names something that must be there'],
  [/\/(recipient\/value|mail\/address)$/, 'finds a person, or reaches one'],
  [/\/(label|cardLine)\/\[\]$/, 'points at an attribute of the same body'],
  [/\/(keyAttestation|attributeSource)\//, 'words of a specification, or of a provider that must be there'],
  [/\/(docType|validFrom|validUntil)$/, 'decides the format'],
  [/\/credentials\/\[\]\/(type|claimSets.*|name|description)$/, 'finds a credential, or has no page'],
  [/\/credentials\/\[\]\/(trusted)?[iI]ssuers\/\[\]$/, 'an issuer that nobody is would make every answer invalid'],
  [
    /\/verifierConfig\/(clientId|verifierAttestation|redirectUri|verifierInfo.*|credentialSets.*)$/,
    'for the wallet alone',
  ],
  [
    /presentations\/request \/(transactionData.*|digitalCredentials.*|browserSession|redirectUri)$/,
    'for the wallet alone',
  ],
  [/credentials\/\[\]\/attributes\//, 'a condition that no credential would meet'],
  [
    /\/(certificate|csr|chain\/\[\]|certificates\/\[\]|dids\/\[\]\/did)$/,
    'is parsed; names in certificates are made apart',
  ],
  [/identity-providers(\/\{id\})? \/(name|audience)$/, 'part of an address; names the organisation'],
  [/\/countryName$/, 'two letters'],
  [/organisation \/name$/, 'the bootstrap file of the test makes it hostile'],
]

/** What a place is called: method, path and pointer. */
export type MemberName = string

/** What {@link hostileApi} has done. */
export type Entered = {
  /** By the mark that each value begins with, or has behind its first sign. */
  readonly marks: Map<string, { readonly place: MemberName; readonly kind: string }>
  /** Places of which the API refused a kind. */
  readonly refused: Map<MemberName, Set<string>>
}

/** Finds the marks in a text. */
export const MARK = /zq[0-9a-z]+x/g

/** Returns a record in which nothing was entered yet. */
export function nothingEntered(): Entered {
  return { marks: new Map(), refused: new Map() }
}

type Filling = {
  readonly name: string
  readonly kind: string
  readonly entered: Entered
  /** How often the value at a pointer was refused. */
  readonly refusals: ReadonlyMap<string, number>
}

/**
 * Returns a caller of the API that puts a hostile text into every free text of its bodies, also into those that were
 * left out, as the document of the API describes them. What the API refuses is sent again with its plain value.
 */
export function hostileApi(api: Api, kind: string, entered: Entered): Api {
  const send = async (method: 'post' | 'put' | 'patch', path: string, body: unknown): Promise<Reply> => {
    const name = `${method.toUpperCase()} ${patternOf(method, path)}`
    const refusals = new Map<string, number>()
    for (let tries = 0; ; tries += 1) {
      const filled = fill({ name, kind, entered, refusals }, bodySchema(method, path), body, '', '')
      const reply = await api[method](path, filled)
      const wrong = reply.status === 400 || reply.status === 422 ? pointersIn(reply) : []
      if (wrong.length === 0 || tries === TRIES_MAX) return reply
      for (const one of wrong) refusals.set(one, (refusals.get(one) ?? 0) + 1)
    }
  }
  return {
    ...api,
    post: (path, body) => send('post', path, body),
    put: (path, body) => send('put', path, body),
    patch: (path, body) => send('patch', path, body),
  }
}

function pointersIn({ body }: Reply): readonly string[] {
  const found: readonly { readonly source?: { readonly pointer?: string } }[] = body?.errors ?? []
  return found.flatMap(({ source }) => source?.pointer ?? [])
}

/** The path as the document writes it. */
function patternOf(method: string, path: string): string {
  const found = Object.keys(document.paths)
    .filter((one) => Object.hasOwn(document.paths[one] ?? {}, method))
    .filter((one) => new RegExp(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
  // `/request` is no id.
  return found.find((one) => one === path) ?? found[0] ?? path
}

function bodySchema(method: string, path: string): Shape {
  return schemaOf(document.paths[patternOf(method, path)]?.[method]) ?? {}
}

/** Returns the schema of the JSON body of an operation. */
export function schemaOf(operation: unknown): Shape | undefined {
  const { requestBody } = Object(operation)
  return requestBody?.content?.['application/json']?.schema
}

/** Returns the schemas of a value that may have several. */
export function optionsOf(schema: Shape): readonly Shape[] {
  const own = resolved(schema)
  const { anyOf } = own
  return Array.isArray(anyOf) ? anyOf.flatMap((one: Shape) => optionsOf(one)) : [own]
}

/** Whether a schema takes texts that people make up. */
export function isFree({ type, ...rest }: Shape): boolean {
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'))
  return isText && rest.enum === undefined && rest.const === undefined && rest.format === undefined
}

/** Whether a member keeps its value. */
export function isKept(place: MemberName): boolean {
  return kept.some(([members]) => members.test(place))
}

/** @param pointer The pointer into the body. @param general As `pointer`, the same for all entries of a list or map */
function fill(on: Filling, schema: Shape, value: unknown, pointer: string, general: string): unknown {
  const options = optionsOf(schema)
  if (value === undefined || typeof value === 'string') return textOf(on, options, value, pointer, general)
  if (Array.isArray(value)) {
    const items = options.find((one) => one.items !== undefined)?.items
    return value.map((one, at) => fill(on, Object(items ?? {}), one, `${pointer}/${at}`, `${general}/[]`))
  }
  if (typeof value !== 'object' || value === null) return value
  const properties: Readonly<Record<string, Shape>> = Object.assign({}, ...options.map((one) => one.properties))
  const rest = options.map(entrySchema).filter((one) => one !== undefined)
  const missing = Object.keys(properties).filter((name) => !Object.hasOwn(value, name) && options.length === 1)
  const names = [...Object.keys(value), ...missing]
  const members = names.map((name) => {
    const own = properties[name]
    const below = pointerTo(pointer, name)
    const filled = fill(
      on,
      own ?? fitting(rest, Object(value)[name]),
      Object(value)[name],
      below,
      `${general}/${own === undefined ? '{}' : name}`,
    )
    return [name, filled] as const
  })
  return Object.fromEntries(members.filter(([, one]) => one !== undefined))
}

/**
 * Of several schemas that which has the members of a value, or takes any: an attribute, or a namespace of attributes.
 */
function fitting(schemas: readonly Shape[], value: unknown): Shape {
  const names = Object.keys(Object(value))
  const takes = (one: Shape) =>
    entrySchema(one) !== undefined || names.every((name) => Object.hasOwn(Object(one.properties), name))
  return schemas.find((schema) => optionsOf(schema).some(takes)) ?? schemas[0] ?? {}
}

function entrySchema({ additionalProperties, patternProperties }: Shape): Shape | undefined {
  if (typeof additionalProperties === 'object' && additionalProperties !== null) return Object(additionalProperties)
  return patternProperties === undefined ? undefined : (Object.values(Object(patternProperties))[0] as Shape)
}

/** A hostile text where the schema takes one; else the plain value. */
function textOf(on: Filling, options: readonly Shape[], plain: string | undefined, pointer: string, general: string) {
  const { name, kind, entered } = on
  const place = `${name} ${general}`
  const isAny = options.some((one) => Object.keys(one).every((each) => each === 'description'))
  const schema: Shape | undefined = options.find(isFree) ?? (isAny && plain !== undefined ? {} : undefined)
  const mark = `zq${entered.marks.size.toString(36)}x`
  if (general === '/code') return `code-${mark}`
  if (schema === undefined || isKept(place) || (plain !== undefined && /^\d{4}-\d\d-\d\d/.test(plain))) return plain
  const lengthMax = Number(schema.maxLength ?? LONGEST_CHARS)
  const takes = (text: string) => typeof schema.pattern !== 'string' || new RegExp(schema.pattern, 'u').test(text)
  const texts = candidates(kind, mark, lengthMax, plain).filter(takes)
  const text = texts[on.refusals.get(pointer) ?? 0]
  if (texts.length === 0) return plain
  if (text === undefined) {
    entered.refused.set(place, (entered.refused.get(place) ?? new Set()).add(kind))
    return plain
  }
  entered.marks.set(mark, { place, kind })
  return text
}

/** The text of a kind, and what is left of it where some signs are not taken; behind an address where one is meant. */
function candidates(kind: string, mark: string, lengthMax: number, plain: string | undefined): readonly string[] {
  const text = kind === LONGEST ? 'Bank'.repeat(Math.ceil(lengthMax / 4)) : (hostileNames[kind] ?? everything)
  const at = Number.parseInt(mark.slice(2, -1), 36) % formulaSigns.length
  const marked = kind === 'formula' ? formulaSigns[at] + mark + text.slice(1) : mark + text
  const address = plain?.match(/^https?:\/\/.*/)?.[0]
  const whole = address === undefined ? marked : `${address}?${marked}`
  const cut = (one: string) => [...one].slice(0, lengthMax).join('')
  const fewer = [whole, whole.replaceAll(/[\0\p{Cs}]/gu, ''), whole.replaceAll(/[\p{Cc}\p{Cs}]/gu, '')]
  return [...new Set(fewer.map(cut))]
}
