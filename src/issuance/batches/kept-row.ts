import type { Language } from '../../contract/languages.ts'
import { sealedJson } from '../../keys/sealed-column.ts'

/** What a batch keeps of the row of an item, until the batch is deleted. */
export type KeptRow = {
  /** What the cells of the kept columns show, in their order; absent where none are kept. */
  readonly cells?: readonly string[]
  /** Of its mail. */
  readonly language?: Language
}

/** The kept row of an item, bound to the id of its issuance. */
export const keptRowColumn = sealedJson<KeptRow>('issuance_batch_item', 'sealed_kept')

/** The headings of the kept columns, bound to the id of the batch. */
export const keptHeadingsColumn = sealedJson<readonly string[]>('issuance_batch', 'sealed_headings')
