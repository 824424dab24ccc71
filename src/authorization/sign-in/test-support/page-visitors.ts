import assert from 'node:assert/strict'
import type { UserRef } from '../visit.ts'
import { aLink, type PagesServer } from './pages-server.ts'
import { aName, aTenantWith } from './person.ts'
import { PlainBrowser } from './plain-browser.ts'

/** The password of those who are signed in. */
export const PASSWORD = 'a lighthouse made of bread'

type Person = UserRef & { readonly slug: string; readonly username: string }
type Visitor = { readonly browser: PlainBrowser; readonly person: Person }

/** Makes people of organisations of their own, and browsers at the pages of a server. */
export function pageVisitors(server: () => PagesServer) {
  async function aPerson(username = aName()): Promise<Person> {
    const { slug, people } = await aTenantWith(server().platform, [{ username, email: `${username}@example.org` }])
    const [person] = people
    assert.ok(person)
    return { ...person, slug, username }
  }

  function aBrowser(): PlainBrowser {
    return new PlainBrowser(server().origin)
  }

  /** A browser in which the person has set a password by a one-time link. */
  async function signedIn(person?: Person): Promise<Visitor> {
    const someone = person ?? (await aPerson())
    const browser = aBrowser()
    await browser.open(await aLink(server().platform, someone, 'welcome'))
    const shown = await browser.send('/sign-in/link', { password: PASSWORD, repeated: PASSWORD })
    assert.equal(shown.title, `Your account · Org ${someone.slug}`)
    return { browser, person: someone }
  }

  return { aPerson, aBrowser, signedIn }
}
