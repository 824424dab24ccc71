import { AwsV4Signer } from 'aws4fetch'
import type { ObjectStoreConfig } from '../config/s3-account.ts'
import { sha256 } from '../crypto/digest.ts'

/** Objects in one bucket of an S3-compatible store. Every call has a time limit, 5 s by default. */
export type ObjectStore = {
  /** @returns null if there is no such object. @throws Error */
  readonly get: (key: string) => Promise<StoredObject | null>
  /**
   * Writes an object if the condition holds: `ifMatch`, the tag of the version to replace; null: there is none yet.
   *
   * @returns the tag of the written version; null: the condition does not hold
   * @throws Error; then the object may have been written
   */
  readonly put: (key: string, body: string, ifMatch: string | null) => Promise<string | null>
  /** Lists keys with a prefix that sort after another key, in order, up to 1,000. @throws Error */
  readonly list: (prefix: string, after: string) => Promise<readonly string[]>
}

/** `etag`: tag of the version. */
type StoredObject = { readonly body: string; readonly etag: string }

const CALL_MS_MAX = 5000
const KEYS_EACH = 1000
const BODY_BYTES_MAX = 16_777_216

/** Opens a bucket, addressed by path. Nothing is sent before the first call. */
export function openObjectStore(config: ObjectStoreConfig, bucket: string, callMsMax = CALL_MS_MAX): ObjectStore {
  const send = (method: string, path: string, headers: Record<string, string> = {}, body: string | null = null) =>
    sendSigned(config, { method, url: `${config.endpoint}/${bucket}${path}`, headers, body }, callMsMax)
  return {
    get: async (key) => {
      const answer = await send('GET', `/${key}`)
      if (answer.status === 404) return null
      return { body: await textOf(answer, 200), etag: answer.headers.get('etag') ?? '' }
    },
    put: async (key, body, ifMatch) => {
      const condition = ifMatch === null ? { 'if-none-match': '*' } : { 'if-match': ifMatch }
      const answer = await send('PUT', `/${key}`, condition, body)
      // 409: another write of the same object is under way. 404: the version to replace is gone.
      if (answer.status === 412 || answer.status === 409 || (answer.status === 404 && ifMatch !== null)) {
        await answer.body?.cancel()
        return null
      }
      await textOf(answer, 200)
      return answer.headers.get('etag') ?? ''
    },
    list: async (prefix, after) => {
      const query = new URLSearchParams({
        'list-type': '2',
        prefix,
        'start-after': after,
        'max-keys': String(KEYS_EACH),
      })
      const text = await textOf(await send('GET', `/?${query}`), 200)
      // Keys of ours have no character that XML escapes.
      return [...text.matchAll(/<Key>([^<&]*)<\/Key>/g)].map(([, key = '']) => key)
    },
  }
}

type Call = {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

/** @see [Signature Version 4](https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html) */
async function sendSigned(
  { region, accessKeyId, secretAccessKey }: ObjectStoreConfig,
  { method, url, headers, body }: Call,
  callMsMax: number,
): Promise<Response> {
  const digest = sha256(body ?? '').toString('hex')
  const signer = new AwsV4Signer({
    method,
    url,
    body,
    region,
    accessKeyId,
    secretAccessKey,
    service: 's3',
    headers: { ...headers, 'x-amz-content-sha256': digest },
    allHeaders: true,
  })
  const signed = await signer.sign()
  return fetch(signed.url, {
    method,
    headers: signed.headers,
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(callMsMax),
  })
}

async function textOf(answer: Response, status: number): Promise<string> {
  const length = Number(answer.headers.get('content-length') ?? 0)
  if (answer.status !== status || length > BODY_BYTES_MAX) {
    await answer.body?.cancel()
    throw new Error(`the object store responded with status ${answer.status}`)
  }
  return answer.text()
}
