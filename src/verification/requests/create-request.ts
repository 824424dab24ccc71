import type { Caller } from '../../caller.ts'
import { randomToken } from '../../crypto/random.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { knownId } from '../../uuid.ts'
import type { VerifierConfig } from '../templates/presentation-template.ts'
import { checkRedirectUri, redirectPolicyOf } from '../templates/redirect-uris.ts'
import { getPresentationTemplate } from '../templates/template-store.ts'
import { chooseSigner, defaultSigners, type SignerChoices, signerChoiceOf } from './choose-signer.ts'
import { insertPresentationRequest, type RequestRow } from './request-store.ts'
import type { CreateRequestBody } from './schemas.ts'

const RETENTION_SECONDS = 30 * 86_400
/** [VP-R1] 128 bits and more; 32 characters. */
const NONCE_BYTES = 24

type Needs = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls' | 'config'>

/**
 * Makes a presentation request out of a template. One statement, where the template wants nothing unusual of the signature; the request keeps a
 * copy of the template and who signs it.
 *
 * @throws Fault `resource.unknown`, `request.invalid`, `presentation_template.unsupported`, `certificate.none_active`, `state.conflict` if the
 *   template is changed at the same moment
 */
export async function createPresentationRequest(
  platform: Needs,
  caller: Caller,
  body: CreateRequestBody,
  id = newId(),
): Promise<RequestRow> {
  const { redirectUri, presentationTemplateId } = body
  const templateId = knownId(presentationTemplateId)
  if (redirectUri !== undefined) {
    const violations = checkRedirectUri(redirectUri, '/redirectUri', await redirectPolicyOf(platform, caller.tenantId))
    if (violations.length > 0) throw new Fault('request.invalid', { violations })
  }
  const ask = { ...body, templateId, id }
  const usual = await insert(platform, caller, ask, await defaultSigners(platform, caller))
  if (usual !== null) return usual
  const template = await platform.store.single(caller.tenantId, (tx) => getPresentationTemplate(tx, templateId))
  const config = template.verifierConfig ?? {}
  checkResponseMode(config)
  const signers = { [signerChoiceOf(config)]: await chooseSigner(platform, caller, config) }
  const made = await insert(platform, caller, ask, signers)
  if (made === null) throw new Fault('state.conflict', { detail: 'The template was changed at this moment.' })
  return made
}

async function insert(
  { store, clock, config }: Needs,
  caller: Caller,
  ask: CreateRequestBody & { readonly templateId: string; readonly id: string },
  signers: SignerChoices,
): Promise<RequestRow | null> {
  const { id, templateId, reference = null, redirectUri = null, expiresInSeconds = null } = ask
  const made = {
    ...{ id, templateId, reference, redirectUri, expiresInSeconds, signers },
    ...{ nonce: randomToken(NONCE_BYTES), state: randomToken(NONCE_BYTES) },
    presets: { expiresInSeconds: config.presentationTtlSeconds, retentionSeconds: RETENTION_SECONDS },
  }
  const entry = {
    action: 'openid4vc.verification.requested',
    subject: { kind: 'presentation_request', id },
    by: caller,
    detail: { presentationTemplateId: templateId },
  } as const
  return store.single(caller.tenantId, (tx) => insertPresentationRequest(tx, made, entry, clock.now()))
}

function checkResponseMode({ responseMode = 'direct_post' }: VerifierConfig): void {
  if (responseMode === 'direct_post') return
  const detail = `The response mode ${responseMode} is not available; use direct_post.`
  throw new Fault('presentation_template.unsupported', { detail })
}
