import { fromBase64url, toBase64url } from '../../crypto/base64url.ts'
import { digestBase64url, type HashName } from '../../crypto/digest.ts'
import { isJsonObject, type Json, type JsonObject, memberOf, parseJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import { isTextList } from '../shape.ts'

/** One member of a type of transaction data. */
export type TransactionMember = {
  readonly type: 'string' | 'number' | 'boolean' | 'object' | 'array'
  readonly optional?: boolean
}

/** The types of transaction data that a wallet knows, with the members of each. */
export type TransactionTypes = ReadonlyMap<string, Readonly<Record<string, TransactionMember>>>

/**
 * Transaction data that the holder may authorize. `encoded`: as received; the hash is over it. `content`: the members
 * of the type.
 */
export type TransactionData = {
  readonly encoded: string
  readonly type: string
  /** Of these credential queries exactly one presentation authorizes the transaction. */
  readonly credentialIds: readonly string[]
  readonly content: JsonObject
}

/** Hashes of transaction data, as the holder's key signs them. `alg`: null where the request named no algorithm. */
type TransactionHashes = { readonly hashes: readonly string[]; readonly alg: string | null }

/** All transaction data of a request. `alg`: an algorithm that the request names; null: none, so sha-256. */
export type Transactions = { readonly entries: readonly TransactionData[]; readonly alg: string | null }

/** Limits of transaction data in a request: what a person agrees to is shown whole. `charsMax`: of an entry as sent. */
export const transactionLimits = { entriesMax: 8, charsMax: 8192 } as const

const hashNames: ReadonlyMap<string, HashName> = new Map([
  ['sha-256', 'sha256'],
  ['sha-384', 'sha384'],
  ['sha-512', 'sha512'],
])
const common: ReadonlySet<string> = new Set(['type', 'credential_ids', 'transaction_data_hashes_alg'])
/** Claim of the key binding, and element in the namespace of the type, for mdocs (ours). */
export const TRANSACTION_HASHES = 'transaction_data_hashes'
const TRANSACTION_ALG = 'transaction_data_hashes_alg'

/**
 * Parses the transaction data of a request as a wallet.
 *
 * @param query The query of the request: the entries name its credential queries.
 * @param types The known types. A wallet without types refuses all transaction data.
 * @throws Fault `presentation_request.transaction_data` [VP-T1, VP-T2, VP-R7]
 * @see [OpenID4VP 1.0, 5.1](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-5.1) and [8.4](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-8.4)
 */
export function parseTransactionData(value: Json | undefined, query: DcqlQuery, types: TransactionTypes): Transactions {
  if (value === undefined) return { entries: [], alg: null }
  if (!isTextList(value, transactionLimits.entriesMax)) throw refused('it is not a list of 1 to 8 strings')
  const parsed = value.map((encoded) => parseEntry(encoded, query, types))
  const algs = parsed.map((one) => one.algs)
  const named = algs.some((one) => one !== null)
  // OpenID4VP 1.0, B.3.3: one of the algorithms of each entry; sha-256 where it names none
  const alg = [...hashNames.keys()].find((one) => algs.every((list) => (list ?? ['sha-256']).includes(one)))
  if (alg === undefined) throw refused('its entries have no hash algorithm in common that this wallet supports')
  return { entries: parsed.map((one) => one.entry), alg: named ? alg : null }
}

type Parsed = { readonly entry: TransactionData; readonly algs: readonly string[] | null }

function parseEntry(encoded: string, query: DcqlQuery, types: TransactionTypes): Parsed {
  if (encoded.length > transactionLimits.charsMax)
    throw refused(`an entry is longer than ${transactionLimits.charsMax} characters`)
  const object = objectOf(encoded)
  const { type, credential_ids: ids, transaction_data_hashes_alg: algs } = object
  const members = typeof type === 'string' ? types.get(type) : undefined
  if (typeof type !== 'string' || members === undefined) throw refused('it has a type that this wallet does not know')
  checkMembers(object, members)
  // [VP-T1]
  if (!isTextList(ids)) throw refused('credential_ids is not a list of ids')
  for (const id of ids) {
    const found = query.credentials.find((one) => one.id === id)
    if (found === undefined) throw refused('credential_ids names a credential that is not requested')
    // [VP-T3]
    if (!found.holderBinding) throw refused('a credential without holder binding cannot authorize a transaction')
  }
  if (algs !== undefined && !isTextList(algs)) throw refused('its hash algorithms are not a list')
  const content = Object.fromEntries(Object.entries(object).filter(([name]) => !common.has(name)))
  return { entry: { encoded, type, credentialIds: [...new Set(ids)], content }, algs: algs ?? null }
}

function objectOf(encoded: string): JsonObject {
  try {
    return parseJsonObject(fromBase64url(encoded))
  } catch (cause) {
    throw new Fault('presentation_request.transaction_data', {
      detail: detailOf('an entry is not a JSON object'),
      cause,
    })
  }
}

/** [VP-T2] OpenID4VP 1.0, 8.5: no unknown member, none missing, each of its type */
function checkMembers(object: JsonObject, members: Readonly<Record<string, TransactionMember>>): void {
  for (const name of Object.keys(object))
    if (!common.has(name) && !Object.hasOwn(members, name))
      throw refused('it has a member that its type does not define')
  for (const [name, { type, optional = false }] of Object.entries(members)) {
    const value = memberOf(object, name)
    if (value === undefined ? !optional : typeOf(value) !== type)
      throw refused('a member of its type is missing or of another type')
  }
}

function typeOf(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

/** Returns the hashes of these entries. The hash is over the received string, not over what it decodes to. [VP-T3] */
export function hashTransactions(entries: readonly TransactionData[], alg: string | null): TransactionHashes {
  const name = hashNames.get(alg ?? 'sha-256') ?? 'sha256'
  return { hashes: entries.map(({ encoded }) => digestBase64url(name, encoded)), alg }
}

/** Returns the claims of a key binding that authorizes transactions. @see [OpenID4VP 1.0, B.3.3.1](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#appendix-B.3.3.1) */
export function transactionClaims({ hashes, alg }: TransactionHashes): JsonObject {
  return { [TRANSACTION_HASHES]: hashes, ...(alg !== null && { [TRANSACTION_ALG]: alg }) }
}

/** Encodes one entry for a request, as verifier. `content`: the members of the type. */
export function encodeTransaction(entry: Omit<TransactionData, 'encoded'>): string {
  const { type, credentialIds, content } = entry
  return toBase64url(JSON.stringify({ type, credential_ids: credentialIds, ...content }))
}

/** An entry that this verifier sent. */
type SentTransaction = Pick<TransactionData, 'encoded' | 'type' | 'credentialIds'>

/** Parses an entry that this verifier encoded. */
export function readSentTransaction(encoded: string): SentTransaction {
  const { type, credential_ids: ids } = parseJsonObject(fromBase64url(encoded))
  return { encoded, type: String(type), credentialIds: isTextList(ids) ? ids : [] }
}

/** The signed claims of one valid presentation: of its key binding, or by namespace its device-signed elements. */
type SignedByHolder = {
  readonly queryId: string
  readonly format: 'dc+sd-jwt' | 'mso_mdoc'
  readonly claims: JsonObject
}

/**
 * Checks that the holder authorized every transaction of a request exactly once, and nothing else. [VP-T4]
 *
 * @param signed Valid presentations only.
 * @returns the credential queries whose presentations do not authorize what they should; empty if all is authorized.
 */
export function findUnauthorized(
  sent: readonly SentTransaction[],
  signed: readonly SignedByHolder[],
): ReadonlySet<string> {
  const wrong = new Set<string>()
  const times = new Map(sent.map((one) => [one, 0]))
  for (const one of signed) {
    const due = sent.filter(({ credentialIds }) => credentialIds.includes(one.queryId))
    if (due.length === 0) continue
    const authorized = authorizedBy(one, due)
    if (authorized === null) wrong.add(one.queryId)
    else for (const entry of authorized) times.set(entry, (times.get(entry) ?? 0) + 1)
  }
  for (const [{ credentialIds }, count] of times) if (count !== 1) for (const id of credentialIds) wrong.add(id)
  return wrong
}

/**
 * The entries that a presentation authorizes; null if it has hashes of other data, another algorithm or another order.
 */
function authorizedBy(one: SignedByHolder, due: readonly SentTransaction[]): readonly SentTransaction[] | null {
  if (one.format === 'dc+sd-jwt') return matched(one.claims, due)
  // by namespace: each type has its own
  const found = [...new Set(due.map(({ type }) => type))].map((type) => {
    const elements = memberOf(one.claims, type)
    const ofType = due.filter((entry) => entry.type === type)
    return matched(isJsonObject(elements) ? elements : {}, ofType)
  })
  return found.includes(null) ? null : found.flatMap((entries) => entries ?? [])
}

function matched(claims: JsonObject, due: readonly SentTransaction[]): readonly SentTransaction[] | null {
  const { [TRANSACTION_HASHES]: hashes = [], [TRANSACTION_ALG]: alg = 'sha-256' } = claims
  // no algorithm was requested, so it is the default
  if (alg !== 'sha-256' || !Array.isArray(hashes)) return null
  const left = due.filter(({ encoded }) => hashes.includes(digestBase64url('sha256', encoded)))
  const expected = left.map(({ encoded }) => digestBase64url('sha256', encoded))
  return JSON.stringify(expected) === JSON.stringify(hashes) ? left : null
}

function refused(reason: string): Fault {
  return new Fault('presentation_request.transaction_data', { detail: detailOf(reason) })
}

function detailOf(reason: string): string {
  return `The transaction data cannot be authorized: ${reason}.`
}
