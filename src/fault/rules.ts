/** The keywords of JSON Schema that a refusal names. */
type SchemaRule =
  | 'additionalProperties'
  | 'anyOf'
  | 'const'
  | 'enum'
  | 'exclusiveMaximum'
  | 'exclusiveMinimum'
  | 'format'
  | 'maxItems'
  | 'maxLength'
  | 'maxProperties'
  | 'maximum'
  | 'minItems'
  | 'minLength'
  | 'minProperties'
  | 'minimum'
  | 'multipleOf'
  | 'not'
  | 'oneOf'
  | 'pattern'
  | 'propertyNames'
  | 'required'
  | 'type'
  | 'unevaluatedProperties'
  | 'uniqueItems'

/**
 * Rules that no schema states. Each has a sentence in every language of the pages (`console/frame.json` of
 * `pages/messages`).
 */
export type OwnRule =
  /** Another one has this already. */
  | 'unique'
  /** The bootstrap file says it. */
  | 'file.declared'
  /** A user needs a username or an e-mail address. */
  | 'user.name_needed'
  | 'client.redirect_needed'
  | 'client.refresh_alone'
  | 'client.public_grants'
  | 'client.public_keys'
  | 'client.public_pkce'
  | 'client.keys_twice'
  | 'client.keys'
  | 'client.unknown'
  | 'client.address'
  | 'client.address_public'
  | 'organisation.colour'
  | 'organisation.support_address'
  | 'organisation.time_zone'
  | 'page.origin'
  | 'redirect.address'
  | 'redirect.not_listed'
  | 'presentation_template.unknown'
  | 'provider.issuer'
  | 'provider.audience_needed'
  | 'provider.audience_own'
  | 'provider.names_people'
  /** An address that this server never calls. */
  | 'address.uncallable'

/** A rule that a value breaks. Pages say it in their own words. */
export type Rule = SchemaRule | OwnRule
