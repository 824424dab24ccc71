import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  title: 'Sign-in providers',
  counted: { one: 'provider', many: 'providers' },
  lead: 'Your people sign in here with the account that they have at your organisation already, for example at Microsoft Entra ID, Google Workspace or Keycloak.',
  new: 'Add a provider',
  empty:
    'People sign in with a password or a passkey of this server. Add the provider at which your organisation has its accounts, and they can use those instead.',
  displayName: 'Name',
  displayNameHint:
    'Stands on the button of the sign-in page, for example “Campus account”. The short name if it is empty.',
  name: 'Short name',
  nameHint: (address: string) =>
    `Small letters, digits and hyphens between them, at most 63, for example “campus”. It ends the address ${address} and cannot be changed.`,
  issuer: 'Address of the provider (issuer)',
  issuerHint:
    'Exactly as the provider writes it, for example https://login.example.org/v2.0. Everything else about it is ' +
    'found there. If it is in your private network, the operator of this server must list it in ' +
    'OUTBOUND_ALLOWED_HOSTS.',
  clientId: 'Client id',
  clientIdHint: 'The provider gives it to you when you register this server there as an application.',
  clientSecret: 'Client secret',
  clientSecretHint: 'The provider gives it to you with the client id. It is not shown again.',
  hasSecret: 'Kept here, never shown',
  hasNone: 'None',
  createsUsers: 'People who are not here yet are added when they sign in',
  createsUsersHint:
    'Else only those may sign in who are here already, found by an e-mail address that the provider has checked, or by their id.',
  roles: 'Roles that the provider gives',
  rolesHint:
    'The name of a role or group at the provider, and the role that it gives here. They replace the roles of the person at each sign-in. A name in two rows gives both roles.',
  'claims-roles': 'Where the provider names them (claim)',
  'claims-rolesHint':
    'For example “groups” or “/realm_access/roles”. If it is empty, people keep the roles that they have here.',
  there: (row: number) => `Name, row ${row}`,
  here: (row: number) => `Role here, row ${row}`,
  noRole: 'No role',
  addRows: 'Add rows',
  claimNeeded: 'Say where the provider names these roles, or empty the rows.',
  more: 'More settings',
  signIn: 'People sign in at it',
  signInHint: 'Without it the sign-in page does not offer it.',
  scopes: 'What is asked for (scopes)',
  scopesHint: 'Separated by spaces. “openid” is always among them.',
  openidNeeded: 'Without “openid” nobody can sign in.',
  'claims-username': 'Claim of the username',
  'claims-usernameHint': 'A name, or a JSON pointer that begins with a slash. preferred_username if it is empty.',
  'claims-email': 'Claim of the e-mail address',
  'claims-emailHint': 'email if it is empty.',
  'claims-externalIdentifier': 'Claim of the id of the person',
  'claims-externalIdentifierHint':
    'Of the external identifier that your systems know the person by. None if it is empty.',
  acceptTokens: 'Its access tokens are accepted by the API',
  acceptTokensHint: 'For applications of your organisation that have tokens of the provider already.',
  audience: 'Audience of these tokens',
  audienceHint: (issuer: string) =>
    `${issuer}, or a text that contains the id of your organisation. Only the bootstrap file can set another one.`,
  namesPeople: 'Decides who a person is',
  namesNobody: 'no: people who use their account already connect it on their account page',
  registerTitle: 'Register this address at the provider',
  registerText:
    'The provider sends people back to this address only. Copy it into the registration of this server there, in a field that is called “redirect URI” or “reply URL”.',
  tryTitle: 'Try it',
  tryText:
    'Open this address in a private window of your browser and choose the provider. You stay signed in here, and can mend what is wrong.',
  tryAway: 'People do not sign in at this provider, so the sign-in page does not offer it.',
  state: 'Used for',
  uses: { signIn: 'Sign-in', tokens: 'Access tokens' },
  unused: 'Nothing',
  changed: 'Changed',
  ofFile: 'If the bootstrap file of the server declares this provider, it is set back when the file is applied again.',
  remove: 'Delete',
  removeTitle: 'Delete this provider?',
  removeText:
    'Nobody can sign in at it any more, and who has no password and no passkey here gets in by an invitation only. Those who are signed in stay so.',
  changedTitle: 'This provider was changed in the meantime',
}

type ProviderTexts = typeof en

const fr: ProviderTexts = {
  title: 'Fournisseurs de connexion',
  counted: { one: 'fournisseur', many: 'fournisseurs' },
  lead: 'Vos personnes se connectent ici avec le compte qu’elles ont déjà dans votre organisation, par exemple chez Microsoft Entra ID, Google Workspace ou Keycloak.',
  new: 'Ajouter un fournisseur',
  empty:
    'Les personnes se connectent avec un mot de passe ou une clé d’accès de ce serveur. Ajoutez le fournisseur où votre organisation a ses comptes, et elles pourront s’en servir.',
  displayName: 'Nom',
  displayNameHint:
    'Figure sur le bouton de la page de connexion, par exemple « Compte du campus ». Le nom court si c’est vide.',
  name: 'Nom court',
  nameHint: (address: string) =>
    `Minuscules, chiffres et traits d’union entre eux, 63 au plus, par exemple « campus ». Il termine l’adresse ${address} et ne peut pas changer.`,
  issuer: 'Adresse du fournisseur (émetteur)',
  issuerHint:
    'Exactement comme le fournisseur l’écrit, par exemple https://login.example.org/v2.0. Tout le reste s’y trouve. ' +
    'S’il est dans votre réseau privé, l’exploitant de ce serveur doit l’inscrire dans OUTBOUND_ALLOWED_HOSTS.',
  clientId: 'Identifiant du client',
  clientIdHint: 'Le fournisseur vous le donne quand vous y enregistrez ce serveur comme application.',
  clientSecret: 'Secret du client',
  clientSecretHint: 'Le fournisseur vous le donne avec l’identifiant du client. Il ne sera plus affiché.',
  hasSecret: 'Conservé ici, jamais affiché',
  hasNone: 'Aucun',
  createsUsers: 'Les personnes encore inconnues sont ajoutées quand elles se connectent',
  createsUsersHint:
    'Sinon, seules les personnes déjà présentes peuvent se connecter, trouvées par une adresse e-mail que le fournisseur a vérifiée, ou par leur identifiant.',
  roles: 'Rôles que donne le fournisseur',
  rolesHint:
    'Le nom d’un rôle ou groupe chez le fournisseur, et le rôle qu’il donne ici. Ils remplacent les rôles de la personne à chaque connexion. Un nom sur deux lignes donne les deux rôles.',
  'claims-roles': 'Où le fournisseur les nomme (claim)',
  'claims-rolesHint':
    'Par exemple « groups » ou « /realm_access/roles ». Si c’est vide, les personnes gardent les rôles qu’elles ont ici.',
  there: (row: number) => `Nom, ligne ${row}`,
  here: (row: number) => `Rôle ici, ligne ${row}`,
  noRole: 'Aucun rôle',
  addRows: 'Ajouter des lignes',
  claimNeeded: 'Indiquez où le fournisseur nomme ces rôles, ou videz les lignes.',
  more: 'Autres réglages',
  signIn: 'Des personnes s’y connectent',
  signInHint: 'Sans cela, la page de connexion ne le propose pas.',
  scopes: 'Ce qui est demandé (portées)',
  scopesHint: 'Séparées par des espaces. « openid » en fait toujours partie.',
  openidNeeded: 'Sans « openid », personne ne peut se connecter.',
  'claims-username': 'Claim du nom d’utilisateur',
  'claims-usernameHint':
    'Un nom, ou un pointeur JSON qui commence par une barre oblique. preferred_username si c’est vide.',
  'claims-email': 'Claim de l’adresse e-mail',
  'claims-emailHint': 'email si c’est vide.',
  'claims-externalIdentifier': 'Claim de l’identifiant de la personne',
  'claims-externalIdentifierHint':
    'De l’identifiant externe par lequel vos systèmes connaissent la personne. Aucun si c’est vide.',
  acceptTokens: 'Ses jetons d’accès sont acceptés par l’API',
  acceptTokensHint: 'Pour les applications de votre organisation qui ont déjà des jetons du fournisseur.',
  audience: 'Audience de ces jetons',
  audienceHint: (issuer: string) =>
    `${issuer}, ou un texte qui contient l’identifiant de votre organisation. Seul le fichier d’amorçage peut en fixer une autre.`,
  namesPeople: 'Décide qui est une personne',
  namesNobody: 'non : qui utilise déjà son compte le relie sur la page de son compte',
  registerTitle: 'Enregistrez cette adresse chez le fournisseur',
  registerText:
    'Le fournisseur ne renvoie les personnes qu’à cette adresse. Copiez-la dans l’enregistrement de ce serveur chez lui, dans un champ nommé « redirect URI » ou « reply URL ».',
  tryTitle: 'Faire un essai',
  tryText:
    'Ouvrez cette adresse dans une fenêtre privée de votre navigateur et choisissez le fournisseur. Vous restez connecté ici, et pouvez corriger ce qui ne va pas.',
  tryAway: 'Personne ne se connecte chez ce fournisseur : la page de connexion ne le propose pas.',
  state: 'Sert à',
  uses: { signIn: 'Connexion', tokens: 'Jetons d’accès' },
  unused: 'Rien',
  changed: 'Modifié',
  ofFile:
    'Si le fichier d’amorçage du serveur déclare ce fournisseur, il y est rétabli quand le fichier est appliqué ' +
    'à nouveau.',
  remove: 'Supprimer',
  removeTitle: 'Supprimer ce fournisseur ?',
  removeText:
    'Personne ne peut plus s’y connecter, et qui n’a ici ni mot de passe ni clé d’accès n’entre plus que par une invitation. Ceux qui sont connectés le restent.',
  changedTitle: 'Ce fournisseur a changé entre-temps',
}

/** Texts of the screens of sign-in providers by language. */
export const providerTexts: Readonly<Record<Language, ProviderTexts>> = { en, fr: spaced(fr) }
