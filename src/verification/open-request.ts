import type { Caller } from '../caller.ts'
import { newId, randomToken } from '../crypto/random.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import type { PresentationTemplate } from './presentation-template.ts'
import { checkRedirectUri } from './read-template.ts'
import type { OpenRequestBody } from './request-schemas.ts'
import { insertPresentationRequest, type RequestRow } from './request-store.ts'
import { getPresentationTemplate } from './template-store.ts'
import { known } from './uuid.ts'

const RETENTION_SECONDS = 30 * 86_400
/** [VP-R1] 128 bits and more; 32 characters. */
const NONCE_BYTES = 24

type Needs = Pick<Platform, 'store' | 'clock' | 'config'>

/**
 * Makes a presentation request out of a template. One statement; the request keeps a copy of the template.
 *
 * @throws Fault `resource.unknown`, `request.invalid`, `presentation_template.unsupported`, `certificate.none_active`
 */
export async function openRequest(
  { store, clock, config }: Needs,
  caller: Caller,
  ask: OpenRequestBody,
): Promise<RequestRow> {
  const { reference = null, redirectUri = null, expiresInSeconds = null } = ask
  const templateId = known(ask.presentationTemplateId)
  const violations = redirectUri === null ? [] : checkRedirectUri(redirectUri, '/redirectUri', config.isDevelopment)
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  const id = newId()
  const made = await store.single(caller.tenantId, (tx) =>
    insertPresentationRequest(
      tx,
      {
        ...{ id, templateId, reference, redirectUri, expiresInSeconds },
        ...{ nonce: randomToken(NONCE_BYTES), state: randomToken(NONCE_BYTES) },
        presets: { expiresInSeconds: config.presentationTtlSeconds, retentionSeconds: RETENTION_SECONDS },
      },
      {
        action: 'openid4vc.verification.requested',
        subject: { kind: 'presentation_request', id },
        by: caller,
        detail: { presentationTemplateId: templateId },
      },
      clock.now(),
    ),
  )
  if (made !== null) return made
  throw explainRefusal(await store.single(caller.tenantId, (tx) => getPresentationTemplate(tx, templateId)))
}

/** Says why no request can be made from a template that exists. */
function explainRefusal({ credentials, verifierConfig }: PresentationTemplate): Fault {
  const mdoc = credentials.findIndex((one) => one.format !== 'sd-jwt-vc')
  if (mdoc !== -1) {
    const detail = `The template asks for a credential in the format ${credentials[mdoc]?.format}, which cannot be requested yet.`
    return new Fault('presentation_template.unsupported', {
      violations: [{ detail, pointer: '/presentationTemplateId' }],
    })
  }
  if (verifierConfig?.signer === 'certificate') {
    const detail = 'The template wants its requests signed with a certificate, and no verifier certificate is active.'
    return new Fault('certificate.none_active', { detail })
  }
  const detail = `The response mode ${verifierConfig?.responseMode} is not available; use direct_post.`
  return new Fault('presentation_template.unsupported', { detail })
}
