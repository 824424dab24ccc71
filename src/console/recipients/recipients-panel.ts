import { checkbox, hidden } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { button } from '../../pages/parts.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { canInvite, type Reach, type RecipientChoice } from './recipient-choice.ts'
import { recipientTexts } from './texts.ts'

/** Returns what was chosen, how many it reaches, and the box by which the others are invited. */
export function recipientsPanel(frame: Frame, choice: RecipientChoice, reach: Reach, columnName: string): Html {
  const t = recipientTexts[frame.language]
  const count = (value: number) => figure(value, frame.language)
  const { found, blank, refused, accountless } = reach
  const others = refused - accountless
  const isSent = choice.way === 'wallets' || choice.way === 'mail'
  const lines = isSent
    ? [
        found > 0 && t.found(count(found)),
        accountless > 0 && t.accountless(count(accountless)),
        others > 0 && t.refused(count(others)),
        blank > 0 && t.blank(count(blank)),
      ]
    : []
  const told = lines.flatMap((line) => (line === false ? [] : [html`<p>${line}.</p>`]))
  return html`<section class="panel">
    <header><h2 id="who">${t.title}</h2>${button(t.change, { name: 'do', value: 'who' })}</header>
    <div class="inside">
      <p>${chosenWords(frame, choice, columnName)}</p>
      ${told}
      ${inviteField(frame, choice, accountless)}
    </div>
  </section>`
}

function chosenWords({ language }: Frame, choice: RecipientChoice, column: string): string {
  const t = recipientTexts[language]
  if (choice.way === 'wallets') return t.walletsChosen(column, t.option[choice.by])
  return choice.way === 'mail' ? t.mailChosen(column) : t.nothingSent[choice.way]
}

/** The box; why there is none, where somebody else could invite. */
function inviteField(frame: Frame, choice: RecipientChoice, accountless: number): Html | null {
  if (choice.way !== 'wallets' || accountless === 0) return null
  const t = recipientTexts[frame.language]
  if (!may(frame, 'users:write')) return html`<p class="hint">${t.inviteRole}</p>`
  const isPossible = canInvite(choice) && frame.me.organisation.sendsMail === true
  if (!isPossible) return html`<p class="hint">${t.inviteNeeds}</p>`
  const box = checkbox({
    name: 'invites',
    label: t.invite(figure(accountless, frame.language)),
    hint: t.inviteHint,
    isOn: choice.invites,
  })
  return html`${hidden('invitesShown', '1')}${box}`
}
