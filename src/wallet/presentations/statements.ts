import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
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

/** Returns what the parameters of a request say of the verifier, each member cut to a bounded length or left out. */
export function statementsOf(parameters: JsonObject): Statements {
  return {
    statedName: foreignText(metadataOf(parameters).client_name, NAME_CHARS_MAX),
    purposes: purposesOf(parameters),
    retentionSeconds: retentionOf(parameters),
    verifierInfo: verifierInfoOf(parameters),
    logoUri: logoOf(parameters),
  }
}

/** Returns the purposes that the verifier states, cut to a bounded length. */
function purposesOf(parameters: JsonObject): string[] {
  const { dcql_query: query } = parameters
  const sets = isJsonObject(query) && Array.isArray(query.credential_sets) ? query.credential_sets : []
  return [metadataOf(parameters), ...sets.filter(isJsonObject)]
    .flatMap(({ purpose }) => foreignText(purpose, PURPOSE_LENGTH_MAX) ?? [])
    .slice(0, PURPOSES_MAX)
}

/** Returns how long the verifier says that it keeps what it gets: at most 100 years, else nothing is shown. */
function retentionOf(parameters: JsonObject): number | null {
  const { retention_seconds: seconds } = metadataOf(parameters)
  return typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0 && seconds <= 3_155_760_000
    ? seconds
    : null
}

function logoOf(parameters: JsonObject): string | null {
  const { logo_uri: uri } = metadataOf(parameters)
  return isText(uri, LOGO_CHARS_MAX) && /^(https?|data):/.test(uri) ? uri : null
}

function metadataOf({ client_metadata: metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {}
}

/** [VP-R10] Returns the attestations that the verifier states about itself, up to a bounded size. NOT checked: their signatures. */
function verifierInfoOf({ verifier_info: stated }: JsonObject): VerifierInfo[] {
  const entries = Array.isArray(stated) ? stated.slice(0, INFO_MAX) : []
  return entries.flatMap((one) => {
    if (!isJsonObject(one) || !isText(one.format, 64)) return []
    const data = typeof one.data === 'string' ? one.data : JSON.stringify(one.data)
    return isText(data, INFO_CHARS_MAX) ? [{ format: one.format, data }] : []
  })
}
