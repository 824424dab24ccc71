/**
 * The module of the worker that draws a document: its `workerData` is a `PrintedDocument`, it posts an empty piece once
 * it is ready, and answers each `PrintTask` with the bytes that are ready.
 */
export const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './print-worker.ts' : './print-worker.js',
  import.meta.url,
)
