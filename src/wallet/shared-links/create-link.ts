import type { Caller } from '../../caller.ts'
import { type CreatedSharedLink, type SharedLinkBody, sharedLinkSeconds } from '../../contract/wallet/card-links.ts'
import { randomToken } from '../../crypto/random.ts'
import { Fault } from '../../fault.ts'
import type { Operation } from '../../http/routes/operation.ts'
import { makeBearerSecret, secretBytesOf } from '../../keys/bearer-secret.ts'
import type { Platform } from '../../platform.ts'
import { presentSdJwt } from '../../protocols/sd-jwt-vc/present-sd-jwt.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { openCopies } from '../presentations/open-copies.ts'
import { audienceOf, showSharedLink } from './card-link.ts'
import { deleteUntoldLink, hasTooManyLinks, insertSharedLink } from './card-link-store.ts'
import { sealLinked, sealLinkView } from './sealed-link.ts'
import { getShareable, sharedNames } from './shareable-claims.ts'

/** A presentation behind a link, with its disclosures. */
const PRESENTATION_CHARS_MAX = 262_144

/**
 * Creates a link: presents one copy of the credential, bound to the link, and stores it so that only the address opens
 * it. The address is returned this once.
 *
 * A repetition of a request whose answer was lost replaces the link, which nobody has seen.
 *
 * @throws Fault `holder.missing`, `resource.unknown`, `request.invalid`, `credential.unmatched`, `shared_link.*`
 */
export async function createSharedLink(
  platform: Platform,
  caller: Caller,
  { credentialId, claims, recipient, purpose, expiresInSeconds = sharedLinkSeconds.byDefault }: SharedLinkBody,
  operation: Operation,
): Promise<CreatedSharedLink> {
  const { store, sealing, clock, urls } = platform
  const { tenantId } = caller
  const { userId, vct, raw } = await getShareable(platform, caller, credentialId)
  // Before a copy is used: it would be the same of each copy.
  const names = sharedNames(await presentChosen(raw, claims, null))
  const now = clock.now()
  const id = operation.newId()
  if (operation.isRepeated) await store.single(tenantId, (tx) => deleteUntoldLink(tx, userId, id))
  if (await store.single(tenantId, (tx) => hasTooManyLinks(tx, userId, now))) throw new Fault('shared_link.too_many')
  const copy = (await openCopies(platform, { tenantId, userId }, [credentialId])).get(credentialId)
  if (copy === undefined || copy.key === null) throw new Fault('shared_link.format')
  const nonce = randomToken()
  const binding = { nonce, aud: audienceOf(urls, id), iat: now, key: copy.key }
  const presentation = await presentChosen(copy.raw, claims, binding)
  const { text, hash: secretHash } = makeBearerSecret(tenantId, id)
  const view = { recipient, purpose, vct, claims: names }
  const made = {
    id,
    credentialId,
    secretHash,
    sealedView: await sealLinkView(sealing, tenantId, id, view),
    sealedPresentation: await sealLinked(
      sealing,
      tenantId,
      { id, secret: secretBytesOf(text) },
      { presentation, nonce },
    ),
    expiresAt: new Date(now.getTime() + expiresInSeconds * 1000),
  }
  const subject = { kind: 'wallet_shared_link', id } as const
  const entry = { action: 'wallet_shared_link.created', subject, by: caller, detail: { credentialId } } as const
  const isMade = await store.inTenant(tenantId, (tx) => insertSharedLink(tx, userId, made, entry, now))
  // concurrently the credential was removed, or links were made
  if (!isMade) throw new Fault('credential.unmatched', { detail: 'The credential is not accepted any more.' })
  const { expiresAt } = made
  const row = { id, credentialId, isUsable: true, views: 0, viewedAt: null, viewHours: [], viewCounts: [], expiresAt }
  const shown = showSharedLink(urls, { ...row, endedAt: null, createdAt: now, updatedAt: now }, view, now)
  return { ...shown, address: `${urls.publicUrl}/shared/${text}` }
}

/** @throws Fault `request.invalid` if a path selects nothing, `shared_link.too_large` */
async function presentChosen(
  raw: string,
  claims: SharedLinkBody['claims'],
  binding: Parameters<typeof presentSdJwt>[2],
): Promise<string> {
  const presented = await presentSdJwt(parseSdJwt(raw), claims, binding).catch((error: unknown) => {
    if (!(error instanceof Fault && error.code === 'sd_jwt.unpresentable')) throw error
    const detail = 'Each path must select a claim of the credential.'
    throw new Fault('request.invalid', { violations: [{ pointer: '/claims', detail }], cause: error })
  })
  if (presented.length > PRESENTATION_CHARS_MAX) throw new Fault('shared_link.too_large')
  return presented
}
