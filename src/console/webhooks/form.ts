import { webhooks } from '../../contract/events/webhooks.ts'
import { choicesIn } from '../../pages/controls.ts'
import type { Frame } from '../frame/screen.ts'
import { journalTexts } from '../journal/texts.ts'
import { seldom, text, ticks } from '../resource/fields.ts'
import { resourceForm } from '../resource/form.ts'
import { webhookTexts } from './texts.ts'

/** The form of an endpoint. */
export const endpointForm = resourceForm(webhooks, webhookTexts, {
  url: text({ type: 'url' }),
  filterTypes: seldom(ticks(typeChoices)),
})

function typeChoices({ language }: Frame) {
  return choicesIn(journalTexts[language].events)
}
