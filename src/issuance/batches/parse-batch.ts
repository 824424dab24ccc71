import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { TextBody } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { EXPIRES_IN_SECONDS } from '../issuances/schemas.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import type { BatchInput } from './accept-batch.ts'
import { readBatchTable } from './batch-table.ts'
import type { BatchBody, BatchQuery } from './schemas.ts'

/**
 * Parses a batch from a request body: JSON, or a table in CSV.
 *
 * @throws Fault `request.invalid` for a malformed table, `resource.unknown` for a table of an unknown template
 */
export async function parseBatch(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  caller: Caller,
  query: BatchQuery,
  body: BatchBody | TextBody,
): Promise<BatchInput> {
  if (!(body instanceof TextBody)) {
    const misplaced = Object.keys(query)
    if (misplaced.length > 0) throw refusal(misplaced, 'is only for text/csv; in JSON it is a member of the body.')
    return { ...body, form: 'json' }
  }
  const { credentialTemplateId } = query
  if (credentialTemplateId === undefined) throw refusal(['credentialTemplateId'], 'is missing; text/csv requires it.')
  const { definition } = await latestTemplate(needs, caller.tenantId, credentialTemplateId)
  const items = readBatchTable(body.text, definition)
  return { credentialTemplateId, form: 'csv', items, expiresInSeconds: secondsOf(query.expiresInSeconds) }
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(text)
  const { minimum, maximum } = EXPIRES_IN_SECONDS
  if (seconds >= minimum && seconds <= maximum) return seconds
  throw refusal(['expiresInSeconds'], `must be between ${minimum} and ${maximum}.`)
}

function refusal(parameters: readonly string[], why: string): Fault {
  const violations = parameters.map((parameter) => ({ detail: `${parameter} ${why}`, parameter }))
  return new Fault('request.invalid', { violations })
}
