import type { PresentationTemplateBody } from '../../contract/verification/presentation-templates.ts'
import type { templateFormats } from '../../contract/verification/requested-credentials.ts'
import type { JsonObject } from '../../crypto/json.ts'

/** The entry of `issuers` that allows any issuer. No other entry may be beside it. */
export const ANY_ISSUER = '*'

/** One of `templateFormats`. */
export type PresentationTemplateFormat = (typeof templateFormats)[number]

/** A credential that a template requests. `attributes` passed `readRequestedAttributes` and is stored unchanged. */
export type TemplateCredential = Omit<PresentationTemplateBody['credentials'][number], 'format' | 'attributes'> & {
  readonly format: PresentationTemplateFormat
  readonly attributes: JsonObject
}

/** How requests are created from a template. Unknown members are stored and ignored. */
export type VerifierConfig = NonNullable<PresentationTemplateBody['verifierConfig']>

/** The content of a template, which a PUT replaces. */
export type TemplateContent = {
  readonly name: string
  readonly description: string
  readonly credentials: readonly TemplateCredential[]
  readonly verifierConfig: VerifierConfig | null
  readonly retentionSeconds: number | null
}

/**
 * The credentials and claims that an organisation requests; any number of presentation requests are created from it.
 */
export type PresentationTemplate = TemplateContent & {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}
