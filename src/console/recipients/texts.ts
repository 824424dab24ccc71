import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/recipients.json' with { type: 'json' }

/** Texts of the choice who gets the cards of a table, by language. */
export const recipientTexts = catalogue('console/recipients', en, {
  looked: ['found', 'count', 'column'],
  addresses: ['column', 'count', 'total'],
  walletsChosen: ['column', 'key'],
  mailChosen: ['column'],
  found: ['count'],
  accountless: ['count'],
  refused: ['count'],
  blank: ['count'],
  invite: ['count'],
  inviteAndIssue: ['invited', 'count'],
})
