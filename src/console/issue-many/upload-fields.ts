import { fileField, hidden, textArea } from '../../pages/controls.ts'
import { fileForm } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { TABLE_BYTES_MAX } from '../../tables/table.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { tableTexts } from './texts.ts'

/** Where a table is sent. */
export const TABLE = '/console/issue/table'

/**
 * Returns the form that sends a table, as a file or as pasted cells.
 *
 * @param template Null: the one that fits is proposed, or a new one. @param back Where Cancel leads; null: nowhere
 */
export function tableForm(frame: Frame, template: string | null, problems: Problems, back: string | null): Html {
  const t = tableTexts[frame.language]
  const file = fileField(frame, {
    name: 'file',
    label: t.file,
    hint: t.fileHint,
    error: problems.fields.file,
    accept: '.csv,.tsv,.txt,.xlsx,text/csv',
  })
  const pasted = textArea(frame, {
    name: 'pasted',
    label: t.paste,
    hint: t.pasteHint,
    isOptional: true,
    rows: 6,
    value: frame.fields.get('pasted')?.[0] ?? '',
    lengthMax: TABLE_BYTES_MAX,
    error: problems.fields.pasted,
  })
  const content = html`${template !== null && hidden('template', template)}
  ${card(html`${file}${pasted}`)}
  <div class="buttons">${button(t.read, { look: 'main' })}${back !== null && buttonLink(frame.t.cancel, back)}</div>
  <p class="hint">${t.readHint}</p>`
  return fileForm(frame, TABLE, content)
}
