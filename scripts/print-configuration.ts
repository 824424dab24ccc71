import { scopes } from '../src/caller.ts'
import { settingGroups } from '../src/config.ts'

/** Returns `docs/configuration.md`, from the tables of settings. */
export function printConfiguration(): string {
  const groups = Object.entries(settingGroups).map(([title, group]) => {
    const rows = Object.values(group).map(({ name, type, default: preset, description }) => {
      return `| \`${name}\` | ${type} | ${preset === null ? '' : `\`${preset}\``} | ${description} |`
    })
    return `## ${title}\n\n| Name | Type | Default | Description |\n|---|---|---|---|\n${rows.join('\n')}`
  })
  return `# Configuration

Printed from \`src/config/settings\` by \`npm run docs\`; do not edit.

Every setting is an environment variable, read once at start. All mistakes are reported together, and no value is ever printed.

${groups.join('\n\n')}

## Bootstrap file

\`BOOTSTRAP_FILE\` names a JSON file of tenants, their clients and their users. It is applied at a start where it, with its
secrets, is not the one that was applied last, and always by \`chirograph apply FILE\`:
missing items are created, different ones changed, and items that it does not name stay. [bootstrap.example.json](bootstrap.example.json) is an example;
without a tenant the server starts, but no client can get a token. A development server without a file creates the tenant \`default\` and logs a one-time link
by which a person becomes its owner; \`chirograph owner create\` prints such a link for any tenant.

| Member of \`tenants[]\` | Description |
|---|---|
| \`slug\` | names the tenant in addresses: a-z, 0-9 and inner hyphens, at most 63. Credentials contain it, so it must not change |
| \`name\` | the name that wallets and people see |
| \`settings\` | optional: \`issuerPolicy\`, the issuers that wallets accept: \`any\` (the default in development) or \`trusted\` (the default in production), which is the tenant itself and its trusted entities. \`verifierPolicy\`, the verifiers whose requests wallets answer: \`any\` (the default; the person sees whether the verifier is trusted) or \`trusted\`. \`walletFormats\`, the credential formats of wallets: a list of \`vc+sd-jwt\` (the default) and \`mso_mdoc\`. \`issuerIdentifier\`, the \`iss\` of SD-JWT VCs without a certificate: \`did\` (the default) or \`https\`, the Credential Issuer Identifier. \`keyAttestations\`, whether all credentials require an attestation of the wallet's keys: \`by-template\` (the default) or \`required\`. \`credentialEncryption\`, whether wallets must encrypt credential requests and get encrypted responses: \`optional\` (the default) or \`required\`. \`haip\`, whether the tenant issues and verifies by the High Assurance Interoperability Profile 1.0 only: \`false\` by default. \`clientAuthentication\`, whether wallets must authenticate as clients to its issuer: \`optional\` (the default; an authentication that is sent is checked) or \`required\`. \`pushedRequests\`, whether wallets must push authorization requests: \`optional\` (the default) or \`required\`. \`unregisteredWallets\`, whether wallets that are no client of the tenant may get a credential for a user who signs in and agrees: \`accepted\` (the default) or \`refused\`. \`walletDpop\`, whether access tokens of the code flow must be bound to a key of the wallet: \`optional\` (the default) or \`required\`. \`documentSignerUsages\`, the extended key usages of certificates that sign mdocs, from the next certificate on: \`all\` (the default), those of ISO/IEC 18013-5 and ISO/IEC TS 23220, or \`mdl\`, the former alone, for readers that accept no other. \`newWallets\`, who may have a wallet here: \`offered\` (the default), everybody who was offered a credential, who makes it on the page of the offer, or \`added\`, only the users whom the tenant has added. \`typeListing\`, whether \`GET /creds/types\` lists its types for other organisations: \`unlisted\` (the default) or \`listed\`; their metadata is public in any case. \`registeredVerifiers\`, the verifiers that wallets know without a client identifier prefix, each with \`clientId\`, \`name\`, \`keys\` (public JWKs), \`responseUris\` and optionally \`metadata\`. \`transactionDataTypes\`, the types of transaction data that wallets accept, each with \`type\` and \`members\` (\`type\`, \`optional\`) |
| \`clients[]\` | clients of the API: \`clientId\`, \`scopes\`, and \`clientSecret\` (32 characters or more) or \`jwks\` (public keys for private_key_jwt) |
| \`users[]\` | people: \`username\`, and optional \`email\`, \`firstName\`, \`lastName\`, \`externalIdentifier\`, \`enabled\`, \`password\`, \`roles\` |
| \`identityProviders[]\` | external OpenID providers at which people sign in: \`name\` (part of the redirect URI \`PUBLIC_URL/sign-in/external/SLUG/NAME\`), \`issuer\`, \`clientId\`, and optional \`displayName\`, \`clientSecret\`, \`scopes\` (\`openid profile email\` by default), \`claims\` (names of claims, or JSON pointers to them: \`username\`, \`email\`, \`roles\`, \`externalIdentifier\`), \`roles\` (roles here by role there; with \`claims.roles\` they replace those of the user at each sign-in), \`createsUsers\` (unknown people become users; no by default), \`signIn\` (yes by default), \`acceptTokens\` and \`audience\` (access tokens of the provider are accepted at the API). Accounts are linked to users by external identifier or by an e-mail address that the provider has verified |

Any secret may be \`{"env": "NAME"}\` instead of a text, and is then read from that environment variable.

| Scope | Grants |
|---|---|
${Object.entries(scopes)
  .map(([name, description]) => `| \`${name}\` | ${description} |`)
  .join('\n')}
`
}
