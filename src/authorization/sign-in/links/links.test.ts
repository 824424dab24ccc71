import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Caller, Scope, TenantId } from '../../../caller.ts'
import { findFacts } from '../../../directory/accounts/account-facts.ts'
import { confirmNames, findSignInUser } from '../../../directory/users/sign-in-users.ts'
import { changeUser } from '../../../directory/users/write-user.ts'
import { aMailServer, type MailServer } from '../../../mail/test-support/mail-server.ts'
import { Memory } from '../../../memory/memory.ts'
import type { Platform } from '../../../platform.ts'
import { platformTenantId, sql } from '../../../store/store.ts'
import { fillMail } from '../mail/mail.ts'
import { sendMailJob } from '../mail/send-mail.ts'
import { signInByPassword } from '../passwords/sign-in-by-password.ts'
import { findSession } from '../session.ts'
import {
  aBrowser,
  aName,
  aTenantWith,
  auditOf,
  aVisit,
  cookieHeader,
  disableUser,
  jobsOf,
  type Servers,
  twoServers,
} from '../test-support/person.ts'
import type { UserRef } from '../visit.ts'
import { type Inviter, inviteUser } from './invite-user.ts'
import { linkJobs, linkMailJobs } from './jobs.ts'
import { findLink, makeLink, storeLink } from './one-time-link.ts'
import { redeemWithPassword } from './redeem-link.ts'
import { requestReset } from './request-reset.ts'

let servers: Servers
let mailServer: MailServer
let mailing: Platform
before(async () => {
  servers = await twoServers()
  mailServer = await aMailServer()
  mailing = { ...servers.one, config: { ...servers.one.config, isDevelopment: true, smtpUrl: mailServer.url } }
})
after(async () => {
  await servers.db.close()
  await mailServer.close()
})

const password = 'correct horse battery'
const inviter: Inviter = { by: 'system', roles: [], mayImpersonate: false }
const texts = {
  subject: 'Your link',
  text: 'Hello {{username}} of {{organisation}}: {{link}}',
  html: '<p>Hello {{username}} of {{organisation}}: <a href="{{link}}">open</a></p>',
}

async function aPerson(more: { email?: string; password?: string } = {}) {
  const username = aName()
  const { slug, tenantId, people } = await aTenantWith(servers.one, [{ username, ...more }])
  const [person] = people
  assert.ok(person)
  return { username, slug, tenantId, person }
}

const waysOf = { welcome: 'mailed_link', reset: 'reset_link', owner: 'operator_link' } as const

async function aLink(person: UserRef, purpose: 'welcome' | 'reset' | 'owner' = 'welcome') {
  const { link, told } = makeLink(servers.one, person, purpose)
  await servers.one.store.inTenant(person.tenantId, (tx) =>
    storeLink(tx, link, { way: waysOf[purpose], by: 'system', makerRoles: null }, servers.clock.now()),
  )
  return tokenOf(told.url)
}

/** A client of the organisation that may do this. */
function hrOf(tenantId: TenantId, tenantSlug: string, scopes: readonly Scope[]): Caller {
  const actor = { kind: 'client', id: 'hr' } as const
  const rest = { userId: null, clientId: 'hr', actingClientId: null, requestId: 'r', ip: '192.0.2.1' }
  return { tenantId, tenantSlug, actor, scopes: new Set(scopes), ...rest }
}

const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? ''
const redeem = (token: string, platform: Platform = servers.one, tried = password) =>
  redeemWithPassword(platform, { token, password: tried }, aBrowser())

const claimed = sql(
  'test.take_jobs',
  'delete from job where tenant_id = $1 and name = any($2::text[]) returning id, name, payload',
)

/** Runs the queue of a tenant once, as the worker does. */
async function work(tenantId: TenantId): Promise<void> {
  const jobs = [...linkJobs, ...linkMailJobs]
  const names = jobs.map(({ name }) => name)
  const rows = await mailing.store.single(tenantId, (tx) =>
    tx.rows<{ id: string; name: string; payload: unknown }>(claimed, [tenantId, names]),
  )
  for (const { id, name, payload } of rows) {
    const job = jobs.find((one) => one.name === name)
    await job?.run(mailing, payload, new AbortController().signal, { id, tenantId, attempt: 1 })
  }
}

test('a link sets the password, signs in, and ends every session and link from before', async () => {
  const { username, slug, person } = await aPerson({ password: 'the former password' })
  const former = await signInByPassword(
    servers.one,
    { name: username, password: 'the former password', tenantSlug: slug },
    aBrowser(),
  )
  assert.ok(former.kind === 'signed-in')
  const [token, reset] = [await aLink(person), await aLink(person, 'reset')]
  assert.equal((await findLink(servers.two, token))?.user.username, username)
  const outcome = await redeem(token)
  assert.ok(outcome.kind === 'signed-in')
  assert.equal(await findSession(servers.two, cookieHeader(...former.cookies)), null)
  assert.ok(await findSession(servers.two, cookieHeader(...outcome.cookies)))
  assert.deepEqual(await redeem(token), { kind: 'invalid' })
  assert.deepEqual(await redeem(reset), { kind: 'invalid' })
  const again = await signInByPassword(servers.one, { name: username, password, tenantSlug: slug }, aBrowser())
  assert.equal(again.kind, 'signed-in')
  const actions = (await auditOf(servers.one, person.tenantId)).map(({ action }) => action)
  for (const action of ['user.link_created', 'user.link_used', 'user.password_changed', 'session.ended']) {
    assert.ok(actions.includes(action), action)
  }
})

test('of two uses of one link in two processes one signs in', async () => {
  const { person } = await aPerson()
  const token = await aLink(person)
  const outcomes = await Promise.all([redeem(token), redeem(token, servers.two, 'another good password')])
  assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), ['invalid', 'signed-in'])
})

test('a weak password leaves the link as it is', async () => {
  const { username, person } = await aPerson()
  const token = await aLink(person)
  for (const [tried, finding] of [
    ['short', 'too_short'],
    ['Password2026', 'common'],
    [`${username}${username}!`, 'personal'],
  ] as const) {
    assert.deepEqual(await redeem(token, servers.one, tried), { kind: 'weak', finding })
  }
  assert.equal((await redeem(token)).kind, 'signed-in')
})

test('a new link of a purpose ends the older one, and no other', async () => {
  const { person } = await aPerson()
  const [older, owner, newer] = [await aLink(person), await aLink(person, 'owner'), await aLink(person)]
  assert.equal(await findLink(servers.one, older), null)
  assert.ok(await findLink(servers.one, owner))
  assert.ok(await findLink(servers.one, newer))
})

for (const [purpose, seconds] of [
  ['welcome', 7 * 86_400],
  ['reset', 3600],
  ['owner', 3600],
] as const) {
  test(`a ${purpose} link expires after ${seconds} s`, async () => {
    const { person } = await aPerson()
    const token = await aLink(person, purpose)
    try {
      servers.clock.shiftSeconds = seconds - 5
      assert.ok(await findLink(servers.one, token))
      servers.clock.shiftSeconds = seconds + 1
      assert.equal(await findLink(servers.one, token), null)
      assert.deepEqual(await redeem(token), { kind: 'invalid' })
    } finally {
      servers.clock.shiftSeconds = 0
    }
  })
}

test('the link of a disabled user, a changed link and a foreign text are invalid', async () => {
  const { person } = await aPerson()
  const token = await aLink(person)
  for (const wrong of ['', `${token}A`, token.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')), '\0']) {
    assert.deepEqual(await redeem(wrong), { kind: 'invalid' })
  }
  await disableUser(servers.one, person)
  assert.deepEqual(await redeem(token), { kind: 'invalid' })
})

test('without a mail server or an address an invitation returns the link once', async () => {
  const [withAddress, without] = [await aPerson({ email: `${aName()}@example.org` }), await aPerson()]
  for (const [platform, { person }] of [
    [servers.one, withAddress],
    [mailing, without],
  ] as const) {
    const outcome = await inviteUser(platform, person, inviter, texts)
    assert.ok(outcome.kind === 'link')
    assert.equal((await redeem(tokenOf(outcome.url))).kind, 'signed-in')
    const facts = await servers.one.store.single(person.tenantId, (tx) => findFacts(tx, person.userId))
    assert.equal(facts?.openedByToldLink, true)
  }
  assert.deepEqual(
    await inviteUser(servers.one, { ...without.person, userId: withAddress.person.userId }, inviter, texts),
    {
      kind: 'closed',
      reason: 'inactive',
    },
  )
})

test('an invitation is mailed by a job whose payload shows neither address nor link', async () => {
  const email = `${aName()}@example.org`
  const { username, slug, person } = await aPerson({ email })
  const outcome = await inviteUser(mailing, person, inviter, texts)
  assert.equal(outcome.kind, 'mailed')
  assert.ok(!('url' in outcome))
  const [queued] = (await jobsOf(mailing, person.tenantId)).filter(({ name }) => name === sendMailJob.name)
  assert.ok(queued && !/token|example\.org/.test(JSON.stringify(queued.payload)))
  await work(person.tenantId)
  const mail = mailServer.mails.find(({ to }) => to.includes(email))
  assert.match(mail?.raw ?? '', /^Subject: Your link$/m)
  assert.match(mail?.from ?? '', /<no-reply@id\.example>/)
  const plain = (mail?.raw ?? '').replaceAll('=\n', '').replaceAll('=3D', '=')
  const token = /token=([\w-]+)/.exec(plain)?.[1] ?? ''
  assert.ok(plain.includes(`Hello ${username} of Org ${slug}`))
  assert.equal((await redeem(token)).kind, 'signed-in')
})

test('an error of the mail server is repeated without the address', async () => {
  const email = `${aName()}@example.org`
  const { person } = await aPerson({ email })
  await inviteUser(mailing, person, inviter, texts)
  mailServer.refuses = true
  await assert.rejects(work(person.tenantId), (error: Error) => {
    assert.match(error.message, /EENVELOPE 550/)
    assert.ok(!error.message.includes(email))
    return true
  })
  mailServer.refuses = false
})

test('in production a mail server without encryption gets no mail, unless its URL says so', async () => {
  const email = `${aName()}@example.org`
  const { person } = await aPerson({ email })
  const send = async (smtpUrl: string) => {
    const platform = {
      ...servers.one,
      memory: new Memory(),
      config: { ...mailing.config, isDevelopment: false, smtpUrl },
    }
    await inviteUser(platform, person, inviter, texts)
    const [queued] = (await jobsOf(platform, person.tenantId)).slice(-1)
    const about = { id: 'x', tenantId: person.tenantId, attempt: 1 }
    await sendMailJob.run(platform, { sealed: String(queued?.payload.sealed) }, new AbortController().signal, about)
  }
  await assert.rejects(send(mailServer.url), /ETLS|ESOCKET|EPROTOCOL/)
  await send(`${mailServer.url}?requireTLS=false&ignoreTLS=true`)
  assert.equal(mailServer.mails.filter(({ to }) => to.includes(email)).length, 1)
})

test('a reset does the same for known and unknown names, and mails the known ones', async () => {
  const email = `${aName()}@example.org`
  const { username, person } = await aPerson({ email, password })
  const passwordless = await aPerson({ email: `${aName()}@example.org` })
  const ask = async (name: string) => {
    const before = { ...mailing.store.counts }
    assert.equal(await requestReset(mailing, { name, tenantSlug: null, mail: texts }, aVisit()), undefined)
    return mailing.store.counts.statements - before.statements
  }
  await ask(aName())
  assert.equal(await ask(username), await ask(aName()))
  await ask(passwordless.username)
  await work(platformTenantId)
  await work(person.tenantId)
  await work(passwordless.tenantId)
  assert.equal(mailServer.mails.filter(({ to }) => to.includes(email)).length, 1)
  const raw = (mailServer.mails.find(({ to }) => to.includes(email))?.raw ?? '').replaceAll('=\n', '')
  const token = /token=(?:3D)?([\w-]+)/.exec(raw)?.[1] ?? ''
  assert.equal((await findLink(servers.one, token))?.purpose, 'reset')
})

test('an address gets at most five mails in an hour, and the last link stays valid', async () => {
  const email = `${aName()}@example.org`
  const { person } = await aPerson({ email })
  for (let n = 0; n < 5; n += 1) assert.equal((await inviteUser(mailing, person, inviter, texts)).kind, 'mailed')
  assert.deepEqual(await inviteUser(mailing, person, inviter, texts), { kind: 'closed', reason: 'limited' })
  servers.clock.shiftSeconds = 3601
  const later = await inviteUser(mailing, person, inviter, texts)
  servers.clock.shiftSeconds = 0
  assert.equal(later.kind, 'mailed')
})

test('names of organisations and people cannot write HTML into a mail', async () => {
  const { text, html } = fillMail(texts, { link: 'https://x', organisation: '<b>&"', username: '$& {{link}}' })
  assert.equal(text, 'Hello $& {{link}} of <b>&": https://x')
  assert.equal(html, '<p>Hello $&#38; {{link}} of &#60;b&#62;&#38;&#34;: <a href="https://x">open</a></p>')
  await assert.rejects(
    sendMailJob.run(servers.one, { sealed: 'AAAA' }, new AbortController().signal, {
      id: 'x',
      tenantId: platformTenantId,
      attempt: 1,
    }),
  )
})

test('an address that an administrator sets gets no link for a user who can sign in, until the user confirms it', async () => {
  const { username, slug, person } = await aPerson({ email: 'own@example.org', password })
  const { tenantId, userId } = person
  const setEmail = (email: string, ...scopes: Scope[]) =>
    changeUser(
      mailing,
      hrOf(tenantId, slug, ['users:write', ...scopes]),
      { key: 'username', value: username },
      { email },
    )
  const addressees = async () => {
    const before = mailServer.mails.length
    await requestReset(mailing, { name: username, tenantSlug: slug, mail: texts }, aVisit())
    await work(platformTenantId)
    await work(tenantId)
    return mailServer.mails.slice(before).map(({ to }) => to.replaceAll(/[<>\s]/g, ''))
  }
  assert.deepEqual(await addressees(), ['own@example.org'])
  await setEmail('OWN@example.org')
  assert.equal((await addressees()).length, 1, 'the same address')
  await setEmail('thief@example.org')
  await setEmail('thief2@example.org')
  assert.deepEqual(await addressees(), [])
  assert.deepEqual(await inviteUser(mailing, person, inviter, texts), { kind: 'closed', reason: 'new_address' })
  const confirm = (email: string) =>
    mailing.store.inTenant(tenantId, (tx) =>
      confirmNames(tx, userId, { email, username, externalIdentifier: null }, 'system', mailing.clock.now()),
    )
  await confirm('thief@example.org')
  assert.deepEqual(await addressees(), [], 'another address than the one that was shown')
  await confirm('thief2@example.org')
  assert.deepEqual(await addressees(), ['thief2@example.org'])
  await setEmail('moved@example.org')
  await setEmail('known@example.org', 'users:impersonate')
  assert.deepEqual(await addressees(), ['known@example.org'])
})

test('an address that is corrected before the first sign-in gets the invitation', async () => {
  const { username, slug, person } = await aPerson({ email: 'typo@example.org' })
  const actor = { kind: 'client', id: 'hr' } as const
  const rest = { userId: null, clientId: 'hr', actingClientId: null, requestId: 'r', ip: '192.0.2.1' }
  const caller: Caller = { ...person, ...rest, tenantSlug: slug, actor, scopes: new Set(['users:write']) }
  await changeUser(mailing, caller, { key: 'username', value: username }, { email: 'right@example.org' })
  assert.equal((await inviteUser(mailing, person, inviter, texts)).kind, 'mailed')
})

test('a mailed link proves the address of its user, as long as the user has it; a told one does not', async () => {
  const isVerified = async ({ tenantId, userId }: UserRef) =>
    (await servers.one.store.single(tenantId, (tx) => findSignInUser(tx, userId)))?.emailIsVerified
  for (const [purpose, expected] of [
    ['welcome', true],
    ['reset', true],
    ['owner', false],
  ] as const) {
    const email = `${aName()}@example.org`
    const { person } = await aPerson({ email, password })
    assert.equal(await isVerified(person), false)
    // A welcome is for a user who cannot sign in yet.
    const invited = purpose === 'welcome' ? (await aPerson({ email: `${aName()}@example.org` })).person : person
    assert.equal((await redeem(await aLink(invited, purpose))).kind, 'signed-in')
    assert.equal(await isVerified(invited), expected, purpose)
  }
  const { username, slug, tenantId, person } = await aPerson({ email: `${aName()}@example.org` })
  await redeem(await aLink(person))
  assert.equal(await isVerified(person), true)
  const key = { key: 'username', value: username } as const
  await changeUser(servers.one, hrOf(tenantId, slug, ['users:write']), key, { email: `${aName()}@example.org` })
  assert.equal(await isVerified(person), false)
  const told = await aPerson({ email: `${aName()}@example.org` })
  const outcome = await inviteUser(servers.one, told.person, inviter, texts)
  assert.equal(outcome.kind, 'link')
  if (outcome.kind === 'link') await redeem(tokenOf(outcome.url))
  assert.equal(await isVerified(told.person), false)
})
