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
  displayNameHint: 'Stands on the button of the sign-in page, for example “Campus account”.',
  name: 'Short name',
  nameHint: (address: string) =>
    `Small letters, digits and hyphens, for example “campus”. It ends the address ${address} and cannot be changed.`,
  issuer: 'Address of the provider (issuer)',
  issuerHint:
    'Exactly as the provider writes it, for example https://login.example.org/v2.0. Everything else about it is ' +
    'found there. If it is in your private network, the operator of this server must list it in ' +
    'OUTBOUND_ALLOWED_HOSTS.',
  clientId: 'Client id',
  clientIdHint: 'The provider gives it to you when you register this server there as an application.',
  secret: 'Client secret',
  secretHint: 'The provider gives it to you with the client id. It is not shown again.',
  secretKept: 'There is one, which is not shown. Leave this empty to keep it.',
  secretAgain: 'Enter the secret again: this page does not keep it.',
  noSecret: 'Remove the secret: the provider expects none',
  hasSecret: 'Kept here, never shown',
  hasNone: 'None',
  creates: 'People who are not here yet are added when they sign in',
  createsHint:
    'Else only those may sign in who are here already, found by an e-mail address that the provider has checked, or by their id.',
  roles: 'Roles that the provider gives',
  rolesHint:
    'The name of a role or group at the provider, and the role that it gives here. They replace the roles of the person at each sign-in. A name in two rows gives both roles.',
  rolesClaim: 'Where the provider names them (claim)',
  rolesClaimHint:
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
  username: 'Claim of the username',
  usernameHint: 'A name, or a JSON pointer that begins with a slash. preferred_username if it is empty.',
  email: 'Claim of the e-mail address',
  emailHint: 'email if it is empty.',
  externalId: 'Claim of the id of the person',
  externalIdHint: 'Of the external identifier that your systems know the person by. None if it is empty.',
  tokens: 'Its access tokens are accepted by the API',
  tokensHint: 'For applications of your organisation that have tokens of the provider already.',
  audience: 'Audience of these tokens',
  audienceHint: (issuer: string) =>
    `${issuer}, or a text that contains the id of your organisation. Only the bootstrap file can set another one.`,
  audienceNeeded: 'Enter the audience of the tokens.',
  audienceWrong: 'This audience belongs to another provider, or does not name your organisation.',
  issuerWrong:
    'Enter an address that begins with https://, without a question mark, a # or a user name in it. An IP address ' +
    'must be listed in OUTBOUND_ALLOWED_HOSTS.',
  nameWrong: 'Use small letters, digits and hyphens between them only, at most 63.',
  nameTaken: 'Another provider has this short name.',
  namesPeople: 'Decides who a person is',
  namesNobody: 'no: people who use their account already connect it on their account page',
  namesNeeded:
    'Only the operator of the server, or an application that may act for people, lets a provider decide who a ' +
    'person is, and accept its tokens.',
  full: 'There can be no more than 50 providers.',
  address: 'Redirect address',
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
  change: 'Change',
  ofFile: 'If the bootstrap file of the server declares this provider, it is set back when the file is applied again.',
  remove: 'Delete',
  removeTitle: 'Delete this provider?',
  removeText:
    'Nobody can sign in at it any more, and who has no password and no passkey here gets in by an invitation only. Those who are signed in stay so.',
  part: 'What',
  changedTitle: 'This provider was changed in the meantime',
  changedText: 'Someone saved it while you were editing. What you typed is below; saving it replaces what differs.',
  theirs: 'Saved now',
  yours: 'Yours',
  takeTheirs: 'Discard mine and take theirs',
}

/** Texts of the screens of sign-in providers. */
export type ProviderTexts = typeof en

const fr: ProviderTexts = {
  title: 'Fournisseurs de connexion',
  counted: { one: 'fournisseur', many: 'fournisseurs' },
  lead: 'Vos personnes se connectent ici avec le compte qu’elles ont déjà dans votre organisation, par exemple chez Microsoft Entra ID, Google Workspace ou Keycloak.',
  new: 'Ajouter un fournisseur',
  empty:
    'Les personnes se connectent avec un mot de passe ou une clé d’accès de ce serveur. Ajoutez le fournisseur où votre organisation a ses comptes, et elles pourront s’en servir.',
  displayName: 'Nom',
  displayNameHint: 'Figure sur le bouton de la page de connexion, par exemple « Compte du campus ».',
  name: 'Nom court',
  nameHint: (address: string) =>
    `Minuscules, chiffres et traits d’union, par exemple « campus ». Il termine l’adresse ${address} et ne peut pas changer.`,
  issuer: 'Adresse du fournisseur (émetteur)',
  issuerHint:
    'Exactement comme le fournisseur l’écrit, par exemple https://login.example.org/v2.0. Tout le reste s’y trouve. ' +
    'S’il est dans votre réseau privé, l’exploitant de ce serveur doit l’inscrire dans OUTBOUND_ALLOWED_HOSTS.',
  clientId: 'Identifiant du client',
  clientIdHint: 'Le fournisseur vous le donne quand vous y enregistrez ce serveur comme application.',
  secret: 'Secret du client',
  secretHint: 'Le fournisseur vous le donne avec l’identifiant du client. Il ne sera plus affiché.',
  secretKept: 'Il y en a un, qui n’est pas affiché. Laissez ce champ vide pour le garder.',
  secretAgain: 'Saisissez de nouveau le secret : cette page ne le conserve pas.',
  noSecret: 'Retirer le secret : le fournisseur n’en attend pas',
  hasSecret: 'Conservé ici, jamais affiché',
  hasNone: 'Aucun',
  creates: 'Les personnes encore inconnues sont ajoutées quand elles se connectent',
  createsHint:
    'Sinon, seules les personnes déjà présentes peuvent se connecter, trouvées par une adresse e-mail que le fournisseur a vérifiée, ou par leur identifiant.',
  roles: 'Rôles que donne le fournisseur',
  rolesHint:
    'Le nom d’un rôle ou groupe chez le fournisseur, et le rôle qu’il donne ici. Ils remplacent les rôles de la personne à chaque connexion. Un nom sur deux lignes donne les deux rôles.',
  rolesClaim: 'Où le fournisseur les nomme (claim)',
  rolesClaimHint:
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
  username: 'Claim du nom d’utilisateur',
  usernameHint: 'Un nom, ou un pointeur JSON qui commence par une barre oblique. preferred_username si c’est vide.',
  email: 'Claim de l’adresse e-mail',
  emailHint: 'email si c’est vide.',
  externalId: 'Claim de l’identifiant de la personne',
  externalIdHint: 'De l’identifiant externe par lequel vos systèmes connaissent la personne. Aucun si c’est vide.',
  tokens: 'Ses jetons d’accès sont acceptés par l’API',
  tokensHint: 'Pour les applications de votre organisation qui ont déjà des jetons du fournisseur.',
  audience: 'Audience de ces jetons',
  audienceHint: (issuer: string) =>
    `${issuer}, ou un texte qui contient l’identifiant de votre organisation. Seul le fichier d’amorçage peut en fixer une autre.`,
  audienceNeeded: 'Saisissez l’audience des jetons.',
  audienceWrong: 'Cette audience appartient à un autre fournisseur, ou ne nomme pas votre organisation.',
  issuerWrong:
    'Saisissez une adresse qui commence par https://, sans point d’interrogation, sans # ni nom d’utilisateur. Une ' +
    'adresse IP doit être inscrite dans OUTBOUND_ALLOWED_HOSTS.',
  nameWrong: 'Seulement des minuscules, des chiffres et des traits d’union entre eux, 63 au plus.',
  nameTaken: 'Un autre fournisseur a ce nom court.',
  namesPeople: 'Décide qui est une personne',
  namesNobody: 'non : qui utilise déjà son compte le relie sur la page de son compte',
  namesNeeded:
    'Seul l’exploitant du serveur, ou une application qui peut agir pour les personnes, laisse un fournisseur ' +
    'décider qui est une personne et accepter ses jetons.',
  full: 'Il ne peut pas y avoir plus de 50 fournisseurs.',
  address: 'Adresse de retour',
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
  change: 'Modifier',
  ofFile:
    'Si le fichier d’amorçage du serveur déclare ce fournisseur, il y est rétabli quand le fichier est appliqué ' +
    'à nouveau.',
  remove: 'Supprimer',
  removeTitle: 'Supprimer ce fournisseur ?',
  removeText:
    'Personne ne peut plus s’y connecter, et qui n’a ici ni mot de passe ni clé d’accès n’entre plus que par une invitation. Ceux qui sont connectés le restent.',
  part: 'Quoi',
  changedTitle: 'Ce fournisseur a changé entre-temps',
  changedText:
    'Quelqu’un l’a enregistré pendant que vous le modifiiez. Votre saisie est ci-dessous ; l’enregistrer remplace ce qui diffère.',
  theirs: 'Enregistré',
  yours: 'Le vôtre',
  takeTheirs: 'Abandonner le mien et prendre le leur',
}

/** Texts of the screens of sign-in providers by language. */
export const providerTexts: Readonly<Record<Language, ProviderTexts>> = { en, fr: spaced(fr) }
