import type { JsonObject } from '../../../crypto/json.ts'
import type { Fields } from '../../../http/routes/endpoint.ts'
import { typed } from '../../../pages/once.ts'
import { typedAll } from '../../frame/form-values.ts'
import { linesIn } from '../../resource/fields.ts'
import type { Template } from './template.ts'

/**
 * Which wallets are opened and get credentials, and where the attributes come from when a person asks for one, as it
 * is being edited.
 */
export type FurtherDraft = {
  /** Of the link of offers; `''`: by default. */
  readonly scheme: string
  /** Only wallets whose keys are attested. */
  readonly isAttested: boolean
  /** Accepted levels of key storage; empty: no restriction. */
  readonly storage: readonly string[]
  /** Accepted levels of user authentication; empty: no restriction. */
  readonly authentication: readonly string[]
  readonly source: '' | 'webhook' | 'provider'
  /** Id of a webhook endpoint. */
  readonly endpoint: string
  /** Name of an identity provider; `''`: no restriction. */
  readonly provider: string
  /** Claims by attribute: one a line, `attribute = claim`. */
  readonly claims: string
}

/** No restriction of wallets, and prepared issuances only. */
export const blankFurther: FurtherDraft = {
  scheme: '',
  isAttested: false,
  storage: [],
  authentication: [],
  source: '',
  endpoint: '',
  provider: '',
  claims: '',
}

/** Returns what a template says of it. */
export function furtherOf({
  keyAttestation,
  attributeSource: source,
  offerScheme = '' as const,
}: Pick<Template, 'keyAttestation' | 'attributeSource'> & { readonly offerScheme?: Template['offerScheme'] | '' }) {
  const claims = source?.kind === 'provider' ? Object.entries(source.claims) : []
  const further: FurtherDraft = {
    scheme: offerScheme,
    isAttested: keyAttestation !== undefined,
    storage: keyAttestation?.keyStorage ?? [],
    authentication: keyAttestation?.userAuthentication ?? [],
    source: source?.kind ?? '',
    endpoint: source?.kind === 'webhook' ? source.endpointId : '',
    provider: (source?.kind === 'provider' ? source.provider : undefined) ?? '',
    claims: claims.map(([attribute, claim]) => `${attribute} = ${claim}`).join('\n'),
  }
  return further
}

/** Returns what was typed. */
export function readFurther(fields: Fields): FurtherDraft {
  const text = (name: string) => typed(fields, name).replaceAll('\r\n', '\n')
  const source = text('source')
  return {
    scheme: text('scheme'),
    isAttested: text('attested') === '1',
    storage: typedAll(fields, 'storage'),
    authentication: typedAll(fields, 'authentication'),
    source: source === 'webhook' || source === 'provider' ? source : '',
    endpoint: text('endpoint'),
    provider: text('provider'),
    claims: text('claims'),
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

/** Returns the members for the API. */
export function furtherMembers(draft: FurtherDraft): object {
  const { scheme, isAttested, storage, authentication, source, endpoint, provider, claims } = draft
  const levels = {
    ...(storage.length > 0 && { keyStorage: storage }),
    ...(authentication.length > 0 && { userAuthentication: authentication }),
  }
  const providerSource = { kind: source, ...(provider !== '' && { provider }), claims: claimsIn(claims) ?? {} }
  return {
    ...(scheme !== '' && { offerScheme: scheme }),
    ...(isAttested && { keyAttestation: levels }),
    ...(source === 'webhook' && {
      attributeSource: { kind: source, ...(endpoint !== '' && { endpointId: endpoint }) },
    }),
    ...(source === 'provider' && { attributeSource: providerSource }),
  }
}
