/** An S3-compatible object store, with the account that writes to it. */
export type ObjectStoreConfig = {
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/**
 * A place in an object store. `key`: of an object, or the beginning of the keys of several; without a slash at its
 * ends.
 */
type S3Location = { readonly bucket: string; readonly key: string }

type Values = {
  readonly recoveryMark: string | null
  readonly revocationJournal: string | null
  readonly awsEndpointUrlS3: string | null
  readonly awsRegion: string
  readonly awsAccessKeyId: string | null
  readonly awsSecretAccessKey: string | null
}

const SCHEME = 's3://'
const LOCATION = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*)\/?$/

/**
 * Returns the place that `s3://bucket/key` names; null for a path of the file system, and for an `s3:` URL that names
 * none.
 */
export function s3Location(text: string): S3Location | null {
  const [, bucket, key] = LOCATION.exec(text) ?? []
  return bucket === undefined || key === undefined ? null : { bucket, key }
}

/** Returns what is wrong with the settings of the object store: names and rules, never values. */
export function objectStoreMistakes(values: Values): string[] {
  const { recoveryMark, revocationJournal, awsAccessKeyId, awsSecretAccessKey } = values
  const named = Object.entries({ RECOVERY_MARK: recoveryMark, REVOCATION_JOURNAL: revocationJournal })
  const used = named.filter(([, text]) => text?.startsWith(SCHEME))
  if (used.length === 0) return []
  return [
    ...used.flatMap(([name, text]) =>
      s3Location(text ?? '') === null ? [`${name} must be a path, or s3://bucket/key`] : [],
    ),
    ...(awsAccessKeyId === null ? ['AWS_ACCESS_KEY_ID is required with s3://'] : []),
    ...(awsSecretAccessKey === null ? ['AWS_SECRET_ACCESS_KEY is required with s3://'] : []),
  ]
}

/** Returns the object store; null if its account is not configured. */
export function objectStoreOf(values: Values): ObjectStoreConfig | null {
  const { awsEndpointUrlS3, awsRegion: region, awsAccessKeyId: accessKeyId, awsSecretAccessKey } = values
  if (accessKeyId === null || awsSecretAccessKey === null) return null
  const endpoint = awsEndpointUrlS3 ?? `https://s3.${region}.amazonaws.com`
  return { endpoint, region, accessKeyId, secretAccessKey: awsSecretAccessKey }
}
