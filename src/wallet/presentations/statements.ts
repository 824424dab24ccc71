import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { AuthenticatedRequest } from '../../protocols/openid4vp/authenticate-request.ts'
import { VERIFIER_STATEMENT_FORMAT } from '../../protocols/openid4vp/verifier-statement.ts'
import { isText } from '../../protocols/shape.ts'
import type { VerifierInfo } from './presentation.ts'

const PURPOSES_MAX = 8
const PURPOSE_LENGTH_MAX = 300
const LOGO_CHARS_MAX = 90_000
const NAME_CHARS_MAX = 100
const INFO_MAX = 8
const INFO_CHARS_MAX = 16_384

/** What a verifier says of itself and of its purpose. Nothing of it is proved. */
export type Statements = {
  readonly statedName: string | null
  readonly purposes: readonly string[]
  /** null: not stated. */
  readonly retentionSeconds: number | null
  readonly verifierInfo: readonly VerifierInfo[]
  readonly logoUri: string | null
}

/**
 * Returns what a request says of its verifier, each member cut to a bounded length or left out. Of `client_metadata`
 * nothing is shown: a wallet ignores there what OpenID4VP does not define (5.1).
 */
export function verifierStatements({
  signed,
  parameters,
}: Pick<AuthenticatedRequest, 'signed' | 'parameters'>): Statements {
  const entries = infoEntriesOf(parameters)
  const own = entries.find(isStatement)
  // OpenID4VP 1.0, 5.1: what is used of verifier_info must be signed, and bound to the verifier
  const statement = signed && isJsonObject(own?.data) ? own.data : {}
  return {
    statedName: foreignText(statement.client_name, NAME_CHARS_MAX),
    purposes: purposesOf(statement, parameters),
    retentionSeconds: retentionOf(statement),
    verifierInfo: verifierInfoOf(entries.filter((one) => !isStatement(one))),
    logoUri: logoOf(statement),
  }
}

/** Returns the purposes that the verifier states, cut to a bounded length. */
function purposesOf(statement: JsonObject, { dcql_query: query }: JsonObject): string[] {
  const sets = isJsonObject(query) && Array.isArray(query.credential_sets) ? query.credential_sets : []
  return [statement, ...sets.filter(isJsonObject)]
    .flatMap(({ purpose }) => foreignText(purpose, PURPOSE_LENGTH_MAX) ?? [])
    .slice(0, PURPOSES_MAX)
}

/** Returns how long the verifier says that it keeps what it gets: at most 100 years, else nothing is shown. */
function retentionOf({ retention_seconds: seconds }: JsonObject): number | null {
  return typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0 && seconds <= 3_155_760_000
    ? seconds
    : null
}

function logoOf({ logo_uri: uri }: JsonObject): string | null {
  return isText(uri, LOGO_CHARS_MAX) && /^(https?|data):/.test(uri) ? uri : null
}

function infoEntriesOf({ verifier_info: stated }: JsonObject): JsonObject[] {
  return Array.isArray(stated) ? stated.filter(isJsonObject) : []
}

function isStatement({ format }: JsonObject): boolean {
  return format === VERIFIER_STATEMENT_FORMAT
}

/**
 * [VP-R10] Returns the attestations that the verifier states about itself, up to a bounded size. NOT checked: their
 * signatures.
 */
function verifierInfoOf(entries: readonly JsonObject[]): VerifierInfo[] {
  return entries.slice(0, INFO_MAX).flatMap((one) => {
    if (!isText(one.format, 64)) return []
    const data = typeof one.data === 'string' ? one.data : JSON.stringify(one.data)
    return isText(data, INFO_CHARS_MAX) ? [{ format: one.format, data }] : []
  })
}
