import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { Refused, type Sql } from './store.ts'

/**
 * Records a statement, with those that are sent with it and its wait for a connection, as a span by its name, where the
 * work that it belongs to is recorded. Neither its text nor a value is.
 */
export function inStatementSpan<T>({ name }: Sql, run: () => Promise<T>): Promise<T> {
  return trace.getActiveSpan()?.isRecording() === true ? recorded(name, run) : run()
}

async function recorded<T>(name: string, run: () => Promise<T>): Promise<T> {
  // A statement that follows from a filter has no name.
  const summary = name === '' ? 'search' : name
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary }
  const span = trace.getTracer('chirograph').startSpan(summary, { kind: SpanKind.CLIENT, attributes })
  try {
    return await run()
  } catch (error) {
    // A decision that found no row is an outcome.
    if (!(error instanceof Refused)) span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}
