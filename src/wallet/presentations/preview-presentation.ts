import type { Caller, TenantId } from '../../caller.ts'
import type { Json, JsonObject } from '../../crypto/json.ts'
import { entityTagOf } from '../../http/routes/entity-tag.ts'
import type { Platform } from '../../platform.ts'
import { PathSet } from '../../protocols/sd-jwt-vc/claim-path.ts'
import { holderOf } from '../credentials/holder.ts'
import { type DisplayNeeds, describeCredentials } from '../display/describe-credentials.ts'
import type { CredentialDetails } from '../display/schemas.ts'
import { type CredentialChoice, isRequestedPath, listCandidates, selectPresentable } from './presentable.ts'
import { type PresentationView, presentationStatusAt } from './presentation.ts'
import type { SealedPresentation } from './presentation-store.ts'
import type { ClaimsPreview, PreviewedClaim } from './schemas.ts'
import { openRequest } from './sealed-presentation.ts'

type Needs = Pick<Platform, 'sealing'> & DisplayNeeds

/** What the holder would share with each alternative, and the tag of all that the holder is shown. */
type Preview = {
  readonly claims: readonly ClaimsPreview[]
  readonly credentials: ReadonlyMap<string, CredentialDetails>
  /** Changes when the request, a credential, what would be disclosed or how the verifier answered changes; not with the language. */
  readonly etag: string
}

const CLAIMS_MAX = 500

/**
 * Returns, for each alternative of a pending presentation, the claims that would leave with their values, and the names of those that would stay.
 * The selection runs again over the wallet as it is now. An answered presentation has no claims in its preview: its values are not kept.
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
  const claims = await claimsOf(platform, { tenantId, userId }, row, view)
  const shown = [...view.alternatives.flatMap(({ credentials }) => credentials), ...view.selected]
  const ids = [...new Set(shown.map(({ credentialId }) => credentialId))]
  const { verifier, purposes, retentionSeconds, transactionData, selected, error, redirectUri } = view
  const status = presentationStatusAt(row, platform.clock.now())
  const asked = { id: row.id, status, verifier, purposes, retentionSeconds, transactionData }
  const content = { ...asked, selected, claims, error, redirectUri }
  return {
    claims,
    credentials: await describeCredentials(platform, { tenantId, userId }, ids, language),
    etag: entityTagOf(JSON.stringify(content)),
  }
}

async function claimsOf(
  platform: Needs,
  owner: { readonly tenantId: TenantId; readonly userId: ReturnType<typeof holderOf> },
  row: SealedPresentation,
  view: PresentationView,
): Promise<ClaimsPreview[]> {
  const { tenantId, userId } = owner
  const isPending = presentationStatusAt(row, platform.clock.now()) === 'pending'
  const offered = view.alternatives.flatMap(({ credentials }) => credentials)
  const ids = [...new Set(offered.map(({ credentialId }) => credentialId))]
  if (!isPending || row.sealedRequest === null || ids.length === 0) return []
  const request = await openRequest(platform.sealing, tenantId, row.id, row.sealedRequest)
  const candidates = await listCandidates(platform, owner, userId, request, ids)
  const { queries } = selectPresentable(request, candidates)
  return request.query.credentials.flatMap((query) =>
    (queries.get(query.id)?.matches ?? []).map((match) => previewOf({ query, match })),
  )
}

function previewOf({ query, match }: CredentialChoice): ClaimsPreview {
  const { id: credentialId, format } = match.credential
  const disclosed: PreviewedClaim[] = []
  const withheld = new Set<string>()
  const requested = (query.options[match.option] ?? []).map(({ path }) => path)
  const sent = new PathSet(match.paths)
  const values = format === 'mso_mdoc' ? elementsOf(match.credential.claims as JsonObject) : match.credential.leaves
  for (const { path, value, within } of values.slice(0, CLAIMS_MAX)) {
    const text = JSON.stringify(path)
    if (within !== null && !sent.touches(within)) withheld.add(text)
    else disclosed.push({ path: text, value, isRequested: isRequestedPath(path, requested) })
  }
  const names = new Set(disclosed.map(({ path }) => path))
  return { queryId: query.id, credentialId, disclosed, withheld: [...withheld].filter((one) => !names.has(one)) }
}

/** Each element of an mdoc is disclosed by itself. */
function elementsOf(nameSpaces: JsonObject) {
  return Object.entries(nameSpaces).flatMap(([nameSpace, elements]) =>
    Object.entries(elements as Readonly<Record<string, Json>>).map(([element, value]) => ({
      ...{ path: [nameSpace, element], within: [nameSpace, element], value },
    })),
  )
}
