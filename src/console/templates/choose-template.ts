import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, rows } from '../../pages/parts.ts'
import { pager } from '../../pages/table.ts'
import { emptyList } from '../frame/empty-list.ts'
import type { Frame } from '../frame/screen.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import type { Template } from './content/template.ts'
import { templateTexts } from './texts.ts'

type Row = Parameters<typeof rows>[1][number]

/**
 * Returns the templates that can be issued, in pages with a search.
 *
 * @param rowOf What a template shows.
 * @param none Where there is no template
 */
export async function chooseTemplate(
  frame: Frame,
  label: string,
  rowOf: (template: Template) => Row,
  none: Html,
): Promise<Html> {
  const { api, query, language, texts, here } = frame
  const t = templateTexts[language]
  const q = query.q?.trim() ?? ''
  const { data, links, meta } = await api.call(credentialTemplates.list, {
    query: {
      ...countedPageOf(query),
      'search[name]': q,
      sort: 'name',
    },
  })
  const isFiltered = q !== '' || query.after !== undefined || query.before !== undefined
  if (data.length === 0 && !isFiltered) return none
  const isWhole = !isFiltered && links.next === undefined
  const filter = html`<form class="filter" method="get" action="${here.split('?', 1)[0] ?? ''}">
    <div class="field">
      <label for="q">${t.search}</label>
      <input id="q" name="q" type="search" maxlength="200" value="${q}">
    </div>
    ${button(frame.t.filter)}
  </form>`
  const found =
    data.length === 0
      ? emptyList(frame, { isFiltered, fits: t.emptyFilter, empty: t.empty })
      : html`<div class="panel narrow">${rows(label, data.map(rowOf))}</div>`
  const pages = pager(texts, links, here)
  return html`${!isWhole && html`${filter}${totalLine(frame, meta, t.counted)}`}
  ${found}
  ${pages && html`<div class="narrow">${pages}</div>`}`
}
