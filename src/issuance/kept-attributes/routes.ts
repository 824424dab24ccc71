import { keptAttributes } from '../../contract/issuance/kept-attributes.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { readKeptAttributes } from './kept-attributes.ts'

/** What is still there of the attributes of an issuance, in our API. */
export const keptAttributesRoutes: readonly Route[] = [
  serve(keptAttributes.get, async ({ platform, caller, params: { id } }) =>
    answer(await readKeptAttributes(platform, caller, id)),
  ),
]
