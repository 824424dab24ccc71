import { setting } from './setting.ts'
import { httpUrl, text } from './setting-types.ts'

/** What a restored backup is recognized and completed by. */
export const recoverySettings = {
  recoveryMark: setting(
    'RECOVERY_MARK',
    text(),
    null,
    'Path of a file outside the database, or s3://bucket/key, that tells whether a database is an older state than the one that was served last. With it a restored backup is refused until `chirograph recover` has run (docs/recovery.md).',
  ),
  revocationJournal: setting(
    'REVOCATION_JOURNAL',
    text(),
    null,
    'Folder outside the database, or s3://bucket/prefix, to which every revocation, suspension and reinstatement is written before it is answered. `chirograph recover` reads it back.',
  ),
  awsEndpointUrlS3: setting(
    'AWS_ENDPOINT_URL_S3',
    httpUrl(),
    null,
    'Address of the S3-compatible store of RECOVERY_MARK and REVOCATION_JOURNAL. Default: that of Amazon in AWS_REGION.',
  ),
  awsRegion: setting(
    'AWS_REGION',
    text(),
    'us-east-1',
    'Region of the S3-compatible store; most others than Amazon take any.',
  ),
  awsAccessKeyId: setting(
    'AWS_ACCESS_KEY_ID',
    text(),
    null,
    'Account of the S3-compatible store. It needs to get, put and list objects, and not to delete any.',
  ),
  awsSecretAccessKey: setting('AWS_SECRET_ACCESS_KEY', text(), null, 'Secret of AWS_ACCESS_KEY_ID.'),
} as const
