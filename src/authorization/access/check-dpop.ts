import type { TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { isDpopNonce, makeDpopNonce } from '../../protocols/oauth2/dpop-nonce.ts'
import { checkDpopProof } from '../../protocols/oauth2/dpop-proof.ts'
import { platformTenantId } from '../../store/store.ts'
import { spendJti } from './spent-jti-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock'>

/** A DPoP proof and the request that it belongs to. `url` is the public address; query and fragment do not count. */
type DpopRequest = {
  readonly proof: string
  readonly method: string
  readonly url: string
  /** The access token that the request carries, at a resource server. */
  readonly accessToken?: string
}

/** Returns the nonce that the next proof must have. */
export async function currentDpopNonce({ sealing, clock }: Omit<Needs, 'store'>): Promise<string> {
  return makeDpopNonce(await nonceKey(sealing), clock.now())
}

/** Whether a nonce is one of ours, and recent. */
export async function isCurrentNonce({ sealing, clock }: Omit<Needs, 'store'>, nonce: string): Promise<boolean> {
  return isDpopNonce(await nonceKey(sealing), nonce, clock.now())
}

/**
 * Verifies a DPoP proof, with a nonce of ours, and spends it: one statement. Returns the thumbprint of its key.
 *
 * @param tenantId Where its `jti` is spent: that of the client or the token.
 * @throws Fault `dpop_proof.invalid`; `dpop_nonce.required` with the nonce to use
 * @see [RFC 9449, 4.3](https://www.rfc-editor.org/rfc/rfc9449#section-4.3) and [11.1](https://www.rfc-editor.org/rfc/rfc9449#section-11.1)
 */
export async function checkDpop(needs: Needs, tenantId: TenantId, request: DpopRequest): Promise<string> {
  const now = needs.clock.now()
  const { jkt, jti, nonce, expiresAt } = checkDpopProof(request.proof, { ...request, now })
  // RFC 9449 8: the nonce limits how long before its use a proof can have been made
  if (nonce === null || !(await isCurrentNonce(needs, nonce))) {
    throw new Fault('dpop_nonce.required', { meta: { dpopNonce: await currentDpopNonce(needs) } })
  }
  const signer = `dpop ${jkt}`
  const isFirst = await needs.store.single(tenantId, (tx) => spendJti(tx, { signer, jti, expiresAt }))
  if (!isFirst) throw new Fault('dpop_proof.invalid', { detail: 'The DPoP proof was used before.' })
  return jkt
}

/**
 * Checks that a request to a resource server presents a token as it was issued: a bound one with a proof of its key,
 * any other as Bearer.
 *
 * @param jkt Thumbprint in the token; null: it is not bound.
 * @throws Fault `token.invalid`, `token.dpop_proof`, `token.dpop_nonce`
 * @see [RFC 9449, 7.1](https://www.rfc-editor.org/rfc/rfc9449#section-7.1) and [7.2](https://www.rfc-editor.org/rfc/rfc9449#section-7.2)
 */
export async function checkTokenBinding(
  needs: Needs,
  { tenantId, jkt }: { readonly tenantId: TenantId; readonly jkt: string | null },
  presented: { readonly scheme: 'Bearer' | 'DPoP'; readonly proof: string | undefined },
  request: Omit<DpopRequest, 'proof'>,
): Promise<void> {
  if (presented.scheme === 'Bearer') {
    // RFC 9449 7.2: a stolen bound token must not be usable as Bearer
    if (jkt !== null)
      throw new Fault('token.invalid', { detail: 'The access token is bound to a key: send it with the scheme DPoP.' })
    return
  }
  if (jkt === null)
    throw new Fault('token.invalid', { detail: 'The access token is not bound to a key: send it as Bearer.' })
  const { proof } = presented
  if (proof === undefined) throw new Fault('token.dpop_proof', { detail: 'The header DPoP is missing.' })
  const proven = await checkProofAtResource(needs, tenantId, { ...request, proof })
  // RFC 9449 4.3, 12: the key of the proof is that of the token
  if (proven !== jkt)
    throw new Fault('token.dpop_proof', { detail: 'The DPoP proof is of another key than the token.' })
}

/** As {@link checkDpop}, at a resource server. @throws Fault `token.dpop_proof`, `token.dpop_nonce` */
export async function checkProofAtResource(needs: Needs, tenantId: TenantId, request: DpopRequest): Promise<string> {
  return checkDpop(needs, tenantId, request).catch((error: unknown) => {
    throw atResource(error)
  })
}

/** A resource server refuses with 401 what an authorization server refuses with 400. */
function atResource(error: unknown): unknown {
  if (!(error instanceof Fault)) return error
  const { code, detail, meta, cause } = error
  const context = { ...(detail !== undefined && { detail }), ...(meta !== undefined && { meta }), cause }
  if (code === 'dpop_proof.invalid') return new Fault('token.dpop_proof', context)
  return code === 'dpop_nonce.required' ? new Fault('token.dpop_nonce', context) : error
}

function nonceKey(sealing: Platform['sealing']): Promise<Buffer> {
  return sealing.deriveShortLived(platformTenantId, 'dpop-nonce')
}
