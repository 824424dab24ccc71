import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/templates.json' with { type: 'json' }

/** Texts of the template screens by language. */
export const templateTexts = catalogue('console/templates', en, {
  language: ['place'],
  nameIn: ['language'],
  aboutIn: ['language'],
  labelIn: ['language'],
  attribute: ['place'],
  namespaceOf: ['place'],
  copyOf: ['name'],
  noLabel: ['named'],
})

/** Texts of the template screens. */
export type TemplateTexts = TextsIn<typeof templateTexts>
