import { type Html, html } from '../../pages/html.ts'
import type { TableTexts } from './texts.ts'

/** Returns the three steps, with the current one marked. */
export function stepsAt(t: TableTexts, current: 'table' | 'who' | 'issue'): Html {
  const steps = (['table', 'who', 'issue'] as const).map(
    (step) => html`<li${step === current && html` aria-current="step"`}>${t.steps[step]}</li>`,
  )
  return html`<ol class="progress" aria-label="${t.steps.label}">${steps}</ol>`
}
