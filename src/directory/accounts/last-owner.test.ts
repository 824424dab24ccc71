import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { UserId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { newId } from '../../store/row-id.ts'
import { changeGroup, createGroup, deleteGroup } from '../groups/write-group.ts'
import { type Directory, openDirectory } from '../test-support/directory.ts'
import { findRoles } from '../users/find-roles.ts'
import { getUser } from '../users/find-user.ts'
import { setUserRoles } from '../users/sign-in-users.ts'
import { changeUser, deleteUser } from '../users/write-user.ts'
import { keepingAnOwner } from './last-owner.ts'

let house: Directory
before(async () => {
  house = await openDirectory()
})
after(() => house.close())

/** `ada` is an owner by a role of her own, `ben` by that of a group. */
async function twoOwners() {
  const slug = await house.tenant([{ username: 'ada', roles: ['owner'] }, { username: 'ben' }])
  const caller = house.caller(slug, ['tenant:admin'])
  const { tenantId } = caller
  const idOf = (name: string) => house.store.single(tenantId, (tx) => getUser(tx, 'username', name))
  const [ada, ben] = [(await idOf('ada')).id, (await idOf('ben')).id]
  const group = newId()
  await createGroup(house.platform, caller, { displayName: 'Owners', roles: ['owner'] }, group)
  await changeGroup(house.platform, caller, group, { addMembers: [ben] })
  const isOwner = async (id: UserId) =>
    (await house.store.single(tenantId, (tx) => findRoles(tx, id)))?.includes('owner') === true
  const owners = async () => [await isOwner(ada), await isOwner(ben)].filter(Boolean).length
  return { slug, caller, tenantId, ada, ben, group, owners }
}
type House = Awaited<ReturnType<typeof twoOwners>>

const ada = { key: 'username', value: 'ada' } as const
const platform = () => house.platform
/** What takes ownership away, by whom it takes it from. */
const ofAda: Readonly<Record<string, (h: House) => Promise<unknown>>> = {
  'her role': ({ caller }) => changeUser(platform(), caller, ada, { roles: [] }),
  'her account': ({ caller }) => changeUser(platform(), caller, ada, { enabled: false }),
  'the user': ({ caller }) => deleteUser(platform(), caller, ada, false),
}
const ofBen: Readonly<Record<string, (h: House) => Promise<unknown>>> = {
  'his membership': ({ caller, group, ben }) => changeGroup(platform(), caller, group, { removeMembers: [ben] }),
  'the roles of his group': ({ caller, group }) => changeGroup(platform(), caller, group, { roles: [] }),
  'his group': ({ caller, group }) => deleteGroup(platform(), caller, group),
}

for (const [what, take] of Object.entries(ofAda)) {
  for (const [other, takeOther] of Object.entries(ofBen)) {
    test(`of two owners one stays, whether ${what} or ${other} goes first, and at once`, async () => {
      for (const [first, second] of [
        [take, takeOther],
        [takeOther, take],
      ] as const) {
        const one = await twoOwners()
        await first(one)
        await assert.rejects(second(one), { code: 'owner.last' })
        assert.equal(await one.owners(), 1)
      }
      const both = await twoOwners()
      const ended = await Promise.allSettled([take(both), takeOther(both)])
      const refused = ended.filter((one) => one.status === 'rejected')
      assert.deepEqual(
        refused.map(({ reason }) => reason instanceof Fault && reason.code),
        ['owner.last'],
      )
      assert.equal(await both.owners(), 1)
    })
  }
}

test('a sign-in that waits for the end of the other owner leaves the role to its person', async () => {
  const { tenantId, caller, ada: adaId, group, ben, owners } = await twoOwners()
  const now = platform().clock.now()
  const ending = house.store.inTenant(tenantId, (tx) =>
    keepingAnOwner(tx, async () => {
      await tx.rows({ name: 'test.directory.leave', text: 'delete from user_group_member where group_id = $1' }, [
        group,
      ])
      await setTimeout(300)
    }),
  )
  await setTimeout(100)
  const signIn = house.store.inTenant(tenantId, (tx) => setUserRoles(tx, adaId, [], now))
  await Promise.all([ending, signIn])
  assert.equal(await owners(), 1)
  await assert.rejects(changeUser(platform(), caller, ada, { roles: [] }), { code: 'owner.last' })
  await changeGroup(platform(), caller, group, { addMembers: [ben] })
  await house.store.inTenant(tenantId, (tx) => setUserRoles(tx, adaId, [], now))
  assert.equal(await owners(), 1, 'with another owner the role goes')
})
