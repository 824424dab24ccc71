import type { Language } from '../../contract/languages.ts'
import type { OwnRule } from '../../fault/rules.ts'
import { spaced } from '../../pages/language.ts'

/** A rule in words. @param limit What it allows. */
type Sentence = (limit: string) => string

const en = {
  menu: {
    label: 'Menu',
    home: 'Home',
    issue: 'Issue',
    credentials: 'Credentials',
    batches: 'Batches',
    templates: 'Credential templates',
    verify: 'Verify',
    desk: 'At the desk',
    requests: 'Requests',
    trust: 'Trust',
    certificates: 'Certificates',
    trusted: 'Trusted entities',
    organisation: 'Organisation',
    people: 'People',
    groups: 'Groups',
    providers: 'Sign-in providers',
    provisioning: 'Directory sync',
    applications: 'Applications',
    webhooks: 'Webhooks',
    events: 'Events',
    audit: 'Audit',
    figures: 'Figures',
    verifications: 'Verifications',
    verificationPages: 'Public pages',
    settings: 'Settings',
  },
  account: 'Your account',
  signOut: 'Sign out',
  crumbs: 'You are here',
  save: 'Save',
  cancel: 'Cancel',
  filter: 'Show',
  clearFilters: 'Clear the filters',
  all: 'All',
  /** A choice whose name is not known now. */
  chosen: 'As chosen',
  total: {
    moreThan: (rows: string) => `More than ${rows}`,
    filtered: (rows: string) => `${rows} with these filters`,
  },
  /** Of a list to choose from that does not show everything. */
  choose: {
    find: 'Not in the list?',
    first: 'There are more. Search by name.',
    found: 'It has what was found.',
    nothing: 'Nothing has this name.',
    search: 'Search',
  },
  back: 'Go back',
  none: '–',
  /** Between a name and what is said of it. */
  colon: ': ',
  kept: 'You were signed out before this was sent. What you typed is still here: check it and send it.',
  failed: 'What happened',
  download: 'Download CSV',
  developers: 'For developers',
  find: 'Find a person, reference or number',
  search: 'Find',
  searchAll: 'Search',
  sign: 'Sign in again',
  required: (label: string) => `Fill in “${label}”`,
  line: (number: number, why: string) => `Line ${number}: ${why}`,
  change: 'Change',
  /** Of a field for a secret that is never shown. */
  secret: {
    kept: 'There is one, which is not shown. Leave this empty to keep it.',
    none: 'Remove the secret: none is expected',
    again: 'Enter the secret again: this page does not keep it.',
  },
  /** After a change by another person. */
  changed: {
    what: 'What',
    changedTitle: 'This was changed in the meantime',
    changedText: 'Someone saved it while you were editing. What you typed is below; saving it replaces what differs.',
    takeTheirs: 'Discard mine and take theirs',
    theirs: 'Saved now',
    yours: 'Yours',
  },
  rules: {
    required: () => 'This is missing',
    minLength: (n: string) => `Write at least ${n} characters`,
    maxLength: (n: string) => `Write at most ${n} characters`,
    minItems: (n: string) => `Choose at least ${n}`,
    maxItems: (n: string) => `At most ${n}`,
    minimum: (n: string) => `Write ${n} or more`,
    maximum: (n: string) => `Write ${n} or less`,
    uniqueItems: () => 'The same is here twice',
    pattern: () => 'This does not have the right form',
    'type-string': () => 'Write a text',
    'type-boolean': () => 'Write true or false',
    'type-number': () => 'Write a number, such as 60',
    'type-integer': () => 'Write a whole number, such as 60',
    'type-date': () => 'Write a day, such as 2026-01-31',
    'type-email': () => 'Write an e-mail address, such as thandi@example.org',
    'type-uri': () => 'Write a complete address, such as https://example.org',
    additionalProperties: () => 'The template no longer has this',
    unique: () => 'Another one has this already',
    'file.declared': () =>
      'The bootstrap file declares this and would undo the change when it is applied again. Change it there.',
    'user.name_needed': () => 'Enter a username or an e-mail address.',
    'client.redirect_needed': () => 'Enter an address: people sign in to it.',
    'client.refresh_alone': () => 'Only an application that people sign in to stays signed in.',
    'client.public_grants': () => 'An application without a secret gets tokens only for people who sign in to it.',
    'client.public_keys': () => 'An application without a secret has no keys.',
    'client.public_pkce': () => 'An application without a secret uses PKCE.',
    'client.keys_twice': () => 'Enter the keys or where they are published, not both.',
    'client.keys': () => 'This is no JSON Web Key Set with P-256 or Ed25519 public keys.',
    'client.unknown': () => 'There is no such application, or it is disabled.',
    'client.address': () =>
      'Each address begins with https://, or with http://127.0.0.1 for a program on the same computer. It has no # in it.',
    'client.address_public': () =>
      'Each address begins with https://, with http://127.0.0.1 for a program on the same computer, or with a scheme ' +
      'of the application such as com.example.app:/. It has no # in it.',
    'organisation.colour': () => 'Text in this colour cannot be read on light paper. Choose a darker one.',
    'organisation.support_address': () => 'Write an e-mail address or a complete https address.',
    'organisation.time_zone': () => 'This is no time zone of the IANA database.',
    'page.origin': () => 'Write https:// and the name of the website, with nothing behind it.',
    'redirect.address': () => 'Write a complete https address, without # in it.',
    'redirect.not_listed': () =>
      'This address is not allowed: it is none of those in the settings under “Where requests may lead browsers”.',
    'presentation_template.unknown': () => 'This request is not there any more. Choose another.',
    'provider.issuer': () =>
      'Enter an address that begins with https://, without a question mark, a # or a user name in it.',
    'provider.audience_needed': () => 'Enter the audience of the tokens.',
    'provider.audience_own': () => 'This audience does not name your organisation.',
    'provider.names_people': () =>
      'Only the operator of the server, or an application that may act for people, lets a provider decide who a ' +
      'person is, and accept its tokens.',
    'address.uncallable': () =>
      'This server does not call this address. An IP address must be listed in OUTBOUND_ALLOWED_HOSTS.',
  } satisfies Readonly<Record<OwnRule, Sentence>> & Readonly<Record<string, Sentence>> as Readonly<
    Record<string, Sentence>
  >,
  overlap: 'The present one stays valid for',
  overlaps: { 0: 'It ends at once', 3600: 'An hour', 86400: 'A day', 604800: 'A week' } as Readonly<
    Record<string, string>
  >,
  refused: {
    400: ['This was not accepted', 'Check what you entered and try again.'],
    403: ['You may not do this', 'You need one of these roles: '],
    404: ['Not found here', 'It may have been deleted, or it belongs to another organisation.'],
    409: ['This is not possible any more', 'It was changed in the meantime. Look at its state and start again.'],
    429: ['Too many requests', 'Wait a minute, then try again.'],
    500: ['Something went wrong', 'It was our fault. Try again; if it happens once more, ask for help.'],
    503: ['Not available right now', 'The server cannot answer at the moment. Try again in a minute.'],
    504: ['This takes too long', 'The server is busy. What you did may still be carried out; try again in a minute.'],
  } satisfies Record<number, readonly [string, string]>,
  missing: 'Some of this page is missing: the server could not answer all of it.',
  askOwner: 'Ask an owner of your organisation.',
  help: 'Help:',
}

/** Texts that the screens of the console share, in English. The shape that every language has. */
export type ConsoleTexts = typeof en

const fr: ConsoleTexts = {
  menu: {
    label: 'Menu',
    home: 'Accueil',
    issue: 'Délivrer',
    credentials: 'Attestations',
    batches: 'Lots',
    templates: 'Modèles d’attestation',
    verify: 'Vérifier',
    desk: 'Au guichet',
    requests: 'Demandes',
    trust: 'Confiance',
    certificates: 'Certificats',
    trusted: 'Entités de confiance',
    organisation: 'Organisation',
    people: 'Personnes',
    groups: 'Groupes',
    providers: 'Fournisseurs de connexion',
    provisioning: 'Synchronisation',
    applications: 'Applications',
    webhooks: 'Webhooks',
    events: 'Événements',
    audit: 'Journal d’audit',
    figures: 'Chiffres',
    verifications: 'Vérifications',
    verificationPages: 'Pages publiques',
    settings: 'Réglages',
  },
  account: 'Votre compte',
  signOut: 'Se déconnecter',
  crumbs: 'Vous êtes ici',
  save: 'Enregistrer',
  cancel: 'Annuler',
  filter: 'Afficher',
  clearFilters: 'Effacer les filtres',
  all: 'Tous',
  chosen: 'Comme choisi',
  total: {
    moreThan: (rows: string) => `Plus de ${rows}`,
    filtered: (rows: string) => `${rows} avec ces filtres`,
  },
  choose: {
    find: 'Absent de la liste ?',
    first: 'Il y en a d’autres. Cherchez par nom.',
    found: 'Elle montre ce qui a été trouvé.',
    nothing: 'Rien ne porte ce nom.',
    search: 'Chercher',
  },
  back: 'Revenir',
  none: '–',
  colon: '\u00a0: ',
  kept: 'Vous avez été déconnecté avant l’envoi. Votre saisie est conservée : vérifiez-la et envoyez-la.',
  failed: 'Ce qui s’est passé',
  download: 'Télécharger en CSV',
  developers: 'Pour les développeurs',
  find: 'Chercher une personne, une référence ou un numéro',
  search: 'Chercher',
  searchAll: 'Recherche',
  sign: 'Se reconnecter',
  required: (label: string) => `Remplissez « ${label} »`,
  line: (number: number, why: string) => `Ligne ${number} : ${why}`,
  change: 'Modifier',
  secret: {
    kept: 'Il y en a un, qui n’est pas affiché. Laissez ce champ vide pour le garder.',
    none: 'Retirer le secret : aucun n’est attendu',
    again: 'Saisissez de nouveau le secret : cette page ne le conserve pas.',
  },
  changed: {
    what: 'Quoi',
    changedTitle: 'Ceci a changé entre-temps',
    changedText:
      'Quelqu’un a enregistré pendant que vous modifiiez. Votre saisie est ci-dessous ; l’enregistrer remplace ce qui diffère.',
    takeTheirs: 'Abandonner la mienne et prendre la leur',
    theirs: 'Version enregistrée',
    yours: 'Votre version',
  },
  rules: {
    required: () => 'Valeur manquante',
    minLength: (n: string) => `Écrivez au moins ${n} caractères`,
    maxLength: (n: string) => `Écrivez au plus ${n} caractères`,
    minItems: (n: string) => `Choisissez-en au moins ${n}`,
    maxItems: (n: string) => `Au plus ${n}`,
    minimum: (n: string) => `Écrivez ${n} ou plus`,
    maximum: (n: string) => `Écrivez ${n} ou moins`,
    uniqueItems: () => 'La même valeur apparaît deux fois',
    pattern: () => 'La forme n’est pas la bonne',
    'type-string': () => 'Écrivez un texte',
    'type-boolean': () => 'Écrivez true ou false',
    'type-number': () => 'Écrivez un nombre, par exemple 60',
    'type-integer': () => 'Écrivez un nombre entier, par exemple 60',
    'type-date': () => 'Écrivez un jour, par exemple 2026-01-31',
    'type-email': () => 'Écrivez une adresse électronique, par exemple thandi@example.org',
    'type-uri': () => 'Écrivez une adresse complète, par exemple https://example.org',
    additionalProperties: () => 'Le modèle n’a plus cet attribut',
    unique: () => 'Ceci est déjà pris',
    'file.declared': () =>
      'Le fichier d’amorçage le déclare et annulerait le changement quand il est appliqué à nouveau. Changez-le là-bas.',
    'user.name_needed': () => 'Saisissez un nom d’utilisateur ou une adresse e-mail.',
    'client.redirect_needed': () => 'Saisissez une adresse : des personnes s’y connectent.',
    'client.refresh_alone': () => 'Seule une application à laquelle des personnes se connectent reste connectée.',
    'client.public_grants': () =>
      'Une application sans secret n’obtient des jetons que pour les personnes qui s’y connectent.',
    'client.public_keys': () => 'Une application sans secret n’a pas de clés.',
    'client.public_pkce': () => 'Une application sans secret utilise PKCE.',
    'client.keys_twice': () => 'Saisissez les clés ou l’endroit où elles sont publiées, pas les deux.',
    'client.keys': () => 'Ce n’est pas un JSON Web Key Set avec des clés publiques P-256 ou Ed25519.',
    'client.unknown': () => 'Cette application n’existe pas, ou elle est désactivée.',
    'client.address': () =>
      'Chaque adresse commence par https://, ou par http://127.0.0.1 pour un programme du même ordinateur. ' +
      'Elle ne contient pas de #.',
    'client.address_public': () =>
      'Chaque adresse commence par https://, par http://127.0.0.1 pour un programme du même ordinateur, ou par un ' +
      'schéma de l’application comme com.example.app:/. Elle ne contient pas de #.',
    'organisation.colour': () =>
      'Un texte de cette couleur est illisible sur fond clair. Choisissez-en une plus foncée.',
    'organisation.support_address': () => 'Écrivez une adresse électronique ou une adresse https complète.',
    'organisation.time_zone': () => 'Ce n’est pas un fuseau horaire de la base IANA.',
    'page.origin': () => 'Écrivez https:// et le nom du site, sans rien derrière.',
    'redirect.address': () => 'Écrivez une adresse https complète, sans #.',
    'redirect.not_listed': () =>
      'Cette adresse n’est pas permise : elle ne figure pas dans les réglages, sous « Où les demandes peuvent mener ' +
      'les navigateurs ».',
    'presentation_template.unknown': () => 'Cette demande n’existe plus. Choisissez-en une autre.',
    'provider.issuer': () =>
      'Saisissez une adresse qui commence par https://, sans point d’interrogation, sans # ni nom d’utilisateur.',
    'provider.audience_needed': () => 'Saisissez l’audience des jetons.',
    'provider.audience_own': () => 'Cette audience ne nomme pas votre organisation.',
    'provider.names_people': () =>
      'Seul l’exploitant du serveur, ou une application qui peut agir pour les personnes, laisse un fournisseur ' +
      'décider qui est une personne et accepter ses jetons.',
    'address.uncallable': () =>
      'Ce serveur n’appelle pas cette adresse. Une adresse IP doit être inscrite dans OUTBOUND_ALLOWED_HOSTS.',
  } satisfies Readonly<Record<OwnRule, Sentence>> & Readonly<Record<string, Sentence>>,
  overlap: 'L’actuel reste valable',
  overlaps: { 0: 'Il prend fin aussitôt', 3600: 'Une heure', 86400: 'Un jour', 604800: 'Une semaine' },
  refused: {
    400: ['Cela n’a pas été accepté', 'Vérifiez votre saisie et réessayez.'],
    403: ['Vous n’en avez pas le droit', 'Il vous faut l’un de ces rôles : '],
    404: ['Introuvable ici', 'L’élément a peut-être été supprimé, ou appartient à une autre organisation.'],
    409: ['Ce n’est plus possible', 'L’élément a changé entre-temps. Regardez son état et recommencez.'],
    429: ['Trop de demandes', 'Attendez une minute, puis réessayez.'],
    500: ['Une erreur est survenue', 'C’est notre faute. Réessayez ; si cela se reproduit, demandez de l’aide.'],
    503: ['Indisponible pour le moment', 'Le serveur ne peut pas répondre. Réessayez dans une minute.'],
    504: [
      'Cela prend trop de temps',
      'Le serveur est occupé. Votre action sera peut-être exécutée ; réessayez dans une minute.',
    ],
  },
  missing: 'Une partie de cette page manque : le serveur n’a pas pu tout fournir.',
  askOwner: 'Demandez à un propriétaire de votre organisation.',
  help: 'Aide :',
}

/** Texts that the screens of the console share. */
export const consoleTexts: Readonly<Record<Language, ConsoleTexts>> = { en, fr: spaced(fr) }
