import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { readOwnJson } from '../../crypto/json.ts'
import type { SealedPlace } from '../../keys/sealing.ts'
import type { Platform } from '../../platform.ts'
import { inPieces } from '../../store/in-pieces.ts'
import { newId } from '../../store/row-id.ts'
import { TABLE_BYTES_MAX } from '../../tables/table.ts'
import { isUuid } from '../../uuid.ts'
import type { KeepingFrame } from '../frame/screen.ts'
import {
  beginIssuing,
  changeDraft,
  deleteDraft,
  deleteExpiredDrafts,
  findDraft,
  findDraftSource,
  insertDraft,
  listDraftParts,
  type NotKept,
  releaseIssuing,
} from './draft-store.ts'
import { type DraftView, PART_ROWS, partsOf, type TableRow } from './table-draft.ts'

const KEPT_MS = 3_600_000
/** Longer than the request of a page that issues; after a crash the person waits for so long. */
const ISSUING_MS_MAX = 15_000
const DRAFTS_OF_PERSON_MAX = 4
const BYTES_OF_TENANT_MAX = 256 * 1024 * 1024

type Owner = Pick<KeepingFrame, 'own' | 'me'>

/** A draft of the person. */
export type HeldDraft = {
  readonly id: string
  readonly view: DraftView
  readonly revision: number
  readonly isIssuing: boolean
}

/**
 * Keeps a table for an hour, sealed. The person's oldest drafts beyond four are deleted, except for those that are
 * being issued.
 *
 * @param source The file as it came; null if it cannot be read in another way.
 * @returns its id; or why it is not kept: the organisation has 256 MiB of such tables already, or four of the person
 *   are being issued
 */
export async function keepDraft(
  { own, me }: Owner,
  draft: { readonly view: DraftView; readonly rows: readonly TableRow[]; readonly source: Uint8Array | null },
): Promise<{ readonly id: string } | { readonly refused: NotKept }> {
  const now = own.clock.now()
  const id = newId()
  const { id: tenantId } = me.organisation
  const parts = []
  for (const [position, rows] of partsOf(draft.rows).entries())
    parts.push(await sealRows(own, tenantId, id, position, rows))
  const sealed = {
    id,
    userId: me.id,
    parts,
    now,
    expiresAt: new Date(now.getTime() + KEPT_MS),
    sealedView: await sealView(own, tenantId, id, draft.view),
    sealedSource:
      draft.source === null
        ? null
        : await own.sealing.seal(placeOf(tenantId, id, 'sealed_source'), await gzipped(draft.source)),
  }
  const limits = { countMax: DRAFTS_OF_PERSON_MAX, bytesMax: BYTES_OF_TENANT_MAX }
  const refused = await own.store.single(tenantId, (tx) => insertDraft(tx, sealed, limits))
  return refused === null ? { id } : { refused }
}

/** Returns a draft of the person; null: there is none, or no longer. */
export async function openDraft({ own, me }: Owner, id: string): Promise<HeldDraft | null> {
  if (!isUuid(id)) return null
  const { id: tenantId } = me.organisation
  const row = await own.store.single(tenantId, (tx) => findDraft(tx, id, me.id, own.clock.now()))
  if (row === null) return null
  const opened = await own.sealing.open(placeOf(tenantId, id, 'sealed_view'), row.sealedView)
  // Sealed by this server.
  return { id, view: readOwnJson(opened) as DraftView, revision: row.revision, isIssuing: row.isIssuing }
}

/** Returns the file of a draft. */
export async function openSource({ own, me }: Owner, id: string): Promise<Buffer | null> {
  const { id: tenantId } = me.organisation
  const sealed = await own.store.single(tenantId, (tx) => findDraftSource(tx, id, me.id))
  if (sealed === null) return null
  return gunzipped(await own.sealing.open(placeOf(tenantId, id, 'sealed_source'), sealed), {
    maxOutputLength: TABLE_BYTES_MAX + 1,
  })
}

/** Returns the rows at these places, in their order, from the parts that have them. */
export async function openRowsAt(owner: Owner, id: string, places: readonly number[]): Promise<readonly TableRow[]> {
  const parts = await openParts(owner, id, [...new Set(places.map((at) => Math.floor(at / PART_ROWS)))])
  return places.flatMap((at) => parts.get(Math.floor(at / PART_ROWS))?.[at % PART_ROWS] ?? [])
}

/** Returns all rows of a draft. */
export async function openRows(owner: Owner, { id, view }: HeldDraft): Promise<readonly TableRow[]> {
  const positions = Array.from({ length: Math.ceil(view.total / PART_ROWS) }, (_, position) => position)
  return [...(await openParts(owner, id, positions)).values()].flat()
}

async function openParts({ own, me }: Owner, id: string, positions: readonly number[]) {
  const { id: tenantId } = me.organisation
  const sealed = await own.store.single(tenantId, (tx) => listDraftParts(tx, id, positions))
  const parts = new Map<number, readonly TableRow[]>()
  for (const { position, sealedRows } of sealed) {
    const opened = await own.sealing.open(placeOf(tenantId, `${id} ${position}`, 'sealed_rows'), sealedRows)
    // Sealed by this server.
    parts.set(position, readOwnJson(opened) as readonly TableRow[])
  }
  return parts
}

/**
 * Changes a draft: its view, and the parts with a row of `changed`. Returns false if it was changed meanwhile. With
 * `staysIssuing` issuing was interrupted.
 */
export async function saveDraft(
  { own, me }: Owner,
  { id, revision, isIssuing }: HeldDraft,
  view: DraftView,
  rows: readonly TableRow[],
  changed: ReadonlySet<number>,
  staysIssuing = false,
): Promise<boolean> {
  const { id: tenantId } = me.organisation
  const all = partsOf(rows)
  const parts = new Map<number, Buffer>()
  for (const position of new Set([...changed].map((at) => Math.floor(at / PART_ROWS))))
    parts.set(position, await sealRows(own, tenantId, id, position, all[position] ?? []))
  const sealedView = await sealView(own, tenantId, id, view)
  const now = own.clock.now()
  const expiresAt = new Date(now.getTime() + KEPT_MS)
  const change = { id, userId: me.id, revision, isIssuing, sealedView, parts, expiresAt, staysIssuing, now }
  return own.store.single(tenantId, (tx) => changeDraft(tx, change))
}

/**
 * Begins issuing the rows of a draft: until it ends nothing else changes them. Returns false while another request
 * issues them.
 */
export function beginDraft({ own, me }: Owner, { id, revision }: HeldDraft): Promise<boolean> {
  const now = own.clock.now()
  const until = new Date(now.getTime() + ISSUING_MS_MAX)
  return own.store.single(me.organisation.id, (tx) => beginIssuing(tx, { id, revision, userId: me.id }, now, until))
}

/**
 * Leaves issuing to another request; with `isOver` certainly nothing was issued, and the draft may be changed again.
 */
export function releaseDraft({ own, me }: Owner, { id, revision }: HeldDraft, isOver: boolean): Promise<void> {
  const now = own.clock.now()
  return own.store.single(me.organisation.id, (tx) => releaseIssuing(tx, { id, revision, userId: me.id }, now, isOver))
}

/** Deletes a draft that another one replaces. */
export function dropDraft({ own, me }: Owner, id: string): Promise<void> {
  return own.store.single(me.organisation.id, (tx) => deleteDraft(tx, id, me.id))
}

/** Deletes the expired drafts of all tenants. */
export function sweepDrafts(needs: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal): Promise<void> {
  const now = needs.clock.now()
  return inPieces(needs, 'expired tables of all tenants', signal, (tx, limit) => deleteExpiredDrafts(tx, now, limit))
}

const gzipped = promisify(gzip)
const gunzipped = promisify(gunzip)

function sealView(own: Owner['own'], tenantId: Tenant, id: string, view: DraftView): Promise<Buffer> {
  return own.sealing.seal(placeOf(tenantId, id, 'sealed_view'), JSON.stringify(view))
}

function sealRows(own: Owner['own'], tenantId: Tenant, id: string, position: number, rows: readonly TableRow[]) {
  return own.sealing.seal(placeOf(tenantId, `${id} ${position}`, 'sealed_rows'), JSON.stringify(rows))
}

type Tenant = SealedPlace['tenantId']
type Column = 'sealed_view' | 'sealed_source' | 'sealed_rows'

function placeOf(tenantId: Tenant, row: string, column: Column): SealedPlace {
  return { tenantId, table: column === 'sealed_rows' ? 'table_draft_part' : 'table_draft', column, row }
}
