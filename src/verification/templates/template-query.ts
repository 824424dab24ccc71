import type { JsonObject } from '../../crypto/json.ts'
import { type RequestedClaim, readRequestedAttributes } from './attribute-grammar.ts'
import type { TemplateCredential, TemplateSet, VerifierConfig } from './presentation-template.ts'

/** What a request keeps of its template: later changes to the template do not reach it. */
export type Snapshot = {
  readonly credentials: readonly TemplateCredential[]
  readonly verifierConfig: VerifierConfig | null
}

/** The DCQL id of the template's credential at a position. */
export function queryIdOf(position: number): string {
  return `c${position}`
}

/**
 * The DCQL query of a template, as it is sent.
 *
 * Conditions on values are not in it: a wallet that answers or refuses by value would let us learn values without showing them to its
 * holder (15.4.1), and DCQL knows no ranges. They are checked after disclosure.
 *
 * @see [OpenID4VP 1.0, 6](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-digital-credentials-query-l)
 */
export function queryOf({ credentials, verifierConfig }: Snapshot): JsonObject {
  const sets = verifierConfig?.credentialSets ?? []
  return {
    credentials: credentials.map((credential, position) => {
      const claims = requestedClaimsOf(credential).map(({ path, intentToRetain }) => ({
        path,
        // B.2.4: absent where the template makes no statement
        ...(intentToRetain !== undefined && { intent_to_retain: intentToRetain }),
      }))
      return {
        id: queryIdOf(position),
        ...formatOf(credential),
        // 6.1: `claims` is left out rather than empty
        ...(claims.length > 0 && { claims }),
      }
    }),
    ...(sets.length > 0 && { credential_sets: sets.map((set) => setOf(set, credentials)) }),
  }
}

/** B.2.3 and B.3.5 */
function formatOf({ format, type }: TemplateCredential): JsonObject {
  if (format === 'mdoc') return { format: 'mso_mdoc', meta: { doctype_value: type } }
  return { format: 'dc+sd-jwt', meta: { vct_values: [type] } }
}

/** The claims that a stored template credential asks for. */
export function requestedClaimsOf({ attributes, format }: TemplateCredential): readonly RequestedClaim[] {
  return readRequestedAttributes(attributes, format, '').wanted
}

/** The position that a credential set means by a name or a position; null if there is no such credential. */
export function positionOf(named: string | number, credentials: readonly { readonly name?: string }[]): number | null {
  const position = typeof named === 'number' ? named : credentials.findIndex((one) => one.name === named)
  return Number.isInteger(position) && position >= 0 && position < credentials.length ? position : null
}

function setOf({ options, required }: TemplateSet, credentials: readonly TemplateCredential[]): JsonObject {
  return {
    options: options.map((option) => option.map((named) => queryIdOf(positionOf(named, credentials) ?? 0))),
    ...(required !== undefined && { required }),
  }
}
