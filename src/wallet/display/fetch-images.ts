import { Type } from 'typebox'
import type { TenantId } from '../../caller.ts'
import { fetchedKinds } from '../../contract/wallet/card-display.ts'
import { Fault } from '../../fault.ts'
import { enqueue, enqueueMissing, job } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import { IMAGE_BYTES_MAX, imageInDataUri, type KeptImage, readImage } from '../../protocols/image.ts'
import { jobCheckAt, jobRecheckAt } from '../../store/lease.ts'
import type { TenantTx } from '../../store/store.ts'
import { isOutOfReach } from '../../trust/lookups/out-of-reach.ts'
import {
  endImages,
  findDisplay,
  insertDisplay,
  insertImage,
  insertSvg,
  type KeptSvg,
  requeueLateImages,
} from './display-store.ts'
import type { KeptDisplay } from './kept-display.ts'
import { placeholdersIn, readSvgTemplate, SVG_BYTES_MAX } from './svg-template.ts'
import { hasIntegrity, readTypeMetadata, type TypeReference } from './type-metadata.ts'

const ATTEMPTS_MAX = 4
const TIMEOUT_MS = 5000
const REDIRECTS_MAX = 2
const ACCEPT = ['image/png', 'image/jpeg', 'image/svg+xml']

/**
 * Fetches the images of a credential once, after its receipt. What cannot be fetched, or is no small image, is left
 * out.
 */
export const fetchImagesJob = job({
  name: 'wallet.fetch-images',
  payload: Type.Object({ credentialId: Type.String() }, { additionalProperties: false }),
  attemptsMax: ATTEMPTS_MAX,
  timeoutSeconds: 30,
  run: async (platform, { credentialId }, _signal, { tenantId, attempt }) => {
    const end = () => platform.store.single(tenantId, (tx) => endImages(tx, credentialId))
    try {
      await fetchImages(platform, tenantId, credentialId)
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX) await end()
      throw error
    }
    await end()
  },
})

/**
 * Keeps the look of a credential in the transaction that stores it, and enqueues the job if its issuer names images.
 */
export async function keepDisplay(
  tx: TenantTx,
  credentialId: string,
  display: KeptDisplay,
  { validFrom, now }: { readonly validFrom: Date; readonly now: Date },
): Promise<void> {
  const isAny = display.logo !== null || display.background !== null || display.type !== undefined
  await insertDisplay(tx, credentialId, display, { validFrom, imagesDueAt: isAny ? jobCheckAt(now) : null })
  if (isAny) await enqueue(tx, fetchImagesJob, { credentialId }, { now })
}

/** Enqueues the missing jobs of images that should have been fetched. */
export async function requeueImages(tx: TenantTx, now: Date, limit: number): Promise<number> {
  const ids = await requeueLateImages(tx, now, jobRecheckAt(now), limit)
  const payloads = ids.map((credentialId) => ({ credentialId }))
  await enqueueMissing(tx, fetchImagesJob, payloads, now)
  return ids.length
}

async function fetchImages(platform: Platform, tenantId: TenantId, credentialId: string): Promise<void> {
  const { store } = platform
  const display = await store.single(tenantId, (tx) => findDisplay(tx, credentialId))
  if (display === null) return
  for (const kind of fetchedKinds) {
    const uri = display[kind]
    const image = uri === null ? null : await imageAt(platform, tenantId, uri)
    if (image !== null) await store.single(tenantId, (tx) => insertImage(tx, credentialId, kind, image))
  }
  const svg = display.type === undefined ? null : await svgOf(platform, tenantId, display.type).catch(orNone(platform))
  if (svg !== null) await store.single(tenantId, (tx) => insertSvg(tx, credentialId, svg))
}

/** Many types have an address at which nothing is: that is asked once. */
function orNone({ log }: Platform) {
  return (error: unknown): null => {
    if (!(error instanceof Fault)) throw error
    log.info({ code: error.code }, 'the metadata of a type could not be fetched')
    return null
  }
}

/** Returns the first template of the type that may be kept. Parents of the type are not looked at. */
async function svgOf(platform: Platform, tenantId: TenantId, type: TypeReference): Promise<KeptSvg | null> {
  const document = await bytesAt(platform, tenantId, type.vct, ['application/json'])
  if (document === null || !hasIntegrity(document, type.integrity)) return null
  const metadata = readTypeMetadata(document, type)
  for (const { uri, integrity } of metadata?.templates ?? []) {
    const bytes = uri.startsWith('data:')
      ? bytesInDataUri(uri)
      : await bytesAt(platform, tenantId, uri, ['image/svg+xml'])
    const template = bytes === null || !hasIntegrity(bytes, integrity) ? null : readSvgTemplate(bytes)
    if (template === null) continue
    const ids = placeholdersIn(template)
    return { template, claims: metadata?.claims.filter(({ id }) => ids.has(id)) ?? [] }
  }
  return null
}

/**
 * Fetches a picture at once, for a person who waits; null if it is none that may be kept, or does not come in time.
 *
 * @param uri https or `data:`.
 */
export async function fetchPicture(
  platform: Pick<Platform, 'fetch' | 'log'>,
  tenantId: TenantId,
  uri: string,
  timeoutMs: number,
): Promise<KeptImage | null> {
  try {
    return await imageAt(platform, tenantId, uri, timeoutMs)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    platform.log.info({ code: error.code }, 'the logo of a verifier could not be fetched')
    return null
  }
}

async function imageAt(
  platform: Pick<Platform, 'fetch' | 'log'>,
  tenantId: TenantId,
  uri: string,
  timeoutMs = TIMEOUT_MS,
): Promise<KeptImage | null> {
  if (uri.startsWith('data:')) return imageInDataUri(uri)
  const bytes = await bytesAt(platform, tenantId, uri, ACCEPT, timeoutMs)
  return bytes === null ? null : readImage(bytes)
}

async function bytesAt(
  { fetch, log }: Pick<Platform, 'fetch' | 'log'>,
  tenantId: TenantId,
  uri: string,
  accept: readonly string[],
  timeoutMs = TIMEOUT_MS,
): Promise<Buffer | null> {
  try {
    const limits = { accept, bytesMax: IMAGE_BYTES_MAX, redirectsMax: REDIRECTS_MAX, timeoutMs }
    const { status, body } = await fetch(tenantId, uri, limits)
    return status === 200 ? body : null
  } catch (error) {
    // Only what may pass is tried again.
    if (!(error instanceof Fault) || isOutOfReach(error)) throw error
    log.info({ code: error.code }, 'an image of an issuer was refused')
    return null
  }
}

function bytesInDataUri(uri: string): Buffer | null {
  const [, parameters = '', text = ''] = /^data:image\/svg\+xml((?:;[\w=-]+)*),(.*)$/s.exec(uri) ?? []
  try {
    const bytes = Buffer.from(decodeURIComponent(text), parameters.endsWith(';base64') ? 'base64' : 'utf8')
    return bytes.length > SVG_BYTES_MAX ? null : bytes
  } catch {
    return null
  }
}
