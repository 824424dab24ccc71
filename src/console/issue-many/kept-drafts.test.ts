// Tables that are checked: their bounds, and who issues them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { TenantId, UserId } from '../../caller.ts'
import type { Me } from '../../pages/session/tokens.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import type { KeepingFrame } from '../frame/screen.ts'
import type { Template } from '../templates/content/template.ts'
import { insertDraft } from './draft-store.ts'
import { issueDraft } from './issue-draft.ts'
import {
  beginDraft,
  dropDraft,
  type HeldDraft,
  keepDraft,
  openDraft,
  openRows,
  releaseDraft,
  saveDraft,
  sweepDrafts,
} from './kept-drafts.ts'
import type { DraftView, TableRow } from './table-draft.ts'

const tenantId = '00000000-0000-7000-8000-0000000000dd' as TenantId
const insertTenant = sql(
  'test.drafts.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, 'acme', 'Acme', now(), now())`,
)
const MINUTE_MS = 60_000

let db: TestDatabase
let own: Platform
let now = new Date('2026-11-23T08:00:00Z')
before(async () => {
  db = await openTestDatabase()
  await db.store.across('test set-up', (tx) => tx.rows(insertTenant, [tenantId]))
  own = platformOn({ store: db.store, clock: { now: () => now } })
})
after(() => db.close())

const later = (ms: number) => {
  now = new Date(now.getTime() + ms)
}

/** A person of the tenant with tables of their own. */
function person(): { readonly own: Platform; readonly me: Me } {
  const organisation = { id: tenantId, slug: 'acme', name: 'Acme', accentColor: null, timeZone: 'UTC' }
  const me = { id: newId() as UserId, name: null, email: null, roles: [], scopes: [] }
  return { own, me: { ...me, organisation: { ...organisation, privacyUri: null, supportAddress: null } } }
}

const view: DraftView = {
  name: 'Class',
  templateId: newId(),
  header: ['Name'],
  examples: ['Dube'],
  mapping: ['name'],
  missing: [],
  twins: { listed: [], count: 0 },
  form: { kind: 'text', encoding: 'utf-8', delimiter: 'comma', decimal: 'point', dates: 'dmy', isSure: true },
  bad: [],
  lifetimeSeconds: 604_800,
  total: 1,
  issued: 0,
  batches: [],
}
const rows: readonly TableRow[] = [{ number: 2, cells: ['Dube'], problems: [], isIssued: false }]

type Owner = ReturnType<typeof person>

async function keep(owner: Owner): Promise<HeldDraft> {
  const kept = await keepDraft(owner, { view, rows, source: Buffer.from('Name\nDube') })
  assert('id' in kept)
  later(1000)
  return (await openDraft(owner, kept.id)) ?? assert.fail('the draft is not there')
}
const isThere = async (owner: Owner, { id }: HeldDraft) => (await openDraft(owner, id)) !== null

test('a table is its person’s own, is kept for an hour from its last change, and then swept', async () => {
  const [owner, other] = [person(), person()]
  const held = await keep(owner)
  assert.equal(await isThere(other, held), false)
  assert.deepEqual(await openRows(owner, held), rows)
  later(50 * MINUTE_MS)
  assert.equal(await saveDraft(owner, held, view, rows, new Set([0])), true)
  later(50 * MINUTE_MS)
  assert.equal(await isThere(owner, held), true)
  later(11 * MINUTE_MS)
  assert.equal(await isThere(owner, held), false)
  await sweepDrafts(own, new AbortController().signal)
  later(-60 * MINUTE_MS)
  assert.equal(await isThere(owner, held), false, 'it is deleted, not hidden')
})

test('of five tables of a person the oldest goes, but never one whose rows are being issued', async () => {
  const owner = person()
  const [first, second, third, fourth] = [await keep(owner), await keep(owner), await keep(owner), await keep(owner)]
  assert.equal(await beginDraft(owner, first), true)
  const fifth = await keep(owner)
  const there = await Promise.all([first, second, third, fourth, fifth].map((one) => isThere(owner, one)))
  assert.deepEqual(there, [true, false, true, true, true])
  for (const one of [third, fourth, fifth]) assert.equal(await beginDraft(owner, one), true)
  assert.deepEqual(await keepDraft(owner, { view, rows, source: null }), { refused: 'issuing' })
  await releaseDraft(owner, first, true)
  assert('id' in (await keepDraft(owner, { view, rows, source: null })))
})

test('the tables of a tenant have a bound in bytes', async () => {
  const { me } = person()
  const draft = {
    id: newId(),
    userId: me.id,
    sealedView: Buffer.alloc(10),
    sealedSource: null,
    parts: [Buffer.alloc(90)],
    now: new Date(now.getTime() + 120 * MINUTE_MS),
    expiresAt: new Date(now.getTime() + 180 * MINUTE_MS),
  }
  const insert = (id: string, bytesMax: number) =>
    own.store.single(tenantId, (tx) => insertDraft(tx, { ...draft, id }, { countMax: 4, bytesMax }))
  assert.equal(await insert(draft.id, 99), 'full')
  assert.equal(await insert(draft.id, 100), null)
  assert.equal(await insert(newId(), 199), 'full')
  assert.equal(await insert(newId(), 200), null)
})

test('of concurrent requests one issues a table; nothing else changes it, and another one takes over what was interrupted', async () => {
  const owner = person()
  const held = await keep(owner)
  const isOne = (found: readonly boolean[]) => found.filter(Boolean).length === 1
  const begin = () => Promise.all(Array.from({ length: 5 }, () => beginDraft(owner, held)))
  assert(isOne(await begin()))
  assert.equal(await saveDraft(owner, held, { ...view, name: 'Changed' }, rows, new Set([0])), false)
  await dropDraft(owner, held.id)
  const issuing = (await openDraft(owner, held.id)) ?? assert.fail('the draft is gone')
  assert.deepEqual([issuing.isIssuing, issuing.view.name], [true, 'Class'])
  later(14_000)
  assert.deepEqual(new Set(await begin()), new Set([false]))
  // The server that issued it is gone.
  later(1000)
  assert(isOne(await begin()))
  const issued = rows.map((row) => ({ ...row, isIssued: true }))
  const done = { ...view, issued: 1, batches: [newId()] }
  const save = () => saveDraft(owner, { ...held, isIssuing: true }, done, issued, new Set([0]))
  assert(isOne([await save(), await save()]), 'the first server comes back: its result is that of the other')
  const after = (await openDraft(owner, held.id)) ?? assert.fail('the draft is gone')
  assert.deepEqual([after.isIssuing, after.view.issued, await openRows(owner, after)], [false, 1, issued])
  assert.deepEqual(new Set(await begin()), new Set([false]), 'a form that was made before does not issue it again')
})

test('where inviting was interrupted before any row could be issued, the table can be changed again', async () => {
  const owner = person()
  const held = await keep(owner)
  const recipients = { way: 'wallets', column: 0, by: 'email', invites: true } as const
  const accountless = rows.map((row) => ({ ...row, hasNoAccount: true }))
  assert(await saveDraft(owner, held, { ...view, recipients }, accountless, new Set([0])))
  const chosen = (await openDraft(owner, held.id)) ?? assert.fail('the draft is gone')
  // A table without good rows calls no operation of the API, and reads no template.
  const noRequest = {} as KeepingFrame
  const issue = () => issueDraft({ ...noRequest, ...owner }, {} as Template, { ...chosen, isIssuing: true })
  const isIssuing = async () => (await openDraft(owner, held.id))?.isIssuing
  assert.equal(await beginDraft(owner, chosen), true)
  assert.deepEqual([await issue(), await isIssuing()], [null, true], 'the other request may still work')
  later(15_000)
  assert.deepEqual([await issue(), await isIssuing()], [null, false])
})
