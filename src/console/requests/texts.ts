import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/requests.json' with { type: 'json' }

/** Texts of the screens of requests by language. */
export const requestTexts = catalogue('console/requests', en, {
  credential: ['place'],
  attribute: ['place'],
  keepOther: ['seconds'],
  wants: ['organisation'],
})

/** Texts of the screens of requests. */
export type RequestTexts = TextsIn<typeof requestTexts>
