import type { TenantId } from '../../caller.ts'
import { isJsonObject, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import { stepsOf } from '../../json-pointer.ts'
import { sealedText } from '../../keys/sealed-column.ts'
import type { Sealing } from '../../keys/sealing.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { nameWordMacs } from '../names/name-words.ts'
import type { TemplateDefinition } from '../templates/template.ts'

const CHARS_MAX = 200

/** What an issuance is called in lists. */
export const labelColumn = sealedText('issuance', 'sealed_label')

/** What an issuance is called, sealed, and keyed hashes of its words; null and none: it has no name. */
type SealedLabel = { readonly sealedLabel: Buffer | null; readonly wordMacs: readonly Buffer[] }

/**
 * Seals what an issuance is called in lists: the values of the attributes that its template names, on one line of at
 * most 200 characters. Hashes its words, by which it is found.
 */
export async function sealLabel(
  sealing: Sealing,
  tenantId: TenantId,
  id: string,
  { label = [] }: Pick<TemplateDefinition, 'label'>,
  attributes: JsonObject,
): Promise<SealedLabel> {
  const values = label.map((pointer) => valueAt(attributes, pointer)).filter((one) => one !== '')
  const text = foreignText(values.join(' '), CHARS_MAX)
  if (text === null) return { sealedLabel: null, wordMacs: [] }
  const sealedLabel = await labelColumn.seal(sealing, tenantId, id, text)
  return { sealedLabel, wordMacs: await nameWordMacs(sealing, tenantId, text) }
}

function valueAt(attributes: JsonObject, pointer: string): string {
  const value = stepsOf(pointer).reduce<Json | undefined>(
    (one, step) => (isJsonObject(one) ? memberOf(one, step) : undefined),
    attributes,
  )
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
