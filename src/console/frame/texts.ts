import type { OwnRule } from '../../fault/rules.ts'
import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/frame.json' with { type: 'json' }

/** Texts that the screens of the console share. */
export const consoleTexts = catalogue('console/frame', en, {
  total: { moreThan: ['rows'], filtered: ['rows'] },
  required: ['label'],
  line: ['number', 'why'],
  rules: {
    minLength: ['n'],
    maxLength: ['n'],
    minItems: ['n'],
    maxItems: ['n'],
    minimum: ['n'],
    maximum: ['n'],
    'attribute.depth': ['n'],
    'licence.missing': ['n'],
    'licence.type': ['n'],
    'request.values': ['n'],
  },
})

/** Texts that the screens of the console share, in English. The shape that every language has. */
export type ConsoleTexts = TextsIn<typeof consoleTexts>

/** A rule in words, some with what it allows. */
type RuleText = string | ((limit: string) => string)

/** Rules of the API in words. */
export type RuleTexts = Readonly<Record<OwnRule, RuleText>> & Readonly<Record<string, RuleText>>
