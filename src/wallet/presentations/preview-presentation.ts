import type { Caller, TenantId } from '../../caller.ts'
import type { CredentialDetails } from '../../contract/wallet/card-display.ts'
import type { ClaimsPreview, PreviewedClaim } from '../../contract/wallet/presentations.ts'
import type { Json, JsonObject } from '../../crypto/json.ts'
import { entityTagOf } from '../../http/routes/entity-tag.ts'
import type { Platform } from '../../platform.ts'
import { walkValues } from '../../protocols/claim-tree.ts'
import { PathSet } from '../../protocols/sd-jwt-vc/claim-path.ts'
import { holderOf } from '../credentials/holder.ts'
import { type DisplayNeeds, describeCredentials } from '../display/describe-credentials.ts'
import { inOrderOf, isUnfit } from './choose-answer.ts'
import {
  type CredentialChoice,
  isRequestedPath,
  listCandidates,
  requestedPathsOf,
  selectPresentable,
} from './presentable.ts'
import { type PresentationView, presentationStatusAt, unmatchedOf } from './presentation.ts'
import type { SealedPresentation } from './presentation-store.ts'
import { openRequest } from './sealed-presentation.ts'

type Needs = Pick<Platform, 'sealing'> & DisplayNeeds

/** What the holder would share with each alternative, and the tag of all that the holder is shown. */
type Preview = {
  readonly claims: readonly ClaimsPreview[]
  /** Queries that no credential matches now. */
  readonly unmatched: PresentationView['unmatched']
  readonly credentials: ReadonlyMap<string, CredentialDetails>
  /**
   * Changes when the request, a credential, what would be disclosed or how the verifier answered changes; not with the
   * language.
   */
  readonly etag: string
}

/**
 * What a preview lists of one credential: as much as a person can read on one page. `values`: those inside arrays and
 * objects count each. `chars`: of paths and values, as JSON. `withheld`: names that would stay.
 */
const oneMax = { values: 2000, chars: 200_000, withheld: 500 } as const
/** As {@link oneMax}, of all alternatives together: a wallet may have many cards that match. */
const allMax = { values: 20_000, chars: 2_000_000, withheld: 20_000 } as const

/** How much may still be listed. */
type Room = { values: number; chars: number; withheld: number }

/**
 * Returns, for each alternative of a pending presentation, the claims that would leave with their values, and the names
 * of those that would stay. Values are whole. Of what is too much to be listed the preview has the number: no page may
 * share what it did not show. The selection runs again over the wallet as it is now. An answered presentation has no
 * claims in its preview: its values are not kept.
 *
 * @param language `Accept-Language` of the caller.
 */
export async function previewPresentation(
  platform: Needs,
  caller: Caller,
  row: SealedPresentation,
  view: PresentationView,
  language?: string,
): Promise<Preview> {
  const { tenantId } = caller
  const userId = holderOf(caller)
  const { claims, unmatched, unfit } = await matchedNow(platform, { tenantId, userId }, row, view)
  const shown = [...view.alternatives.flatMap(({ credentials }) => credentials), ...view.selected]
  const ids = [...new Set(shown.map(({ credentialId }) => credentialId))]
  const { verifier, purposes, retentionSeconds, transactionData, selected, error, redirectUri } = view
  const status = presentationStatusAt(row, platform.clock.now())
  const asked = { id: row.id, status, verifier, purposes, retentionSeconds, transactionData }
  const content = { ...asked, selected, claims, unfit, error, redirectUri }
  return {
    claims,
    unmatched,
    credentials: await describeCredentials(platform, { tenantId, userId }, ids, language),
    etag: entityTagOf(JSON.stringify(content)),
  }
}

/** `unfit`: the credentials that are suspended or revoked, with which of both. */
type Matched = Pick<Preview, 'claims' | 'unmatched'> & { readonly unfit: readonly unknown[] }

async function matchedNow(
  platform: Needs,
  owner: { readonly tenantId: TenantId; readonly userId: ReturnType<typeof holderOf> },
  row: SealedPresentation,
  view: PresentationView,
): Promise<Matched> {
  const { tenantId, userId } = owner
  const isPending = presentationStatusAt(row, platform.clock.now()) === 'pending'
  const offered = view.alternatives.flatMap(({ credentials }) => credentials)
  const ids = [...new Set(offered.map(({ credentialId }) => credentialId))]
  if (!isPending || row.sealedRequest === null || ids.length === 0)
    return { claims: [], unmatched: view.unmatched, unfit: [] }
  const request = await openRequest(platform.sealing, tenantId, row.id, row.sealedRequest)
  const listed = await listCandidates(platform, owner, userId, request, ids)
  const candidates = inOrderOf(view.preferred ?? [], listed)
  const { queries } = selectPresentable(request, candidates)
  const choices = request.query.credentials.flatMap((query) =>
    (queries.get(query.id)?.matches ?? []).map((match, rank) => ({ query, match, rank })),
  )
  // The first of each query is the proposal: it has room before the others.
  const left = { ...allMax }
  const made = new Map(
    choices.toSorted((one, other) => one.rank - other.rank).map((one) => [one, previewOf(one, left)]),
  )
  return {
    claims: choices.flatMap((one) => made.get(one) ?? []),
    unmatched: unmatchedOf(request.query, ({ id }) => (queries.get(id)?.matches ?? []).length === 0),
    unfit: candidates.filter(isUnfit).map(({ id, standing }) => [id, standing]),
  }
}

/** @param all What is left for all alternatives; what is listed here is taken from it. */
function previewOf({ query, match }: CredentialChoice, all: Room): ClaimsPreview {
  const { id: credentialId, format } = match.credential
  const disclosed: PreviewedClaim[] = []
  const withheld = new Set<string>()
  const names = new Set<string>()
  const own = { ...oneMax }
  const takes = (cost: Room) => takesRoom(own, all, cost)
  let disclosedMore = 0
  const requested = requestedPathsOf({ query, match })
  const sent = new PathSet(match.paths)
  const values = format === 'mso_mdoc' ? elementsOf(match.credential.claims as JsonObject) : match.credential.leaves
  for (const { path, at, value, within } of values) {
    const text = JSON.stringify(path)
    if (within !== null && !sent.touches(within)) withheld.add(text)
    else {
      names.add(text)
      const position = at.some((step) => typeof step === 'number') ? { position: JSON.stringify(at) } : {}
      const claim = { path: text, value, isRequested: isRequestedPath(path, requested), ...position }
      if (takes(costOf(text + (position.position ?? ''), value))) disclosed.push(claim)
      else disclosedMore += 1
    }
  }
  const staying = [...withheld].filter((one) => !names.has(one))
  const listed = staying.filter((one) => takes({ values: 0, chars: one.length, withheld: 1 }))
  const withheldMore = staying.length - listed.length
  return {
    queryId: query.id,
    credentialId,
    disclosed,
    withheld: listed,
    ...(disclosedMore > 0 && { disclosedMore }),
    ...(withheldMore > 0 && { withheldMore }),
  }
}

/**
 * Takes room for what is listed, of one credential and of all.
 *
 * @returns false, with nothing taken, where it does not fit
 */
function takesRoom(own: Room, all: Room, cost: Room): boolean {
  const members = ['values', 'chars', 'withheld'] as const
  if (members.some((one) => cost[one] > own[one] || cost[one] > all[one])) return false
  for (const room of [own, all]) for (const one of members) room[one] -= cost[one]
  return true
}

function costOf(path: string, value: Json): Room {
  let values = 1
  walkValues(value, null, () => {
    values += 1
    return null
  })
  return { values, chars: path.length + JSON.stringify(value).length, withheld: 0 }
}

/** Each element of an mdoc is disclosed by itself. */
function elementsOf(nameSpaces: JsonObject) {
  return Object.entries(nameSpaces).flatMap(([nameSpace, elements]) =>
    Object.entries(elements as Readonly<Record<string, Json>>).map(([element, value]) => ({
      path: [nameSpace, element],
      at: [],
      within: [nameSpace, element],
      value,
    })),
  )
}
