import { sentenceOf, ways } from '../src/authorization/acting/ways.ts'

/** Returns `docs/acting.md`, from the table of the ways to an account. */
export function printActing(): string {
  const rows = Object.entries(ways).map(([name, { opens, needs, closedIf }]) => {
    return `| \`${name}\` | ${opens} | ${needs} | ${closedIf.map((reason) => `\`${reason}\``).join(', ')} |`
  })
  const reasons = [...new Set(Object.values(ways).flatMap(({ closedIf }) => closedIf))]
  const sentences = reasons.map((reason) => `| \`${reason}\` | ${sentenceOf(reason)} |`)
  return `# Who may act as whom

Printed from \`src/authorization/acting/ways.ts\` by \`npm run docs\`; do not edit.

Every way by which a request comes to act as a user of a tenant is a row here, and is checked when it is used, not only
when it is prepared. An account is *in use* if its user can sign in, or if the wallet holds something or something is on
its way to it. Such an account is opened by its user's own proof, or by what only callers with \`users:impersonate\` or
the operator of the server can prepare; the latter is the audit action \`user.impersonated\`, and the user sees it on
the account page.

| Way | Opens | What preparing it needs | Closed if |
|---|---|---|---|
${rows.join('\n')}

| Reason | Meaning |
|---|---|
${sentences.join('\n')}

Rights that lead to other rights, and stay so on purpose:

- \`users:write\` decides whom the directory describes: an address or identifier that it gives to a **new** user counts,
  and an account that nobody uses may be opened by a link that it is told. What is delivered to such an account later is
  seen by the person who opened it; an owner who gives a role to a user gives it to the person whom address and
  identifiers name.
- \`tenant:admin\` gives every other scope of the tenant but \`users:impersonate\`. A client that does not ask users for
  consent (\`asksConsent: false\`), a provider that names people (\`namesPeople\`) and a client with
  \`users:impersonate\`, with its secrets and provisioning tokens, need a caller who has \`users:impersonate\`, or the
  bootstrap file.
- A role lasts until it is taken away: the last owner of a tenant is not disabled, deleted or deprived of the role by
  the API, SCIM, a group or a sign-in at a provider.
`
}
