import { claimOf } from '../../authorization/access/provider-claim.ts'
import { listSignInProviders } from '../../authorization/sign-in/providers/sign-in-by-provider.ts'
import type { Caller } from '../../caller.ts'
import type { ProviderSource } from '../../contract/issuance/credential-templates.ts'
import { isJsonObject, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import { hasWebhookEndpoint } from '../../events/webhooks/has-endpoint.ts'
import { Fault, type Violation } from '../../fault.ts'
import { pointerTo, stepsOf } from '../../json-pointer.ts'
import type { Platform } from '../../platform.ts'
import type { TemplateDefinition } from './template.ts'

type Described = {
  readonly type?: string
  readonly required?: boolean
  readonly properties?: Readonly<Record<string, Described>>
}
type Named = readonly (readonly [steps: readonly string[], attribute: Described])[]

const CLAIMS = '/attributeSource/claims'

/** Returns what is wrong with the claims that a template takes its attributes from. */
export function sourceViolations(definition: TemplateDefinition): readonly Violation[] {
  const { attributeSource: source } = definition
  if (source?.kind !== 'provider') return []
  const paths = Object.keys(source.claims).map((name) => ({ name, steps: attributeSteps(name) }))
  const wrong = paths.flatMap(({ name, steps }): Violation[] => {
    const pointer = pointerTo(CLAIMS, name)
    if (attributeAt(definition, steps) === null)
      return [{ detail: 'The template has no such attribute.', pointer, rule: 'claims.unknown' }]
    const isTwice = paths.some((other) => other.name !== name && isBelow(steps, other.steps))
    const detail = 'The attribute has a claim already, or is part of one that has.'
    return isTwice ? [{ detail, pointer, rule: 'claims.twice' }] : []
  })
  const missing = topAttributes(definition).flatMap(([own, { required }]): Violation[] => {
    if (required !== true || paths.some(({ steps }) => isBelow(steps, own))) return []
    const name = own.join('/')
    return [{ detail: `The required attribute ${name} has no claim.`, pointer: CLAIMS, rule: 'claims.missing' }]
  })
  return [...wrong, ...missing]
}

/**
 * Refuses a source of attributes that the tenant does not have: its webhook endpoint, or its identity provider.
 *
 * @throws Fault `reference.unknown`
 */
export async function checkSource(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  { tenantId, tenantSlug }: Pick<Caller, 'tenantId' | 'tenantSlug'>,
  { attributeSource: source }: TemplateDefinition,
): Promise<void> {
  if (source === undefined) return
  if (source.kind === 'webhook') {
    if (await hasWebhookEndpoint(needs, tenantId, source.endpointId)) return
    throw unknown({
      detail: 'The organisation has no webhook endpoint of this id.',
      pointer: '/attributeSource/endpointId',
      rule: 'webhook.unknown',
    })
  }
  const providers = await listSignInProviders(needs, tenantSlug)
  const { provider } = source
  if (provider === undefined ? providers.length > 0 : providers.some(({ name }) => name === provider)) return
  throw unknown({
    detail: 'Users do not sign in at an identity provider of this name.',
    pointer: '/attributeSource/provider',
    rule: 'provider.unknown',
  })
}

/**
 * Returns the attributes that claims of a user give. A claim that is missing or null gives none. Whether they fit the
 * template is NOT checked.
 */
export function attributesFrom({ claims: names }: ProviderSource, claims: JsonObject): JsonObject {
  return Object.entries(names).reduce<JsonObject>((attributes, [attribute, claim]) => {
    const value = claimOf(claims, claim)
    if (value === undefined || value === null) return attributes
    // From JSON.
    return withValue(attributes, attributeSteps(attribute), value as Json)
  }, {})
}

/** Returns the required attributes that are missing, as their names in the template. */
export function missingAttributes(definition: TemplateDefinition, attributes: JsonObject): readonly string[] {
  return topAttributes(definition).flatMap(([steps, { required }]) =>
    required === true && valueAt(attributes, steps) === undefined ? [steps.join('/')] : [],
  )
}

/** A name, or a JSON pointer. */
function attributeSteps(name: string): readonly string[] {
  return name.startsWith('/') ? stepsOf(name) : [name]
}

/** The attributes of a credential that are no part of another one: claims, or elements of a namespace. */
function topAttributes({ format, attributes }: TemplateDefinition): Named {
  if (format === 'sd-jwt-vc') return Object.entries(attributes).map(([name, one]) => [[name], one])
  return Object.entries(attributes).flatMap(([space, elements]) =>
    Object.entries(elements).map(([name, one]): Named[number] => [[space, name], one]),
  )
}

function attributeAt(definition: TemplateDefinition, steps: readonly string[]): Described | null {
  const top = topAttributes(definition).find(([own]) => isBelow(steps, own))
  if (top === undefined) return null
  const [own, first] = top
  return steps.slice(own.length).reduce<Described | null>((above, step) => {
    const properties = above?.properties ?? {}
    return Object.hasOwn(properties, step) ? (properties[step] ?? null) : null
  }, first)
}

function isBelow(steps: readonly string[], above: readonly string[]): boolean {
  return above.length <= steps.length && above.every((step, at) => steps[at] === step)
}

function valueAt(value: Json, steps: readonly string[]): Json | undefined {
  return steps.reduce<Json | undefined>(
    (inner, step) => (isJsonObject(inner) ? memberOf(inner, step) : undefined),
    value,
  )
}

function withValue(target: JsonObject, [step = '', ...others]: readonly string[], value: Json): JsonObject {
  const inner = memberOf(target, step)
  return { ...target, [step]: others.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, others, value) }
}

function unknown(violation: Violation): Fault {
  return new Fault('reference.unknown', { violations: [violation] })
}
