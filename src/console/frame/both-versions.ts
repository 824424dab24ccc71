import { type Html, html } from '../../pages/html.ts'
import { table } from '../../pages/table.ts'

/** Texts about a change by another person. */
type ChangedTexts = Readonly<Record<'changedTitle' | 'changedText' | 'takeTheirs' | 'theirs' | 'yours', string>>

/** A member in which two versions differ. `name` heads the column of the labels. */
type Compared<Name> = {
  readonly name: string
  readonly differing: readonly Name[]
  readonly label: (name: Name) => string
  readonly theirs: (name: Name) => Html | string
  readonly yours: (name: Name) => Html | string
}

/**
 * Returns both versions after a 412: what another person saved, and what was typed here.
 *
 * @param saved Where the saved version is shown.
 */
export function bothVersions<Name>(
  t: ChangedTexts,
  saved: string,
  { name, differing, label, theirs, yours }: Compared<Name>,
): Html {
  const columns = [
    { heading: name, cell: label },
    { heading: t.theirs, cell: theirs },
    { heading: t.yours, cell: yours },
  ]
  return html`<div class="message warn" role="alert" tabindex="-1" autofocus>
    <h2>${t.changedTitle}</h2>
    <p>${t.changedText}</p>
    <p><a href="${saved}">${t.takeTheirs}</a></p>
  </div>
  ${differing.length > 0 && table(t.changedTitle, columns, differing)}`
}
