import { setImmediate } from 'node:timers/promises'
import type { Caller, UserId } from '../../caller.ts'
import { walletFormats } from '../../contract/wallet/credentials.ts'
import { type Json, memberOf } from '../../crypto/json.ts'
import { authorityKeyIdsOf } from '../../crypto/x509/authority-key-ids.ts'
import type { Platform } from '../../platform.ts'
import { pathText, walkValues } from '../../protocols/claim-tree.ts'
import { locateInMdoc } from '../../protocols/dcql/claims-path.ts'
import type { DcqlCredential } from '../../protocols/dcql/match.ts'
import type { CredentialQuery, DcqlQuery, PathStep } from '../../protocols/dcql/query.ts'
import { type Match, type Selection, selectCredentials } from '../../protocols/dcql/select-credentials.ts'
import { mdocCandidate } from '../../protocols/mdoc/dcql-candidate.ts'
import { type IssuerSigned, parseIssuerSigned } from '../../protocols/mdoc/issuer-signed.ts'
import type { KeyAuthorizations } from '../../protocols/mdoc/mobile-security-object.ts'
import type { Transactions } from '../../protocols/openid4vp/transactions.ts'
import { alsoTypesOf } from '../../protocols/sd-jwt-vc/also-types.ts'
import { PathSet, type ValuePath } from '../../protocols/sd-jwt-vc/claim-path.ts'
import { type ProcessedSdJwt, processSdJwt } from '../../protocols/sd-jwt-vc/process-sd-jwt.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { isTextList } from '../../protocols/shape.ts'
import type { Standing } from '../../protocols/status-list/packed-list.ts'
import { subjectClaims } from '../credentials/credential.ts'
import { listPresentable, type PresentableCredential } from '../credentials/credential-store.ts'
import { openRaw } from '../credentials/sealed-copy.ts'
import { wireFormats } from '../credentials/wallet-format.ts'
import type { AlsoDisclosed, SelectedCredential } from './presentation.ts'
import { authorizesQuery } from './transactions.ts'

/**
 * A credential of the wallet for DCQL. `leaves`: the values that a presentation may disclose besides; none for an
 * mdoc. `authorizations`: the elements that the key of an mdoc may sign; null for other formats. `standing`: its
 * status; `unknown`: its list could not be read in time; null: it has no list.
 */
export type Candidate = DcqlCredential & {
  readonly id: string
  readonly credentialIssuer: string
  readonly standing: Standing | 'unknown' | null
  readonly leaves: readonly Leaf[]
  readonly authorizations: KeyAuthorizations | null
}

/**
 * A value of a credential. `path`: with null for an index. `within`: the path of its innermost disclosure; null: it is
 * always disclosed.
 */
type Leaf = {
  readonly path: readonly PathStep[]
  readonly at: ValuePath
  readonly within: ValuePath | null
  readonly value: Json
}

/** One presentation to make: which credential answers which query, and with which claims. */
export type CredentialChoice = { readonly query: CredentialQuery; readonly match: Match<Candidate> }

/** The most credentials of one wallet that are searched. */
const CANDIDATES_MAX = 1000
/** Sealed copies that one statement reads: about so many bytes, and one more copy of up to 1 MiB. */
const COPY_BYTES_PER_READ = 4 * 1024 * 1024

/**
 * Lists the accepted credentials of a user that may answer a request and have not expired, newest first, with their
 * status by the last check. Yields to the event loop after each.
 *
 * @param request `formats`: identifiers of OpenID4VP.
 * @param ids Only these; null: those of the types in the query.
 */
export async function listCandidates(
  { store, sealing, clock }: Pick<Platform, 'store' | 'sealing' | 'clock'>,
  { tenantId }: Pick<Caller, 'tenantId'>,
  userId: UserId,
  { query, formats }: { readonly query: DcqlQuery; readonly formats: readonly string[] },
  ids: readonly string[] | null,
): Promise<Candidate[]> {
  const presentable = {
    ids,
    // OpenID4VP 1.0, 11.1: formats that the verifier does not support, or the tenant has not enabled, are left out
    formats: walletFormats.filter((one) => formats.includes(wireFormats[one])),
    types: ids === null ? query.credentials.flatMap(({ types }) => types ?? []) : null,
  }
  const now = clock.now()
  const candidates: Candidate[] = []
  for (let before: string | null = null; candidates.length < CANDIDATES_MAX; ) {
    const part = { before, countMax: CANDIDATES_MAX - candidates.length, bytesMax: COPY_BYTES_PER_READ }
    const held: readonly PresentableCredential[] = await store.single(tenantId, (tx) =>
      listPresentable(tx, userId, presentable, now, part),
    )
    for (const one of held) {
      candidates.push(candidateOf(one, await openRaw(sealing, tenantId, one)))
      await setImmediate()
    }
    const bytes = held.reduce((sum, { sealedRaw }) => sum + sealedRaw.length, 0)
    if (bytes < COPY_BYTES_PER_READ) break
    before = held.at(-1)?.id ?? null
  }
  return candidates
}

/** Returns what the wallet could answer with these candidates. */
export function selectPresentable(
  { query, transactions }: { readonly query: DcqlQuery; readonly transactions: Transactions },
  candidates: readonly Candidate[],
): Selection<Candidate> {
  return selectCredentials(query, candidates, (id, one) => authorizesQuery(transactions, id, one))
}

/**
 * Returns the presentations to make for the given query ids: the first candidate that matches, or all where the
 * verifier accepts several and the holder named them.
 */
export function choicesFor(
  query: DcqlQuery,
  { queries }: Selection<Candidate>,
  ids: readonly string[],
  takeAll: boolean,
): CredentialChoice[] {
  return query.credentials
    .filter(({ id }) => ids.includes(id))
    .flatMap((one) => {
      const matches = queries.get(one.id)?.matches ?? []
      return matches.slice(0, takeAll && one.multiple ? matches.length : 1).map((match) => ({ query: one, match }))
    })
}

/** Returns the choices as shown to the holder: one entry per credential, with all its attributes to disclose. */
export function selectedOf(choices: readonly CredentialChoice[]): SelectedCredential[] {
  const attributes = new Map<string, Set<string>>()
  for (const { query, match } of choices) {
    const known = attributes.get(match.credential.id) ?? new Set()
    for (const one of attributesOf(query, match)) known.add(one)
    attributes.set(match.credential.id, known)
  }
  return [...attributes].map(([credentialId, known]) => ({ credentialId, matchedAttributes: [...known] }))
}

/**
 * Returns what the presentations disclose besides the requested claims, since the issuer did not make it selectively
 * disclosable. [SEC-55]
 */
export function alsoDisclosedOf(choices: readonly CredentialChoice[]): AlsoDisclosed[] {
  const found = new Map<string, Set<string>>()
  for (const { query, match } of choices) {
    const { id, leaves } = match.credential
    const requested = (query.options[match.option] ?? []).map(({ path }) => path)
    const disclosed = new PathSet(match.paths)
    const attributes = found.get(id) ?? new Set()
    for (const { path, within } of leaves)
      if ((within === null || disclosed.touches(within)) && !isRequestedPath(path, requested))
        attributes.add(pathText(path))
    found.set(id, attributes)
  }
  return [...found].flatMap(([credentialId, attributes]) =>
    attributes.size === 0 ? [] : [{ credentialId, attributes: [...attributes] }],
  )
}

/** Returns the subject's values of a processed SD-JWT, so that each credential is processed once. */
function leavesOf({ payload, disclosed }: ProcessedSdJwt): Leaf[] {
  const disclosures = new Set(disclosed.map(({ path }) => JSON.stringify(path)))
  const leaves: Leaf[] = []
  walkValues<ValuePath | null>(subjectClaims(payload), null, (value, at, above) => {
    const within = disclosures.has(JSON.stringify(at)) ? at : above
    // An empty array or object says something too.
    if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
      leaves.push({ path: at.map((step) => (typeof step === 'number' ? null : step)), at, within, value })
    return within
  })
  return leaves
}

/** Returns whether a path is at or below a requested one. Array indices are ignored. */
export function isRequestedPath(path: readonly PathStep[], requested: readonly (readonly PathStep[])[]): boolean {
  return requested.some((one) => one.every((step, at) => (typeof step === 'string' ? step : null) === path[at]))
}

function attributesOf(query: CredentialQuery, match: Match<Candidate>): string[] {
  return requestedPathsOf({ query, match }).map((path) => pathText(path, query.format === 'mso_mdoc'))
}

/** Returns the requested paths; of an mdoc those of the elements that answer them, each once. */
export function requestedPathsOf({ query, match }: CredentialChoice): readonly (readonly PathStep[])[] {
  return query.format === 'mso_mdoc' ? match.paths : (query.options[match.option] ?? []).map(({ path }) => path)
}

/** Returns the attributes that the verifier intends to retain. Only queries for mdocs state that. */
export function retainedOf({ query, match }: CredentialChoice): string[] {
  if (query.format !== 'mso_mdoc') return []
  const kept = (query.options[match.option] ?? []).filter(({ intentToRetain }) => intentToRetain === true)
  const texts = kept.flatMap(({ path }) => {
    const located = locateInMdoc(match.credential.claims, path)
    return typeof located === 'string' ? [] : located.map((one) => pathText(one.path, true))
  })
  return [...new Set(texts)]
}

function candidateOf({ id, format, vct, ...held }: PresentableCredential, raw: string): Candidate {
  const { credentialIssuer, standing } = held
  const about = { id, credentialIssuer, standing }
  // an mdoc without a key of ours is refused on receipt; each of its elements is selectively disclosable
  if (format === 'mso_mdoc') {
    const mdoc = parseIssuerSigned(raw)
    return { ...about, leaves: [], authorizations: mdoc.mso.keyAuthorizations, ...mdocOf(mdoc) }
  }
  const sdJwt = parseSdJwt(raw)
  const processed = processSdJwt(sdJwt)
  const claims = processed.payload
  const alsoTypes = alsoTypesOf(claims)
  const holderBound = memberOf(claims, 'cnf') !== undefined
  const { x5c } = sdJwt.jwt.header
  const chain = isTextList(x5c) ? x5c.map((one) => Buffer.from(one, 'base64')) : []
  const authorityKeyIds = authorityKeyIdsOf(chain)
  const found = { type: vct, alsoTypes, claims, holderBound, authorityKeyIds }
  return { ...about, leaves: leavesOf(processed), authorizations: null, format: 'dc+sd-jwt', ...found }
}

function mdocOf(mdoc: IssuerSigned): DcqlCredential {
  return { ...mdocCandidate(mdoc, true), authorityKeyIds: authorityKeyIdsOf(mdoc.x5chain) }
}
