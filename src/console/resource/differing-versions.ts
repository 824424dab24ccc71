import { shownText } from '../../pages/foreign-text.ts'
import type { Html } from '../../pages/html.ts'
import { bothVersions } from '../frame/both-versions.ts'
import type { Frame } from '../frame/screen.ts'
import type { Draft } from './fields.ts'
import type { FormOf } from './form.ts'

type Versions = {
  /** What another person saved. */
  readonly found: object
  /** What was typed. */
  readonly draft: Draft
  /** Where the saved version is shown. */
  readonly saved: string
  /** Said of anything where it is left out. */
  readonly title?: string | undefined
}

/** Returns both versions after a 412: the fields in which they differ. */
export function differingVersions(
  frame: Frame,
  its: FormOf<Draft>,
  { found, draft, saved, title = frame.t.changed.changedTitle }: Versions,
): Html {
  const { t } = frame
  return bothVersions({ ...t.changed, changedTitle: title }, saved, {
    name: t.changed.what,
    differing: its.differing(frame, its.saved(found), draft),
    label: ({ label }) => label,
    theirs: ({ theirs }) => shownText(theirs, 500) || t.none,
    yours: ({ yours }) => shownText(yours, 500) || t.none,
  })
}
