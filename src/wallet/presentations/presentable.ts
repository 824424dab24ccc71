import { setImmediate } from 'node:timers/promises'
import type { Caller, UserId } from '../../caller.ts'
import { isJsonObject, type Json, memberOf } from '../../crypto/json.ts'
import type { Platform } from '../../platform.ts'
import type { DcqlCredential } from '../../protocols/dcql/match.ts'
import type { CredentialQuery, DcqlQuery, PathStep } from '../../protocols/dcql/query.ts'
import { type Match, type Selection, selectCredentials } from '../../protocols/dcql/select-credentials.ts'
import { mdocCandidate } from '../../protocols/mdoc/dcql-candidate.ts'
import { parseIssuerSigned } from '../../protocols/mdoc/issuer-signed.ts'
import { presentSdJwt } from '../../protocols/sd-jwt-vc/present-sd-jwt.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { alsoTypesOf, claimsOf, subjectClaims } from '../credentials/credential.ts'
import { listPresentable, type SealedCredential } from '../credentials/credential-store.ts'
import { openRaw } from '../credentials/sealed-copy.ts'
import { walletFormats, wireFormats } from '../credentials/wallet-format.ts'
import { type AlsoDisclosed, pathText, type SelectedCredential } from './presentation.ts'

/** A credential of the wallet as a query sees it. */
export type Candidate = DcqlCredential & { readonly id: string; readonly raw: string }

/** One presentation that is to be made: which credential answers which query, and with which claims. */
export type CredentialChoice = { readonly query: CredentialQuery; readonly match: Match<Candidate> }

/** How many credentials of one wallet are looked through. */
const CANDIDATES_MAX = 1000

/**
 * The accepted and valid credentials of a user that may answer a request, newest first. Opened one by one, with room for other work between.
 *
 * @param request `formats`: only these, as protocols call them.
 * @param ids Only these; null: those of the types that the query names.
 */
export async function listCandidates(
  { store, sealing, clock }: Pick<Platform, 'store' | 'sealing' | 'clock'>,
  { tenantId }: Pick<Caller, 'tenantId'>,
  userId: UserId,
  { query, formats }: { readonly query: DcqlQuery; readonly formats: readonly string[] },
  ids: readonly string[] | null,
): Promise<Candidate[]> {
  const wanted = {
    ids,
    // (3.11, step 6) what the verifier cannot check, or the tenant has closed, is not shown
    formats: walletFormats.filter((one) => formats.includes(wireFormats[one])),
    types: ids === null ? query.credentials.flatMap(({ types }) => types ?? []) : null,
  }
  const held = await store.single(tenantId, (tx) => listPresentable(tx, userId, wanted, clock.now(), CANDIDATES_MAX))
  const candidates: Candidate[] = []
  for (const one of held) {
    candidates.push(candidateOf(one, await openRaw(sealing, tenantId, one)))
    await setImmediate()
  }
  return candidates
}

/** What the wallet could answer with these candidates. */
export function selectPresentable(query: DcqlQuery, candidates: readonly Candidate[]): Selection<Candidate> {
  return selectCredentials(query, candidates)
}

/**
 * The presentations to make for some query ids: the first candidate that matches, or all of them where the verifier takes several and
 * the holder named them.
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

/** The choices as the holder reads them: one entry a credential, with everything of it that would be shown. */
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
 * What the presentations show beyond what was asked for: the issuer put it in the clear, and the holder cannot keep it back. [SEC-55]
 */
export function besidesOf(choices: readonly CredentialChoice[]): AlsoDisclosed[] {
  const found = new Map<string, Set<string>>()
  for (const { query, match } of choices) {
    // every element of an mdoc can be kept back
    if (match.credential.format === 'mso_mdoc') continue
    const asked = (query.options[match.option] ?? []).map(({ path }) => path)
    const shown = claimsOf(presentSdJwt(parseSdJwt(match.credential.raw), match.paths, null))
    const known = found.get(match.credential.id) ?? new Set()
    for (const path of leavesOf(subjectClaims(shown), [])) if (!isAsked(path, asked)) known.add(pathText(path))
    found.set(match.credential.id, known)
  }
  return [...found].flatMap(([credentialId, known]) =>
    known.size === 0 ? [] : [{ credentialId, attributes: [...known] }],
  )
}

function leavesOf(value: Json, path: readonly PathStep[]): (readonly PathStep[])[] {
  if (Array.isArray(value)) return value.flatMap((one) => leavesOf(one, [...path, null]))
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, one]) => leavesOf(one, [...path, name]))
  return [path]
}

/** Whether it stands at or below something that was asked for. Which element of an array it is plays no part. */
function isAsked(path: readonly PathStep[], asked: readonly (readonly PathStep[])[]): boolean {
  return asked.some((one) => one.every((step, at) => (typeof step === 'string' ? step : null) === path[at]))
}

function attributesOf(query: CredentialQuery, { option }: Pick<Match<Candidate>, 'option'>): string[] {
  return (query.options[option] ?? []).map(({ path }) => nameOf(query, path))
}

/** Names of namespaces have dots in them, so theirs are told otherwise. */
function nameOf({ format }: CredentialQuery, path: readonly PathStep[]): string {
  return format === 'mso_mdoc' ? path.join('/') : pathText(path)
}

/** (3.11, step 8) What of a presentation the verifier says that it will keep. Only queries for mdocs have a word for that. */
export function retainedOf({ query, match }: CredentialChoice): string[] {
  const claims = query.options[match.option] ?? []
  return claims.flatMap(({ path, intentToRetain }) => (intentToRetain === true ? nameOf(query, path) : []))
}

function candidateOf({ id, format, vct }: SealedCredential, raw: string): Candidate {
  // one that is not bound to a key of ours is not taken
  if (format === 'mso_mdoc') return { id, raw, ...mdocCandidate(parseIssuerSigned(raw), true) }
  const claims = claimsOf(raw)
  const alsoTypes = alsoTypesOf(claims)
  const holderBound = memberOf(claims, 'cnf') !== undefined
  return { id, raw, format: 'dc+sd-jwt', type: vct, alsoTypes, claims, holderBound }
}
