import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import { boundedText, identifier, invalidQuery, list, optionalBoolean, texts } from './checks.ts'
import { parseClaims, parseOptions } from './parse-claims.ts'
import { type CredentialQuery, type CredentialSet, type DcqlQuery, dcqlLimits, type TrustedAuthority } from './query.ts'

/**
 * Validates an untrusted DCQL query and fills in its defaults.
 *
 * Unknown members are ignored; unknown formats are accepted, but match no credential. `meta` needs the member of its
 * format, although OpenID4VP 1.0, 6.1 seems to allow `{}`: OpenID4VP 1.0, B.2.3 and B.3.5 call the members REQUIRED, as
 * does the conformance schema.
 *
 * @throws Fault `dcql.invalid`; its violations point into the query.
 * @see [OpenID4VP 1.0, 6](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-digital-credentials-query-l)
 */
export function parseQuery(value: unknown): DcqlQuery {
  if (!isJsonObject(value)) throw invalidQuery('', 'a DCQL query is a JSON object')
  const credentials = list(value.credentials, '/credentials', dcqlLimits.credentialsMax).map(parseCredential)
  const ids = new Set(credentials.map((one) => one.id))
  // OpenID4VP 1.0, 6.1: `id` MUST be unique within the request.
  if (ids.size !== credentials.length) throw invalidQuery('/credentials', 'two credential queries have the same id')
  // [DCQL-9] the limits of the parts multiply
  const claims = credentials
    .flatMap(({ options }) => options.map((one) => one.length))
    .reduce((sum, one) => sum + one, 0)
  if (claims > dcqlLimits.optionClaimsMax)
    throw invalidQuery('/credentials', 'the queries ask for too many claims in all')
  return { credentials, credentialSets: parseSets(value.credential_sets, ids) }
}

function parseCredential(value: unknown, position: number): CredentialQuery {
  const at = `/credentials/${position}`
  if (!isJsonObject(value)) throw invalidQuery(at, 'must be an object')
  const format = boundedText(value.format, `${at}/format`)
  const claims = parseClaims(value.claims, format, value.claim_sets !== undefined, at)
  return {
    id: identifier(value.id, `${at}/id`),
    format,
    types: parseTypes(value.meta, format, `${at}/meta`),
    multiple: optionalBoolean(value.multiple, false, `${at}/multiple`),
    holderBinding: optionalBoolean(
      value.require_cryptographic_holder_binding,
      true,
      `${at}/require_cryptographic_holder_binding`,
    ),
    trustedAuthorities: parseAuthorities(value.trusted_authorities, `${at}/trusted_authorities`),
    claims,
    options: parseOptions(value.claim_sets, claims, at),
  }
}

function parseTypes(meta: unknown, format: string, at: string): readonly string[] | null {
  // OpenID4VP 1.0, 6.1: `meta` is REQUIRED.
  if (!isJsonObject(meta)) throw invalidQuery(at, 'must be an object')
  // OpenID4VP 1.0, B.3.5: `vct_values` REQUIRED, non-empty.
  if (format === 'dc+sd-jwt') return texts(meta.vct_values, `${at}/vct_values`)
  // OpenID4VP 1.0, B.2.3: `doctype_value` REQUIRED.
  if (format === 'mso_mdoc') return [boundedText(meta.doctype_value, `${at}/doctype_value`)]
  // OpenID4VP 1.0, B.1.1: `type_values` REQUIRED, arrays of arrays; checked although no such credential can match.
  if (format === 'ldp_vc' || format === 'jwt_vc_json') {
    list(meta.type_values, `${at}/type_values`, dcqlLimits.valuesMax).map((one, i) =>
      texts(one, `${at}/type_values/${i}`),
    )
  }
  return null
}

function parseAuthorities(value: unknown, at: string): readonly TrustedAuthority[] | null {
  if (value === undefined) return null
  return list(value, at, dcqlLimits.valuesMax).map((one, i) => {
    if (!isJsonObject(one)) throw invalidQuery(`${at}/${i}`, 'must be an object')
    // OpenID4VP 1.0, 6.1.1: `type` and a non-empty `values` are REQUIRED.
    return { type: boundedText(one.type, `${at}/${i}/type`), values: texts(one.values, `${at}/${i}/values`) }
  })
}

function parseSets(value: unknown, ids: ReadonlySet<string>): readonly CredentialSet[] | null {
  if (value === undefined) return null
  return list(value, '/credential_sets', dcqlLimits.optionsMax).map((one, i) => {
    const at = `/credential_sets/${i}`
    if (!isJsonObject(one)) throw invalidQuery(at, 'must be an object')
    return { options: parseSetOptions(one, ids, at), required: optionalBoolean(one.required, true, `${at}/required`) }
  })
}

function parseSetOptions(set: JsonObject, ids: ReadonlySet<string>, at: string): readonly (readonly string[])[] {
  return list(set.options, `${at}/options`, dcqlLimits.optionsMax).map((option, i) =>
    texts(option, `${at}/options/${i}`, dcqlLimits.credentialsMax).map((id) => {
      // OpenID4VP 1.0, 6.2: options refer to the ids of credential queries of this request.
      if (!ids.has(id)) throw invalidQuery(`${at}/options/${i}`, 'names no credential query')
      return id
    }),
  )
}
