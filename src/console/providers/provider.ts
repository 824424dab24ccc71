import type { ReplyOf } from '../../contract/api-operation.ts'
import { identityProviders } from '../../contract/directory/identity-providers.ts'
import type { Frame } from '../frame/screen.ts'

/** Where providers are listed. */
export const LIST = '/console/sign-in-providers'
/** Their entry of the menu. */
export const place = 'providers'

/** An external OpenID provider, as the API shows it. */
export type Provider = ReplyOf<typeof identityProviders.get>

/** Returns the address of a provider, or of something to do with it. */
export function at({ id }: Pick<Provider, 'id'>, verb?: string): string {
  return `${LIST}/${encodeURIComponent(id)}${verb === undefined ? '' : `/${verb}`}`
}

/** Reads the provider of the address, with the entity tag of its state. */
export async function read({ api, params }: Frame<{ readonly id: string }>) {
  const { data, etag } = await api.call(identityProviders.get, { params: { id: params.id } })
  return { found: data, etag: etag ?? '' }
}
