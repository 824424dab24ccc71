import type { Endpoint } from '../../http/routes/endpoint.ts'
import { html } from '../../pages/html.ts'
import { buttonLink } from '../../pages/parts.ts'
import { credentialTexts } from '../credentials/texts.ts'
import { noProblems } from '../frame/form-values.ts'
import { screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { tableTexts } from '../issue-many/texts.ts'
import { TABLE, tableForm } from '../issue-many/upload-fields.ts'
import { chooseTemplate } from '../templates/choose-template.ts'
import type { Template } from '../templates/content/template.ts'

/** Where issuing begins: with a table, or with what is issued. */
export const startScreens: readonly Endpoint[] = screen({
  place: 'credentials',
  path: '/console/issue',
  summary: 'Asks for a table of people, or what to issue.',
  show: async (frame) => {
    const [t, c] = [tableTexts[frame.language], credentialTexts[frame.language]]
    const mayIssue = may(frame, 'issuance:write')
    const rowOf = ({ id, name, description }: Template) => ({
      title: name,
      ...(description !== undefined && { about: description }),
      ...(mayIssue && {
        action: html`<div class="actions">
          <a class="button plain" href="/console/issue/${id}" aria-label="${c.toOne}: ${name}">${c.toOne}</a>
          <a class="button plain" href="${`${TABLE}?template=${id}`}"
            aria-label="${c.fromTable}: ${name}">${c.fromTable}</a>
        </div>`,
      }),
    })
    const none = html`<div class="empty">
      <p>${c.noTemplates}</p>
      ${mayIssue && buttonLink(c.makeTemplate, '/console/templates')}
    </div>`
    const table =
      mayIssue &&
      html`<section class="narrow stack" aria-labelledby="table">
        <h2 id="table">${t.begin}</h2>
        <p class="hint">${t.beginText}</p>
        ${tableForm(frame, null, noProblems, null)}
      </section>`
    const main = html`<div class="stack">
      ${table}
      <section class="stack" aria-labelledby="templates">
        <h2 id="templates">${t.orTemplate}</h2>
        <p class="hint">${c.issueText}</p>
        ${await chooseTemplate(frame, c.issueText, rowOf, none)}
      </section>
    </div>`
    return { title: c.issueTitle, crumbs: [[c.title, '/console/credentials'], [c.issueTitle]], main }
  },
})
