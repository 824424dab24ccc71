import type { JsonObject } from '../../../crypto/json.ts'
import type { Fields } from '../../../http/routes/endpoint.ts'
import { typed } from '../../../pages/once.ts'
import { linesIn, linesTyped } from '../../resource/fields.ts'
import type { Template } from './template.ts'

/** Where the attributes come from when a person asks for a credential, as it is being edited. */
export type SourceDraft = {
  readonly source: '' | 'webhook' | 'provider'
  /** Id of a webhook endpoint. */
  readonly endpoint: string
  /** Name of an identity provider; `''`: no restriction. */
  readonly provider: string
  /** Claims by attribute: one a line, `attribute = claim`. */
  readonly claims: string
}

/** Prepared issuances only. */
export const blankSource: SourceDraft = { source: '', endpoint: '', provider: '', claims: '' }

/** Returns what a template says of it. */
export function sourceOf({ attributeSource: source }: Pick<Template, 'attributeSource'>): SourceDraft {
  if (source === undefined) return blankSource
  if (source.kind === 'webhook') return { ...blankSource, source: source.kind, endpoint: source.endpointId }
  const claims = Object.entries(source.claims).map(([attribute, claim]) => `${attribute} = ${claim}`)
  return { ...blankSource, source: source.kind, provider: source.provider ?? '', claims: claims.join('\n') }
}

/** Returns what was typed. */
export function readSource(fields: Fields): SourceDraft {
  const source = typed(fields, 'source')
  return {
    source: source === 'webhook' || source === 'provider' ? source : '',
    endpoint: typed(fields, 'endpoint'),
    provider: typed(fields, 'provider'),
    claims: linesTyped(fields, 'claims'),
  }
}

/** Returns the claims by attribute. @returns null if a line has another form, or an attribute is there twice */
export function claimsIn(text: string): JsonObject | null {
  const pairs = linesIn(text).map(([, line]) => claimLine(line))
  const isWhole = pairs.every(([attribute, claim]) => attribute !== '' && claim !== '')
  const names = new Set(pairs.map(([attribute]) => attribute))
  return isWhole && pairs.length > 0 && names.size === pairs.length ? Object.fromEntries(pairs) : null
}

/** Returns the attribute and the claim of a line; `''`: there is none. */
export function claimLine(line: string): readonly [attribute: string, claim: string] {
  // Names of an mdoc may have the sign.
  const sign = line.includes(' = ') ? ' = ' : '='
  const at = line.indexOf(sign)
  return at < 0 ? ['', ''] : [line.slice(0, at).trim(), line.slice(at + sign.length).trim()]
}

/** Returns the member for the API. */
export function sourceMembers({ source: kind, endpoint, provider, claims }: SourceDraft): JsonObject {
  if (kind === '') return {}
  if (kind === 'webhook') return { attributeSource: { kind, ...(endpoint !== '' && { endpointId: endpoint }) } }
  return { attributeSource: { kind, ...(provider !== '' && { provider }), claims: claimsIn(claims) ?? {} } }
}
