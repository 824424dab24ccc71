import { Type } from 'typebox'
import type { TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { enqueue, job } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { isOutOfReach } from '../../trust/lookups/out-of-reach.ts'
import { type CardImage, IMAGE_BYTES_MAX, imageInDataUri, readImage } from './card-image.ts'
import { findDisplay, insertImage } from './display-store.ts'
import type { KeptDisplay } from './kept-display.ts'
import { imageKinds } from './schemas.ts'

const TIMEOUT_MS = 5000
const REDIRECTS_MAX = 2
const ACCEPT = ['image/png', 'image/jpeg', 'image/svg+xml']

/** Fetches the images of a credential once, after its receipt. What cannot be fetched, or is no small image, is left out. */
export const fetchImagesJob = job({
  name: 'wallet.fetch-images',
  payload: Type.Object({ credentialId: Type.String() }, { additionalProperties: false }),
  attemptsMax: 4,
  timeoutSeconds: 30,
  run: (platform, { credentialId }, _signal, { tenantId }) => fetchImages(platform, tenantId, credentialId),
})

/** Enqueues the job in the transaction that stores the credential, if its issuer names images. */
export async function enqueueImages(tx: TenantTx, credentialId: string, display: KeptDisplay, now: Date) {
  if (display.logo !== null || display.background !== null) await enqueue(tx, fetchImagesJob, { credentialId }, { now })
}

async function fetchImages(platform: Platform, tenantId: TenantId, credentialId: string): Promise<void> {
  const { store } = platform
  const display = await store.single(tenantId, (tx) => findDisplay(tx, credentialId))
  if (display === null) return
  for (const kind of imageKinds) {
    const uri = display[kind]
    const image = uri === null ? null : await imageAt(platform, uri)
    if (image !== null) await store.single(tenantId, (tx) => insertImage(tx, credentialId, kind, image))
  }
}

async function imageAt({ fetch, log }: Platform, uri: string): Promise<CardImage | null> {
  if (uri.startsWith('data:')) return imageInDataUri(uri)
  try {
    const limits = { accept: ACCEPT, bytesMax: IMAGE_BYTES_MAX, redirectsMax: REDIRECTS_MAX, timeoutMs: TIMEOUT_MS }
    const { status, body } = await fetch(uri, limits)
    return status === 200 ? readImage(body) : null
  } catch (error) {
    // Only what may pass is tried again.
    if (!(error instanceof Fault) || isOutOfReach(error)) throw error
    log.info({ code: error.code }, 'an image of an issuer was refused')
    return null
  }
}
