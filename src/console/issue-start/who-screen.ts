import { isDeepStrictEqual } from 'node:util'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { typed } from '../../pages/once.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { hasProblems, noProblems, type Problems, problemList } from '../frame/form-values.ts'
import { type KeepingFrame, keepingFormScreen, type Screen } from '../frame/screen.ts'
import { checkRows } from '../issue-many/check-table.ts'
import { isChecked, recheck, targetsFor } from '../issue-many/checked-draft.ts'
import { gone } from '../issue-many/draft-screen.ts'
import { type HeldDraft, openDraft, openRows, saveDraft } from '../issue-many/kept-drafts.ts'
import { stepsAt } from '../issue-many/steps.ts'
import type { TableRow } from '../issue-many/table-draft.ts'
import { tableTexts } from '../issue-many/texts.ts'
import { TABLE } from '../issue-many/upload-fields.ts'
import { readTemplate } from '../issue-many/upload-screen.ts'
import {
  type PeopleColumn,
  peopleColumns,
  type RecipientChoice,
  reachOf,
  recipientKeys,
  type Way,
  ways,
} from '../recipients/recipient-choice.ts'
import { type RecipientOffer, recipientFields } from '../recipients/recipient-fields.ts'
import { recipientTexts } from '../recipients/texts.ts'

type AtDraft = KeepingFrame<{ readonly draft: string }>

/** Rows whose people are looked up before a way is proposed. */
const LOOKED_UP = 100

/** Where a person chooses who gets the cards of a table, and how. */
export const whoScreens: readonly Endpoint[] = keepingFormScreen({
  place: 'batches',
  path: `${TABLE}/{draft}/who`,
  summary: 'Asks who gets the cards of a table, and how.',
  show: async (frame) => {
    const held = await openDraft(frame, frame.params.draft)
    if (held === null) return gone(frame)
    return canChoose(held) ? whoPage(frame, held, noProblems) : backTo(frame)
  },
  send: async (frame) => {
    const held = await openDraft(frame, frame.params.draft)
    if (held === null) return gone(frame)
    if (!canChoose(held)) return backTo(frame)
    const before = await openRows(frame, held)
    const choice = chosenIn(frame, held, await peopleColumns(held.view.header, before))
    if (choice === null) return whoPage(frame, held, { fields: { way: recipientTexts[frame.language].chooseWay } })
    const targets = targetsFor(frame, await readTemplate(frame, held.view.templateId))
    const { view, rows } = await recheck(frame, targets, { ...held.view, recipients: choice }, before)
    const isSaved = await saveDraft(frame, held, view, rows, new Set(rows.keys()))
    // A form that is sent twice at once is saved by one of the requests.
    if (isSaved || isDeepStrictEqual((await openDraft(frame, held.id))?.view.recipients, choice)) return backTo(frame)
    return whoPage(frame, held, { fields: {}, general: tableTexts[frame.language].changed })
  },
})

/** Until its columns are chosen, while it is issued and after that there is nothing to choose. */
function canChoose({ view, isIssuing }: HeldDraft): boolean {
  return view.templateId !== '' && isChecked(view) && !isIssuing && view.issued < view.total
}

function backTo({ params }: AtDraft): { readonly to: string } {
  return { to: `${TABLE}/${params.draft}` }
}

/** Returns what the form says; null: nothing, or what is not possible. */
function chosenIn(frame: AtDraft, { view }: HeldDraft, columns: readonly PeopleColumn[]): RecipientChoice | null {
  const way = ways.find((one) => one === typed(frame.fields, 'way'))
  if (way === 'links' || way === 'letters') return { way }
  if (way === undefined) return null
  const [place = '', named = ''] = typed(frame.fields, `${way}Column`).split(':', 2)
  const found = columns.find(({ column }) => String(column) === place)
  if (found === undefined) return null
  const { column } = found
  if (way === 'mail') return sendsMail(frame) && isAddressed(found) ? { way, column } : null
  const by = recipientKeys.find((one) => one === named && found.keys.includes(one))
  const before = view.recipients
  const isSame = before?.way === 'wallets' && before.column === column && before.by === by
  return by === undefined ? null : { way, column, by, invites: isSame && before.invites }
}

function sendsMail({ me }: AtDraft): boolean {
  return me.organisation.sendsMail === true
}

function isAddressed({ keys }: PeopleColumn): boolean {
  return keys[0] === 'email'
}

async function whoPage(frame: AtDraft, held: HeldDraft, problems: Problems): Promise<Screen> {
  const [t, r] = [tableTexts[frame.language], recipientTexts[frame.language]]
  const here = `${TABLE}/${held.id}`
  const offer = await offerOf(frame, held)
  const content = html`<div class="stack">
    ${card(recipientFields(frame, offer, problems))}
    <p class="hint">${r.about}</p>
    <div class="actions">
      ${button(r.go, { look: 'main' })}
      ${buttonLink(r.back, here)}
    </div>
  </div>`
  return {
    title: r.title,
    crumbs: [[frame.t.menu.credentials, '/console/credentials'], [t.title, TABLE], [t.check, here], [r.title]],
    main: html`${stepsAt(t, 'who')}${problemList(frame.texts.problems, problems)}
    <div class="narrow">${form(frame, `${here}/who`, content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

async function offerOf(frame: AtDraft, held: HeldDraft): Promise<RecipientOffer> {
  const { view } = held
  const [t, r] = [tableTexts[frame.language], recipientTexts[frame.language]]
  const rows = await openRows(frame, held)
  const columns = await peopleColumns(view.header, rows)
  const addressed = columns.filter(isAddressed)
  const nameOf = (column: number) => view.header[column] || t.noName(column + 1)
  const impossible = {
    ...(columns.length === 0 && { wallets: r.walletsNone }),
    ...(addressed.length === 0 && { mail: r.mailNone }),
    ...(!sendsMail(frame) && { mail: r.mailOff }),
  }
  const proposal = await proposalOf(frame, held, rows, columns, nameOf)
  const before = view.recipients
  const ofWallets = columns.flatMap(({ column, keys }) =>
    keys.map((key) => ({ value: `${column}:${key}`, text: `${nameOf(column)} (${r.option[key]})` })),
  )
  const ofMail = addressed.map(({ column }) => ({ value: String(column), text: nameOf(column) }))
  const walletsColumn = before?.way === 'wallets' ? `${before.column}:${before.by}` : undefined
  const mailColumn = before?.way === 'mail' ? String(before.column) : undefined
  return {
    ...proposal,
    chosen: ways.find((one) => one === typed(frame.fields, 'way')) ?? before?.way ?? proposal.proposed,
    impossible,
    columns: {
      wallets: valued(typed(frame.fields, 'walletsColumn') || walletsColumn, ofWallets),
      mail: valued(typed(frame.fields, 'mailColumn') || mailColumn, ofMail),
    },
  }
}

function valued(value: string | undefined, choices: RecipientOffer['columns']['mail']['choices']) {
  return { value: value ?? choices[0]?.value ?? '', choices }
}

/**
 * Proposes a way: wallets where at least half of the first rows have an account by the likeliest column, mails where a
 * column has addresses, else a file with links.
 */
async function proposalOf(
  frame: AtDraft,
  { view }: HeldDraft,
  rows: readonly TableRow[],
  columns: readonly PeopleColumn[],
  nameOf: (column: number) => string,
): Promise<{ readonly proposed: Way; readonly why: string }> {
  const r = recipientTexts[frame.language]
  const count = (value: number) => figure(value, frame.language)
  const [likeliest] = columns
  const by = likeliest?.keys[0]
  if (likeliest !== undefined && by !== undefined) {
    const { column } = likeliest
    const recipients = { way: 'wallets', column, by, invites: false } as const
    const some = rows.filter(({ cells, isIssued }) => !isIssued && cells[column] !== '').slice(0, LOOKED_UP)
    const targets = targetsFor(frame, await readTemplate(frame, view.templateId))
    const { found } = reachOf(recipients, await checkRows(frame, { ...view, recipients }, targets, some))
    if (found > 0 && found * 2 >= some.length)
      return { proposed: 'wallets', why: r.looked(count(found), count(some.length), nameOf(column)) }
  }
  if (likeliest === undefined || !isAddressed(likeliest) || !sendsMail(frame))
    return { proposed: 'links', why: r.linksWhy }
  const { column, addresses } = likeliest
  return { proposed: 'mail', why: r.addresses(nameOf(column), count(addresses), count(rows.length)) }
}
