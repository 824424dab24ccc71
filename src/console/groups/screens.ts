import type { ReplyOf } from '../../contract/api-operation.ts'
import { groups } from '../../contract/directory/groups.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign, shownText } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { buttonLink } from '../../pages/parts.ts'
import { pager, table } from '../../pages/table.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { personPath as personAt } from '../people/person.ts'
import type { Page } from '../resource/noun.ts'
import { resource } from '../resource/resource.ts'
import { groupForm, groupPath, groupsPath, groupsPlace, type ShownGroup } from './group.ts'
import { memberScreens } from './member-screens.ts'
import { groupTexts } from './texts.ts'

type Member = ReplyOf<typeof groups.listMembers>[number]

const rolesOf = ({ roles }: ShownGroup, { texts, language }: Frame) =>
  roles.map((one) => texts.roles[one]).join(', ') || groupTexts[language].noRoles
const changedOf = ({ updatedAt }: ShownGroup, frame: Frame) => when(frame, updatedAt)

/** Groups of people. */
export const groupScreens: readonly Endpoint[] = [
  ...resource({
    noun: groups,
    place: groupsPlace,
    path: groupsPath,
    texts: groupTexts,
    called: { one: 'a group', many: 'the groups of people' },
    name: { label: 'displayName', of: (one) => one.displayName },
    columns: { roles: rolesOf, changed: changedOf },
    sort: 'displayName',
    facts: {
      roles: rolesOf,
      externalIdentifier: (one) => (one.externalIdentifier === '' ? null : foreign(one.externalIdentifier)),
      changed: changedOf,
    },
    below: { operation: groups.listMembers, show: membersPanel },
    form: groupForm,
  }),
  ...memberScreens,
]

function membersPanel(frame: Frame, found: ShownGroup, { data, links, meta }: Page<Member>): Html {
  const t = groupTexts[frame.language]
  const canWrite = may(frame, 'users:write')
  const username = {
    heading: t.username,
    cell: (one: Member) => html`<a href="${personAt(one.username)}">${foreign(one.username)}</a>`,
  }
  const membership = { heading: t.membership, cell: (one: Member) => takeLink(frame, found, one) }
  const columns = canWrite ? [username, membership] : [username]
  const shown = data.length === 0 ? html`<p class="inside">${t.noMembers}</p>` : table(t.members, columns, data)
  const add = canWrite && buttonLink(t.add, groupPath(found, 'members'))
  return html`<section class="panel"><header><h2>${t.members}</h2>${add}</header>${shown}</section>
${totalLine(frame, meta, t.countedMembers)}${pager(frame.texts, links, frame.here)}`
}

function takeLink({ language }: Frame, found: ShownGroup, { username }: Member): Html {
  const t = groupTexts[language]
  const path = groupPath(found, `members/${encodeURIComponent(username)}/remove`)
  return html`<a href="${path}" aria-label="${t.takeOf(shownText(username, 80))}">${t.take}</a>`
}
