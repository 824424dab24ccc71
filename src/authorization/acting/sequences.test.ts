// Administrators with each set of scopes that the console offers try every sequence of two acts, and a sample of those
// of three, and then every way to the accounts of others.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { type Caller, holds, type Role, roles, type Scope, scopes, scopesOfRoles, type UserId } from '../../caller.ts'
import type { AccountFacts } from '../../directory/accounts/account-facts.ts'
import { findFacts } from '../../directory/accounts/account-facts.ts'
import { findClient } from '../../directory/clients/find-client.ts'
import { changeClient, createClient, lockClient, rotateClientSecret } from '../../directory/clients/manage-clients.ts'
import { changeGroup, createGroup } from '../../directory/groups/write-group.ts'
import { grantableRoles } from '../../directory/users/authority.ts'
import { findRoles } from '../../directory/users/find-roles.ts'
import type { UserChange } from '../../directory/users/user.ts'
import { changeUser, deleteUser, restoreUser } from '../../directory/users/write-user.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { readExternalToken } from '../access/external-token.ts'
import type { IdentityProvider } from '../access/identity-provider.ts'
import { listProviders, putProvider } from '../access/identity-provider-store.ts'
import { changeProvider, createProvider } from '../access/manage-providers.ts'
import { inviteUser } from '../sign-in/links/invite-user.ts'
import { makeLink, storeLink } from '../sign-in/links/one-time-link.ts'
import { useLink } from '../sign-in/links/redeem-link.ts'
import { insertExternalIdentity } from '../sign-in/providers/external-identity-store.ts'
import { findOrCreatePerson, PersonRefused } from '../sign-in/providers/find-person.ts'
import { OpenidProvider } from '../sign-in/test-support/openid-provider.ts'
import { aTenantWith, aVisit, type Servers, twoServers } from '../sign-in/test-support/person.ts'

/** The provider of the organisation, and one that the attacker runs. */
const school = new OpenidProvider('https://school.example')
const evil = new OpenidProvider('https://evil.example')
let servers: Servers
/** Worlds are tried at the same time in processes of their own, which remember nothing of the worlds of others. */
let lanes: readonly Platform[] = []
before(async () => {
  const fetch: typeof school.fetch = (tenantId, url, request) =>
    (url.startsWith(evil.issuer) ? evil : school).fetch(tenantId, url, request)
  servers = await twoServers({ fetch })
  lanes = Array.from({ length: 8 }, servers.another)
})
after(() => servers.db.close())

const setHash = sql(
  'test.acting.password',
  `update user_account set password_hash = 'x' where tenant_id = $1 and id = $2`,
)
const hold = sql(
  'test.acting.hold',
  `insert into wallet_credential (tenant_id, id, user_id, status, format, vct, credential_issuer, configuration_id,
     issued_at, created_at, updated_at)
   values ($1, $2, $2, 'accepted', 'vc+sd-jwt', 'v', 'https://i.example', 'c', now(), now(), now())
   on conflict do nothing`,
)

const deliver = sql(
  'test.acting.deliver',
  `insert into wallet_delivery (tenant_id, id, user_id, kind, status, identifier_type, sealed_recipient, sealed_parcel,
     created_at, updated_at)
   values ($1, $2, $2, 'credential', 'delivering', 'username', 'x', 'x', now(), now())
   on conflict do nothing`,
)
const offer = sql(
  'test.acting.offer',
  `insert into issuance (tenant_id, id, holder_id, recipient_id, status, template_id, template_version,
     credential_status, revocable, expires_at, sweep_at, created_at, updated_at)
   values ($1, $2, $2, $2, 'offered', $2, 1, 'offered', true, now() + interval '1 day', now() + interval '1 day', now(),
     now())
   on conflict do nothing`,
)

/**
 * Users whom the attacker tries to become: `signs` has a password; `linked` an account at the school; `holds` only a
 * card in the wallet; `awaits` only a delivery that is pending; `offered` only an offer; `chief` is an owner who never
 * signed in; `plant` was created by the attacker, with a link that the attacker keeps.
 */
const names = ['signs', 'linked', 'holds', 'awaits', 'offered', 'chief', 'plant'] as const
type Name = (typeof names)[number]

/** Everybody, the attacker's own account included, with the roles that each has at first. */
const firstRoles: Readonly<Record<Name | 'mallory', readonly Role[]>> = {
  signs: [],
  linked: [],
  holds: [],
  awaits: [],
  offered: [],
  chief: ['owner'],
  plant: [],
  mallory: ['user-admin'],
}

async function aWorld(platform: Platform, scopes: readonly Scope[]) {
  // It would have the providers of the world before for some seconds.
  platform.memory.cache('authorization.token_issuers').clear()
  const email = (name: string) => `${name}@example.org`
  const { tenantId, slug, people } = await aTenantWith(platform, [
    ...names.map((name) => ({ username: name, email: email(name), externalIdentifier: `id-${name}` })),
    { username: 'mallory', roles: ['user-admin' as const] },
    { username: 'second', roles: ['owner' as const] },
  ])
  const inOrder = [...names, 'mallory'] as const
  const ids = Object.fromEntries(inOrder.map((name, at) => [name, people[at]?.userId])) as Record<
    (typeof inOrder)[number],
    UserId
  >
  const now = servers.clock.now()
  const provider = (change: Partial<IdentityProvider>) => ({
    id: newId(),
    name: 'school',
    displayName: 'School',
    issuer: school.issuer,
    clientId: 'chirograph',
    sealedClientSecret: null,
    scopes: ['openid'],
    roles: {},
    createsUsers: false,
    signIn: true,
    acceptTokens: true,
    audience: tenantId as string,
    namesPeople: true,
    claims: { username: 'upn', email: 'email', roles: null, externalIdentifier: 'employee_id' },
    ...change,
  })
  const ofSchool = provider({})
  const byName = provider({
    name: 'names',
    audience: `${tenantId} names`,
    claims: { ...ofSchool.claims, externalIdentifier: null },
  })
  await platform.store.inTenant(tenantId, async (tx) => {
    await putProvider(tx, ofSchool, now)
    await putProvider(tx, byName, now)
    await tx.rows(setHash, [tenantId, ids.signs])
    await tx.rows(hold, [tenantId, ids.holds])
    await tx.rows(deliver, [tenantId, ids.awaits])
    await tx.rows(offer, [tenantId, ids.offered])
    await insertExternalIdentity(tx, { providerId: ofSchool.id, subject: 'sub-linked' }, ids.linked, now)
  })
  const actor = { kind: 'client', id: 'hr' } as const
  const rest = { userId: null, clientId: 'hr', actingClientId: null, requestId: 'r', ip: '192.0.2.1' }
  const caller: Caller = { tenantId, tenantSlug: slug, actor, scopes: new Set(scopes), ...rest }
  const owner: Caller = { ...caller, scopes: new Set<Scope>(['tenant:admin', 'users:impersonate']) }
  await changeUser(platform, owner, { key: 'username', value: 'chief' }, { roles: ['owner'] })
  const may: Scope[] = ['users:impersonate', 'users:write']
  const impersonator = (await createClient(platform, owner, { scopes: may }, newId())).client
  const world = { platform, tenantId, slug, ids, caller, owner, ofSchool, impersonator: impersonator.clientId }
  return { ...world, tokens: [] as string[], gained: [] as Scope[] }
}
type World = Awaited<ReturnType<typeof aWorld>>

const change = (w: World, name: string, members: UserChange, by = w.caller) =>
  changeUser(w.platform, by, { key: 'username', value: name }, members)
const each = async (act: (name: Name) => Promise<unknown>) => {
  for (const name of names) await refusable(() => act(name))
}

/** Faults of the acts of the world that is tried now. */
const refused: Fault[] = []

/** Performs one act of the attacker. An act that the server refuses changes nothing. */
async function refusable(act: () => Promise<unknown>): Promise<void> {
  await act().catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error
    refused.push(error)
  })
}

const keep = (w: World, url: string) => void w.tokens.push(new URL(url).searchParams.get('token') ?? '')
const evilProvider = { name: 'evil', issuer: evil.issuer, clientId: 'chirograph' }
const evilClaims = { claims: { email: 'email', externalIdentifier: 'employee_id', username: 'upn' } }

/** Acts after which the user whom the attacker created holds something, or can sign in. */
const USES_PLANT = [
  'the user whom the attacker created gets a card',
  'a delivery to the user whom the attacker created is pending',
  'the user whom the attacker created is offered a credential',
  'the user whom the attacker created sets a password',
] as const
/** It ends the accounts of all users at the provider. */
const OTHER_ISSUER = 'make the provider of the organisation an own one'
const givenRoles: Role[] = ['issuer', 'auditor']
const ROLE_GIVEN = 'an owner gives a role to the user whom the attacker created'

/** What administrators do, by the scope that the route of each needs. */
const acts: Readonly<Record<string, readonly [needs: Scope | 'owner', act: (w: World) => Promise<unknown>]>> = {
  'invite each user, and keep the link': [
    'users:write',
    (w) =>
      each(async (name) => {
        const by = { by: w.caller, roles: grantableRoles(w.caller), mayImpersonate: false }
        const user = { tenantId: w.tenantId, userId: w.ids[name] }
        const told = await inviteUser(w.platform, user, by, { subject: '', text: '', html: '' })
        if (told.kind === 'link') keep(w, told.url)
      }),
  ],
  'invite each user by a mail to the address that is set now': [
    'users:write',
    (w) =>
      each(async (name) => {
        const user = { tenantId: w.tenantId, userId: w.ids[name] }
        const { link, told } = makeLink(w.platform, user, 'welcome')
        const maker = { way: 'mailed_link', by: w.caller, makerRoles: grantableRoles(w.caller) } as const
        const isMine = await w.platform.store.inTenant(w.tenantId, async (tx) => {
          const facts = await findFacts(tx, w.ids[name])
          const isStored = (await storeLink(tx, link, maker, servers.clock.now())) === null
          return isStored && facts?.emailFolded?.startsWith('evil') === true
        })
        if (isMine) keep(w, told.url)
      }),
  ],
  'set each address to an own one': [
    'users:write',
    (w) => each((name) => change(w, name, { email: `evil-${name}@example.org` })),
  ],
  'set each external identifier to an own one': [
    'users:write',
    (w) => each((name) => change(w, name, { externalIdentifier: `evil-${name}` })),
  ],
  'rename each user, and back': [
    'users:write',
    (w) =>
      each(async (name) => {
        await change(w, name, { username: `evil-${name}` })
        await change(w, `evil-${name}`, { username: name })
      }),
  ],
  'rename each user to a name of an own account elsewhere': [
    'users:write',
    (w) =>
      each(async (name) => {
        const { id } = await change(w, name, { username: `evil-${name}-${newId()}` })
        await changeUser(w.platform, w.caller, { key: 'id', value: id }, { username: `evil-${name}` })
      }),
  ],
  'delete and restore each user': [
    'users:write',
    (w) =>
      each(async (name) => {
        await deleteUser(w.platform, w.caller, { key: 'username', value: name }, false)
        await restoreUser(w.platform, w.caller, w.ids[name])
      }),
  ],
  'give the role of an owner to each user, and every role to the own account': [
    'users:write',
    async (w) => {
      await each((name) => change(w, name, { roles: ['owner'] }))
      for (const role of Object.keys(roles) as Role[]) await refusable(() => change(w, 'mallory', { roles: [role] }))
    },
  ],
  'put each user into a group of an owner': [
    'users:write',
    async (w) => {
      const id = newId()
      const group = { displayName: `g ${id}`, roles: ['owner' as const] }
      await createGroup(w.platform, w.caller, group, id)
      await changeGroup(w.platform, w.caller, id, { addMembers: Object.values(w.ids) })
    },
  ],
  'make a client of every role': [
    'tenant:admin',
    async (w) => {
      const all = Object.keys(roles) as Role[]
      w.gained.push(...(await createClient(w.platform, w.caller, { roles: all }, newId())).client.scopes)
    },
  ],
  'add an own provider': [
    'tenant:admin',
    (w) => createProvider(w.platform, w.caller, { ...evilProvider, ...evilClaims }, newId()),
  ],
  'add an own provider that names people and whose tokens are accepted': [
    'tenant:admin',
    (w) => {
      const uses = { namesPeople: true, acceptTokens: true, audience: `${w.tenantId} evil` }
      return createProvider(w.platform, w.caller, { ...evilProvider, ...evilClaims, ...uses }, newId())
    },
  ],
  [OTHER_ISSUER]: [
    'tenant:admin',
    async (w) => {
      await refusable(() => changeProvider(w.platform, w.caller, w.ofSchool.id, { issuer: evil.issuer }))
      const quiet = { issuer: evil.issuer, namesPeople: false, acceptTokens: false }
      await changeProvider(w.platform, w.caller, w.ofSchool.id, quiet)
    },
  ],
  'make a client that asks nobody for consent': [
    'tenant:admin',
    async (w) => {
      const redirect = { grantTypes: ['authorization_code' as const], redirectUris: ['https://evil.example/cb'] }
      const made = await createClient(w.platform, w.caller, { ...redirect, asksConsent: false }, newId())
      w.gained.push(...made.client.scopes, 'users:impersonate')
    },
  ],
  'make a client that may act for users': [
    'tenant:admin',
    async (w) =>
      w.gained.push(
        ...(await createClient(w.platform, w.caller, { scopes: ['users:impersonate'] }, newId())).client.scopes,
      ),
  ],
  'take over the client that may act for users': [
    'tenant:admin',
    async (w) => {
      await refusable(() =>
        rotateClientSecret(w.platform, w.caller, w.impersonator).then(() => w.gained.push('users:impersonate')),
      )
      const jwksUri = 'https://evil.example/keys'
      await changeClient(w.platform, w.caller, w.impersonator, { jwksUri })
      w.gained.push('users:impersonate')
    },
  ],
  'make a provisioning token of the client that may act for users': [
    'tenant:admin',
    async (w) => {
      await w.platform.store.inTenant(w.tenantId, (tx) => lockClient(tx, w.caller, w.impersonator, servers.clock.now()))
      w.gained.push(...((await findClient(w.platform, w.impersonator))?.scopes ?? []))
    },
  ],
  [ROLE_GIVEN]: ['owner', (w) => change(w, 'plant', { roles: givenRoles }, w.owner)],
  [USES_PLANT[0]]: [
    'owner',
    (w) => w.platform.store.inTenant(w.tenantId, (tx) => tx.rows(hold, [w.tenantId, w.ids.plant])),
  ],
  [USES_PLANT[1]]: [
    'owner',
    (w) => w.platform.store.inTenant(w.tenantId, (tx) => tx.rows(deliver, [w.tenantId, w.ids.plant])),
  ],
  [USES_PLANT[2]]: [
    'owner',
    (w) => w.platform.store.inTenant(w.tenantId, (tx) => tx.rows(offer, [w.tenantId, w.ids.plant])),
  ],
  [USES_PLANT[3]]: [
    'owner',
    (w) => w.platform.store.inTenant(w.tenantId, (tx) => tx.rows(setHash, [w.tenantId, w.ids.plant])),
  ],
}

/**
 * Every way to an account: each returns the user whose account it opened. `isByName`: the directory names the person.
 * An owner who gives a role to a user gives it to the person whom the address and identifiers of the user name, so
 * roles that come by such a way are not counted as gained.
 */
type Opening = { readonly isByName: boolean; readonly open: () => Promise<UserId | null> }

async function* openings(w: World): AsyncGenerator<Opening> {
  const now = servers.clock.now()
  for (const token of w.tokens) {
    const open = () =>
      w.platform.store.inTenant(w.tenantId, async (tx) => (await useLink(tx, token, aVisit(), now))?.userId ?? null)
    yield { isByName: false, open }
  }
  const providers = await w.platform.store.single(w.tenantId, listProviders)
  for (const provider of providers) {
    const nameless = { username: null, firstName: null, lastName: null }
    const person = { ...nameless, roles: null, isComplete: true, hasUnverifiedEmail: false }
    const open = (subject: string, externalIdentifier: string | null, verifiedEmail: string | null) =>
      w.platform.store
        .inTenant(w.tenantId, (tx) => {
          const stated = { ...person, subject, externalIdentifier, verifiedEmail }
          return findOrCreatePerson(tx, provider, stated, aVisit(), now)
        })
        .catch((error: unknown) => {
          if (error instanceof PersonRefused) return null
          throw error
        })
    const at = (...stated: Parameters<typeof open>) => ({ isByName: true, open: () => open(...stated) })
    const isEvil = provider.issuer === evil.issuer
    if (isEvil) yield at('sub-linked', null, null)
    for (const name of names) {
      yield at(newId(), `evil-${name}`, null)
      yield at(newId(), null, `evil-${name}@example.org`)
      if (isEvil) yield at(newId(), `id-${name}`, null)
      if (isEvil) yield at(newId(), null, `${name}@example.org`)
    }
    if (provider.audience === null) continue
    const op = isEvil ? evil : school
    for (const name of names) {
      const claims = { employee_id: `${isEvil ? 'id' : 'evil'}-${name}`, upn: isEvil ? name : `evil-${name}` }
      const token = await op.accessToken({ sub: newId(), aud: provider.audience, ...claims })
      const openByToken = () =>
        readExternalToken(w.platform, token, { ip: '192.0.2.1', requestId: 'r' }).then(
          (grant) => grant?.userId ?? null,
          (error: unknown) => {
            if (error instanceof Fault) return null
            throw error
          },
        )
      yield { isByName: true, open: openByToken }
    }
  }
}

async function factsOf(w: World) {
  return w.platform.store.inTenant(w.tenantId, async (tx) => {
    const facts = new Map<UserId, AccountFacts | null>()
    for (const name of names) facts.set(w.ids[name], await findFacts(tx, w.ids[name]))
    return facts
  })
}

/** Checks that what the caller did gave nobody a scope that the caller has not. */
async function checkScopes(w: World, sequence: readonly string[]): Promise<void> {
  const lacks = (one: Scope) => !holds(w.caller, one)
  assert.deepEqual(w.gained.filter(lacks), [], `${sequence.join(', ')}: a client has more scopes`)
  await w.platform.store.inTenant(w.tenantId, async (tx) => {
    for (const [name, first] of Object.entries(firstRoles)) {
      const given = name === 'plant' && sequence.includes(ROLE_GIVEN) ? givenRoles : first
      const had = scopesOfRoles(given)
      const now = scopesOfRoles((await findRoles(tx, w.ids[name as Name])) ?? [])
      const gained = now.filter((one) => lacks(one) && !had.includes(one))
      assert.deepEqual(gained, [], `${sequence.join(', ')}: ${name} has more scopes`)
    }
  })
}

/** Users who can sign in, or whose wallets hold something or will, after a sequence. */
function usedAfter(sequence: readonly string[]): readonly Name[] {
  const isUnlinked = sequence.includes(OTHER_ISSUER)
  const isPlantUsed = USES_PLANT.some((name) => sequence.includes(name))
  const always = ['signs', 'holds', 'awaits', 'offered'] as const
  return [...always, ...(isUnlinked ? [] : ['linked' as const]), ...(isPlantUsed ? ['plant' as const] : [])]
}

async function tryAll(platform: Platform, scopes: readonly Scope[], sequence: readonly string[]): Promise<void> {
  const w = await aWorld(platform, scopes)
  for (const name of sequence) await refusable(acts[name]?.[1].bind(null, w) ?? assert.fail)
  await checkScopes(w, sequence)
  const used = usedAfter(sequence)
  let before = await factsOf(w)
  for await (const { open, isByName } of openings(w)) {
    const opened = await open()
    if (opened === null) continue
    const facts = before.get(opened)
    assert.ok(facts, 'an account of nobody')
    const isUsed = used.some((name) => w.ids[name] === opened)
    assert.deepEqual(
      [isUsed, facts.canSignIn, facts.holds],
      [false, false, false],
      `${sequence.join(', ')}: an account in use was opened`,
    )
    before = await factsOf(w)
    if (isByName && sequence.includes(ROLE_GIVEN)) continue
    const roles = (await w.platform.store.single(w.tenantId, (tx) => findRoles(tx, opened))) ?? []
    const given = scopesOfRoles(roles).filter((one) => !holds(w.caller, one))
    assert.deepEqual(given, [], `${sequence.join(', ')}: scopes were gained`)
  }
}

/** Tries sequences, as many at the same time as there are lanes. */
async function tryEach(scopes: readonly Scope[], sequences: readonly (readonly string[])[]): Promise<void> {
  const left = sequences.values()
  await Promise.all(
    lanes.map(async (platform) => {
      for (const sequence of left) await tryAll(platform, scopes, sequence)
    }),
  )
}

for (const [name, [, act]] of Object.entries(acts)) {
  test(`${name}: a caller with every right is not refused, so that the act is one`, async () => {
    const w = await aWorld(servers.one, ['tenant:admin', 'users:impersonate'])
    refused.length = 0
    await refusable(() => act(w))
    assert.deepEqual(refused, [])
  })
}

const possible = (scopes: readonly Scope[]) =>
  Object.entries(acts).flatMap(([name, [needs]]) => {
    return needs === 'owner' || holds({ scopes: new Set(scopes) }, needs) ? [name] : []
  })
const needs = (name: string) => acts[name]?.[0]
const isOwn = (name: string) => needs(name) !== 'owner'

/**
 * What the console offers: each role alone and each scope alone. Sets with which nothing can be done differ in nothing;
 * others differ in their acts, and in the roles that they may give.
 */
const offered = [
  ...Object.entries(roles).map(([name, one]) => [`role ${name}`, one.scopes] as const),
  ...(Object.keys(scopes) as Scope[]).map((one) => [one, [one]] as const),
].filter(([name]) => name !== 'platform:admin')
const unlike = Map.groupBy(offered, ([, held]) => {
  const all = possible(held)
  return JSON.stringify(all.some(isOwn) ? [all, grantableRoles({ scopes: new Set(held) })] : [])
})

for (const [[name, held] = assert.fail(), ...others] of unlike.values()) {
  const all = possible(held)
  const who = [name, ...others.map(([other]) => other)].join(', ')
  test(`${who}: no two acts open an account in use or give more scopes`, async () => {
    const pairs = all.flatMap((first) => all.map((second) => [first, second]))
    // Pairs of acts of lesser callers are tried by those.
    const own = (['tenant:admin', 'users:write', 'owner'] as const).find((one) =>
      all.some((name) => needs(name) === one),
    )
    await tryEach(
      held,
      pairs.filter((pair) => pair.some((name) => needs(name) === own)),
    )
  })
  test(`${who}: nor do three, of a sample`, async () => {
    const one = fc.constantFrom(...all)
    await tryEach(held, fc.sample(fc.tuple(one, one, one), 20))
  })
}
