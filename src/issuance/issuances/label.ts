import type { TenantId } from '../../caller.ts'
import { isJsonObject, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import { stepsOf } from '../../json-pointer.ts'
import { sealedText } from '../../keys/sealed-column.ts'
import type { Sealing } from '../../keys/sealing.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { TemplateDefinition } from '../templates/template.ts'

const CHARS_MAX = 200

/** What an issuance is called in lists. */
export const labelColumn = sealedText('issuance', 'sealed_label')

/**
 * Seals what an issuance is called in lists: the values of the attributes that its template names, on one line of at
 * most 200 characters.
 *
 * @returns null if the template names none, or none of them has a value
 */
export async function sealLabel(
  sealing: Sealing,
  tenantId: TenantId,
  id: string,
  { label = [] }: Pick<TemplateDefinition, 'label'>,
  attributes: JsonObject,
): Promise<Buffer | null> {
  const values = label.map((pointer) => valueAt(attributes, pointer)).filter((one) => one !== '')
  const text = foreignText(values.join(' '), CHARS_MAX)
  return text === null ? null : labelColumn.seal(sealing, tenantId, id, text)
}

function valueAt(attributes: JsonObject, pointer: string): string {
  const value = stepsOf(pointer).reduce<Json | undefined>(
    (one, step) => (isJsonObject(one) ? memberOf(one, step) : undefined),
    attributes,
  )
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
