import { serveList } from '../../api/serve-list.ts'
import type { Caller } from '../../caller.ts'
import { identityProviders, me } from '../../contract/directory/identity-providers.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { knownId } from '../../uuid.ts'
import { describeMe } from './describe-me.ts'
import { providerRedirectUri } from './identity-provider.ts'
import { changeProvider, createProvider, getProvider, issuerViolations, removeProvider } from './manage-providers.ts'
import { listManagedProviders, type ManagedProvider } from './managed-provider-store.ts'
import { showProvider } from './show-provider.ts'

const listRoute = serveList(identityProviders.list, {
  read: ({ platform, caller }, list) => platform.store.single(caller.tenantId, (tx) => listManagedProviders(tx, list)),
  show: (one, { platform, caller }) => show(platform, caller, one),
})

const createRoute = serve(
  identityProviders.create,
  async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getProvider(platform, caller, id)
    const provider = await once(operation, find, (id) => createProvider(platform, caller, body, id))
    return tagged(platform, caller, provider)
  },
  { rules: issuerViolations },
)

const getRoute = serve(identityProviders.get, async ({ platform, caller, params }) =>
  tagged(platform, caller, await getProvider(platform, caller, knownId(params.id))),
)

const changeRoute = serve(
  identityProviders.change,
  async ({ platform, caller, params, body, headers }) => {
    const ifMatch = headers['if-match']
    const isExpected = ifMatch === undefined ? undefined : (now: Tagged) => isSame(ifMatch, tagOf(now))
    return tagged(platform, caller, await changeProvider(platform, caller, knownId(params.id), body, isExpected))
  },
  { rules: issuerViolations },
)

type Tagged = Omit<ManagedProvider, 'hasClientSecret' | 'createdAt'>

function tagged(platform: Platform, caller: Caller, provider: ManagedProvider) {
  return answer(show(platform, caller, provider), { headers: { etag: tagOf(provider) } })
}

function show({ urls }: Platform, { tenantSlug }: Caller, provider: ManagedProvider) {
  return showProvider(provider, providerRedirectUri(urls.publicUrl, tenantSlug, provider.name))
}

/** The time tells apart what only differs in the secret. */
function tagOf({
  id,
  updatedAt,
  displayName,
  issuer,
  clientId,
  scopes,
  claims,
  roles,
  audience,
  ...uses
}: Tagged): string {
  const { createsUsers, signIn, acceptTokens, namesPeople } = uses
  const texts = [id, updatedAt, displayName, issuer, clientId, scopes, claims, roles, audience]
  return entityTagOf(JSON.stringify([...texts, createsUsers, signIn, acceptTokens, namesPeople]))
}

const deleteRoute = serve(identityProviders.delete, async ({ platform, caller, params }) => {
  await removeProvider(platform, caller, knownId(params.id))
  return answer(undefined)
})

const meRoute = serve(me.get, async ({ platform, caller }) => answer(await describeMe(platform, caller)))

/** Identity providers, and the caller itself, in our API. */
export const accessRoutes: readonly Route[] = [listRoute, createRoute, getRoute, changeRoute, deleteRoute, meRoute]
