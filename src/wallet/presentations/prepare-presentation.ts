import type { Caller } from '../../caller.ts'
import type { ShownPresentation } from '../../contract/wallet/presentations.ts'
import type { Platform } from '../../platform.ts'
import type { Selection } from '../../protocols/dcql/select-credentials.ts'
import { newId } from '../../store/row-id.ts'
import { type Holder, holderOf } from '../credentials/holder.ts'
import { lookUpStandings } from '../credentials/refresh-status.ts'
import { settlePresentation } from '../delivery-records/settle-delivery.ts'
import { fetchPicture } from '../display/fetch-images.ts'
import { byPreference, propose } from './choose-answer.ts'
import { type FetchedRequest, fetchRequest } from './fetch-request.ts'
import {
  alsoDisclosedOf,
  type Candidate,
  listCandidates,
  retainedOf,
  selectedOf,
  selectPresentable,
} from './presentable.ts'
import {
  type PresentationRow,
  type PresentationView,
  presentationMeta,
  showPresentation,
  unmatchedOf,
  type VerifierIdentity,
} from './presentation.ts'
import { insertPresentation } from './presentation-store.ts'
import { sealRequest, sealView } from './sealed-presentation.ts'

/** A presentation with its `meta`. */
export type PresentationAnswer = {
  readonly data: ShownPresentation
  readonly meta: Record<string, unknown>
  readonly etag?: string
}

/** The longest time that a request stays pending, whatever the verifier allows. */
const OPEN_MS_MAX = 86_400_000
/** The person waits for it. */
const LOGO_MS_MAX = 2000

/**
 * Fetches a presentation request, selects the credentials that answer it, and stores both for the holder to decide.
 * Nothing is sent: the verifier does not learn whether anything matches.
 *
 * @throws Fault `holder.missing`, `presentation_request.*`, `dcql.invalid`, `upstream.*`
 */
export async function preparePresentation(
  platform: Platform,
  caller: Caller,
  presentationRequest: string,
  id = newId(),
): Promise<PresentationAnswer> {
  const { tenantId, tenantSlug } = caller
  const holder = { tenantId, tenantSlug, userId: holderOf(caller), by: caller, deliveryId: null }
  return receiveRequest(platform, holder, presentationRequest, id)
}

/** As {@link preparePresentation}, into the wallet of the given holder. Settles a delivery in the same transaction. */
export async function receiveRequest(
  platform: Platform,
  holder: Holder,
  presentationRequest: string,
  id: string,
): Promise<PresentationAnswer> {
  const { tenantId, userId, by, deliveryId } = holder
  const opened = await fetchRequest(platform, tenantId, presentationRequest)
  const { expiresAt: end, verifier: _, purposes: __, verifierInfo: ___, retentionSeconds: ____, ...others } = opened
  const { logoUri, ...request } = others
  const [candidates, logo] = await Promise.all([
    listChecked(platform, holder, opened),
    logoUri === null ? null : fetchPicture(platform, tenantId, logoUri, LOGO_MS_MAX),
  ])
  const shown = logo === null ? {} : { logo: { mediaType: logo.mediaType, data: logo.bytes.toString('base64') } }
  const view = { ...viewOf(opened, candidates), ...shown }
  const now = platform.clock.now()
  const expiresAt = new Date(Math.min(end?.getTime() ?? now.getTime() + ttlMs(platform), now.getTime() + OPEN_MS_MAX))
  const made = {
    id,
    expiresAt,
    createdAt: now,
    sealedRequest: await sealRequest(platform.sealing, tenantId, id, request),
    sealedView: await sealView(platform.sealing, tenantId, id, view),
  }
  const subject = { kind: 'wallet_presentation', id } as const
  const entry = { action: 'wallet_presentation.prepared', subject, by } as const
  if (deliveryId === null) await platform.store.single(tenantId, (tx) => insertPresentation(tx, userId, made, entry))
  else
    await platform.store.inTenant(tenantId, async (tx) => {
      await insertPresentation(tx, userId, made, entry)
      await settlePresentation(tx, deliveryId, by, now)
    })
  const row: PresentationRow = { ...made, status: 'pending', isAnswering: false, updatedAt: now }
  return { data: showPresentation(row, view, tenantId, now), meta: presentationMeta(row, view) }
}

function ttlMs({ config }: Pick<Platform, 'config'>): number {
  return config.presentationTtlSeconds * 1000
}

/**
 * Lists the credentials that may answer, with their status now: of those that match it is looked up before one is
 * proposed. One whose status could not be had in time has the status `unknown`, unless the last check found it
 * suspended or revoked.
 */
async function listChecked(platform: Platform, holder: Holder, request: FetchedRequest): Promise<Candidate[]> {
  const candidates = await listCandidates(platform, holder, holder.userId, request, null)
  const { queries } = selectPresentable(request, candidates)
  const matched = new Set([...queries.values()].flatMap(({ matches }) => matches.map(({ credential }) => credential)))
  // a credential without a list cannot be revoked, and a revoked one stays so
  const open = [...matched].filter(({ standing }) => standing !== null && standing !== 'revoked')
  const found = await lookUpStandings(platform, holder, byPreference(open))
  return candidates.map((one) => {
    const before = one.standing === 'valid' ? 'unknown' : one.standing
    return { ...one, standing: found.get(one.id) ?? before }
  })
}

function viewOf(request: FetchedRequest, candidates: readonly Candidate[]): PresentationView {
  const { selection, choices } = propose(request, candidates)
  const matched = new Set(
    [...selection.queries.values()].flatMap(({ matches }) => matches.map(({ credential }) => credential)),
  )
  return {
    verifier: verifierOf(request),
    purposes: request.purposes,
    ...(request.retentionSeconds !== null && { retentionSeconds: request.retentionSeconds }),
    verifierInfo: request.verifierInfo,
    transactionData: request.transactions.entries.map(({ type, credentialIds, content }) => ({
      type,
      queryIds: credentialIds,
      content,
    })),
    credentialSets: request.query.credentialSets ?? [],
    selected: selectedOf(choices),
    alsoDisclosed: alsoDisclosedOf(choices),
    preferred: byPreference(candidates.filter((one) => matched.has(one))).map(({ id }) => id),
    alternatives: alternativesOf(request, selection),
    unmatched: unmatchedOf(request.query, ({ id }) => selection.unmatched.includes(id)),
  }
}

function alternativesOf({ query }: FetchedRequest, { queries, required }: Selection<Candidate>) {
  return query.credentials.map((one) => ({
    queryId: one.id,
    required: required.includes(one.id),
    multiple: one.multiple,
    credentials: (queries.get(one.id)?.matches ?? []).flatMap((match) => {
      const choice = { query: one, match }
      const [also] = alsoDisclosedOf([choice])
      const retained = retainedOf(choice)
      const kept = retained.length === 0 ? {} : { intentToRetain: retained }
      const disclosed = also === undefined ? {} : { alsoDisclosed: also.attributes }
      return selectedOf([choice]).map((selected) => ({ ...selected, ...disclosed, ...kept }))
    }),
  }))
}

/** Returns the identity of the verifier: the authenticated name, else the DID, else the host of the `response_uri`. */
function verifierOf({ client, responseUri, verifier }: FetchedRequest): VerifierIdentity {
  const { signed, trusted, own, basis, statedName } = verifier
  const responseHost = new URL(responseUri).host
  const name = verifier.name ?? (client.prefix === 'decentralized_identifier' ? client.id : responseHost)
  const identity = { clientId: client.full, name, responseHost, authenticated: signed, trusted }
  return { ...identity, basis, ...(own === true && { own }), ...(statedName !== null && { statedName }) }
}
