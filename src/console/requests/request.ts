import type { MetaOf, ReplyOf } from '../../contract/api-operation.ts'
import type { credentialTypes } from '../../contract/issuance/types.ts'
import type { presentationTemplates } from '../../contract/verification/presentation-templates.ts'

/** A presentation template: what the verifier asks for, without the members in its `meta`. */
export type RequestTemplate = ReplyOf<typeof presentationTemplates.get>

/** Members of a presentation template that the API returns in `meta`. */
export type RequestMeta = MetaOf<typeof presentationTemplates.get>

/** A type that an organisation of this server publishes. */
export type OfferedType = ReplyOf<typeof credentialTypes.list>[number]
