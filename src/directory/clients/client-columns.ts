/** What an organisation decides about a client, and is stored as it is: member, column, cast of its value. */
const decided = [
  ['name', 'name', ''],
  ['scopes', 'scopes', '::text[]'],
  ['roles', 'roles', '::text[]'],
  ['grantTypes', 'grant_types', '::text[]'],
  ['redirectUris', 'redirect_uris', '::text[]'],
  ['postLogoutRedirectUris', 'post_logout_redirect_uris', '::text[]'],
  ['backchannelLogoutUri', 'backchannel_logout_uri', ''],
  ['tosUri', 'tos_uri', ''],
  ['isPublic', 'is_public', ''],
  ['asksConsent', 'asks_consent', ''],
  ['dpopRequired', 'dpop_required', ''],
  ['parRequired', 'par_required', ''],
  ['pkceRequired', 'pkce_required', ''],
  ['idTokenSignedResponseAlg', 'id_token_signed_response_alg', ''],
  ['jwksUri', 'jwks_uri', ''],
] as const

const names = decided.map(([, column]) => column)

/** A member of a client that is stored as it is. */
type DecidedMember = (typeof decided)[number][0]
/** Their members. */
export const decidedMembers: readonly DecidedMember[] = decided.map(([member]) => member)
/** SQL: the columns, for an INSERT. */
export const DECIDED_COLUMNS = names.join(', ')
/** SQL: their values, by name. */
export const DECIDED_VALUES = decided.map(([member, , cast]) => `:${member}${cast}`).join(', ')
/** SQL: the columns of `client`, as members. */
export const DECIDED_MEMBERS = decided.map(([member, column]) => `client.${column} as "${member}"`).join(', ')
/** SQL: sets the columns to their values, by name. */
export const DECIDED_SET = decided.map(([member, column, cast]) => `${column} = :${member}${cast}`).join(', ')
/** SQL: sets the columns to those of the row that an INSERT found already there. */
export const DECIDED_EXCLUDED = names.map((column) => `${column} = excluded.${column}`).join(', ')
/** SQL: whether that row has other values. */
export const DECIDED_DIFFERS = `(${names.map((one) => `client.${one}`).join(', ')})
  is distinct from (${names.map((one) => `excluded.${one}`).join(', ')})`
