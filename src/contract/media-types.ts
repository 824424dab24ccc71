/** Tables. */
export const CSV = 'text/csv'
/** Workbooks of spreadsheets: `.xlsx`. ECMA-376 part 1, 12.3.23 */
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** Documents. RFC 8118 */
export const PDF = 'application/pdf'
/** JSON lines. */
export const NDJSON = 'application/x-ndjson'
/** Server-sent events. */
export const EVENT_STREAM = 'text/event-stream'
/** Certificates in PEM. */
export const PEM = 'application/x-pem-file'
