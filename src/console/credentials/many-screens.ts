import type { ReplyOf } from '../../contract/api-operation.ts'
import { statusChanges } from '../../contract/issuance/status-changes.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { hidden } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { typed } from '../../pages/once.ts'
import { button, buttonLink, message, rows } from '../../pages/parts.ts'
import { badge, table } from '../../pages/table.ts'
import { typedAll } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { reasonField, reasonOf } from './change-screens.ts'
import { type CredentialTexts, credentialTexts } from './texts.ts'

const LIST = '/console/credentials'
const PATH = `${LIST}/many`
/** More than a page of the list has. */
const IDS_MAX = 100

/** What can be done with many credentials at a time. */
export const manyChanges = ['suspend', 'reinstate', 'revoke'] as const
type Change = (typeof manyChanges)[number]
type Result = ReplyOf<typeof statusChanges.revoke>['results'][number]

/** Returns a list whose rows can be chosen, with what can be done with them. */
export function selection(frame: Frame, t: CredentialTexts, list: Html): Html {
  const buttons = manyChanges.map((change) => button(t.changes[change].button, { name: 'change', value: change }))
  return form(
    frame,
    PATH,
    html`${list}<div class="buttons chosen-actions"><span>${t.withChosen}</span>${buttons}</div>`,
  )
}

const many = formScreen({
  place: 'credentials',
  path: PATH,
  summary: 'Asks whether to change many credentials, and does it.',
  show: (frame) => ask(frame),
  send: async (frame) => {
    const [change, ids] = [changeIn(frame), idsIn(frame)]
    if (typed(frame.fields, 'sure') === '' || change === null || ids.length === 0) return ask(frame)
    const body = { ids, ...(change !== 'reinstate' && reasonOf(frame)) }
    const { data } = await frame.api.call(statusChanges[change], { body })
    return outcome(frame, change, data.results)
  },
})

function changeIn({ fields }: Frame): Change | null {
  return manyChanges.find((one) => one === typed(fields, 'change')) ?? null
}

function idsIn({ fields }: Frame): readonly string[] {
  return typedAll(fields, 'ids')
    .filter((id) => /^[0-9a-f-]{36}$/.test(id))
    .slice(0, IDS_MAX)
}

function nameIn({ fields }: Frame, id: string): string {
  return typed(fields, `name-${id}`).slice(0, 500) || id
}

function ask(frame: Frame): Screen {
  const t = credentialTexts[frame.language]
  const [change, ids] = [changeIn(frame), idsIn(frame)]
  const crumbs = [[t.title, LIST], [t.many]] as const
  if (change === null || ids.length === 0) {
    const main = html`<div class="narrow stack">
      ${message('note', t.noneChosen)}
      <p>${buttonLink(frame.t.back, LIST)}</p>
    </div>`
    return { title: t.many, crumbs, main }
  }
  const items = ids.map((id) => ({ title: nameIn(frame, id) }))
  const members = ids.map((id) => html`${hidden('ids[]', id)}${hidden(`name-${id}`, nameIn(frame, id))}`)
  const { button: label, manyText } = t.changes[change]
  const content = html`${hidden('sure', '1')}${hidden('change', change)}${members}
  <p>${manyText}</p>
  ${reasonField(frame, t, change)}
  <div class="buttons">
    ${button(label, { look: change === 'reinstate' ? 'main' : 'danger' })}
    ${buttonLink(frame.t.cancel, LIST)}
  </div>`
  return {
    title: `${label}${frame.t.colon}${t.count(figure(ids.length, frame.language), ids.length)}`,
    crumbs,
    main: html`<div class="narrow stack">
      <section class="panel">${rows(t.many, items)}</section>
      ${form(frame, PATH, content)}
    </div>`,
  }
}

/** What became of each. */
function outcome(frame: Frame, change: Change, results: readonly Result[]): Screen {
  const t = credentialTexts[frame.language]
  const refused = results.filter(({ code }) => code !== undefined).length
  const write = (count: number) => figure(count, frame.language)
  const text = t.changed(write(results.length - refused), write(results.length))
  const columns = [
    { heading: t.one, cell: ({ id }: Result) => nameIn(frame, id) },
    {
      heading: t.state,
      cell: ({ status, code }: Result) => badge(t.states[status], code === undefined ? 'ok' : 'bad'),
    },
    { heading: t.result, cell: ({ code }: Result) => (code === undefined ? t.done : t.refusals[code]) },
  ]
  return {
    title: t.changes[change].button,
    crumbs: [[t.title, LIST], [t.many]],
    main: html`<div class="stack">
      ${message(refused === 0 ? 'done' : 'warn', text)}
      ${table(t.many, columns, results)}
      <p>${buttonLink(frame.t.back, LIST)}</p>
    </div>`,
  }
}

/** Changing many credentials at a time. */
export const manyScreens: readonly Endpoint[] = many
