/** Tables. */
export const CSV = 'text/csv'
/** JSON lines. */
export const NDJSON = 'application/x-ndjson'
/** Server-sent events. */
export const EVENT_STREAM = 'text/event-stream'
/** Certificates in PEM. */
export const PEM = 'application/x-pem-file'
