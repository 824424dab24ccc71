import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findSession, type Session, startSession } from '../session.ts'
import { aBrowser, aName, aTenantWith, aVisit, cookieHeader, type Servers, twoServers } from '../test-support/person.ts'
import { changePassword } from './change-password.ts'
import { signInByPassword } from './sign-in-by-password.ts'

let servers: Servers
before(async () => {
  servers = await twoServers()
})
after(() => servers.db.close())

const password = 'correct horse battery'
const next = 'staple the second one'

async function aPerson(given: { password?: string } = { password }) {
  const username = aName()
  const { slug, people } = await aTenantWith(servers.one, [{ username, ...given }])
  const [person] = people
  assert.ok(person)
  const sessions: { session: Session; header: string }[] = []
  for (let n = 0; n < 2; n += 1) {
    const started = await startSession(servers.one, person, ['pwd'], aVisit())
    assert.ok(started)
    sessions.push({ session: started.session, header: cookieHeader(started.cookie) })
  }
  const [mine, other] = sessions
  assert.ok(mine && other)
  return { username, slug, mine, other }
}

test('a password is changed with the current one, and every other session ends', async () => {
  const { username, slug, mine, other } = await aPerson()
  const change = (current: string, to: string) =>
    changePassword(servers.one, mine.session, { current, password: to }, aVisit())
  assert.deepEqual(await change('wrong password', next), { kind: 'refused' })
  assert.deepEqual(await change(password, 'Password2026'), { kind: 'weak', finding: 'common' })
  assert.ok(await findSession(servers.two, other.header))
  assert.deepEqual(await change(password, next), { kind: 'changed' })
  assert.equal(await findSession(servers.two, other.header), null)
  assert.ok(await findSession(servers.two, mine.header))
  const signIn = (tried: string) =>
    signInByPassword(servers.two, { name: username, password: tried, tenantSlug: slug }, aBrowser())
  assert.equal((await signIn(password)).kind, 'refused')
  assert.equal((await signIn(next)).kind, 'signed-in')
})

test('a stolen session guesses the current password five times, and locks no sign-in', async () => {
  const { username, slug, mine } = await aPerson()
  const guess = (current: string) => changePassword(servers.one, mine.session, { current, password: next }, aVisit())
  const outcomes = await Promise.all(Array.from({ length: 8 }, (_, n) => guess(`wrong password ${n}`)))
  assert.equal(outcomes.filter(({ kind }) => kind === 'refused').length, 5)
  assert.equal((await guess(password)).kind, 'locked')
  assert.equal(
    (await signInByPassword(servers.one, { name: username, password, tenantSlug: slug }, aBrowser())).kind,
    'signed-in',
  )
})

test('a user without a password sets one within 15 minutes of a sign-in', async () => {
  const { mine } = await aPerson({})
  const set = () => changePassword(servers.one, mine.session, { current: '', password: next }, aVisit())
  servers.clock.shiftSeconds = 901
  const late = await set()
  servers.clock.shiftSeconds = 0
  assert.deepEqual(late, { kind: 'stale' })
  assert.deepEqual(await set(), { kind: 'changed' })
})
