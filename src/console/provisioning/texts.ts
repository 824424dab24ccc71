import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  title: 'Directory sync',
  counted: { one: 'token', many: 'tokens' },
  lead: 'The system in which your organisation keeps its people, for example Microsoft Entra ID or Okta, can add and change people and groups here, and disable who has left. It does so by SCIM 2.0.',
  addressTitle: 'What the system needs',
  addressText: 'This address (“tenant URL” or “SCIM base URL”), and a token.',
  new: 'Make a token',
  empty:
    'No system has a token yet. Make one and copy it into the system that knows your people, beside the address above.',
  name: 'For which system',
  nameHint: 'A name by which you will know the token again, for example “Entra ID”.',
  clientId: 'Application',
  clientIdHint: (role: string) =>
    `The token may do what this application may. To add and change people it needs the role “${role}”, and each role that they get.`,
  noApplication: (role: string) =>
    `A token belongs to an application. Add one for the system first, with the role “${role}”.`,
  addApplication: 'Add an application',
  byId: 'Write its id, as the list of applications shows it.',
  expiresInDays: 'Valid for how many days',
  expiresInDaysHint: 'It does not end if you leave this empty.',
  used: 'Last used',
  never: 'Never',
  ends: 'Ends',
  noEnd: 'Does not end',
  ended: 'Ended',
  token: 'Token',
  tokenText: 'Copy it now: it is not shown again.',
  remove: 'End',
  removeOf: (name: string) => `End “${name}”`,
  removeTitle: 'End this token?',
  removeText: 'The system that has it can change nobody here any more, at once. People and groups stay as they are.',
}

type ProvisioningTexts = typeof en

const fr: ProvisioningTexts = {
  title: 'Synchronisation de l’annuaire',
  counted: { one: 'jeton', many: 'jetons' },
  lead: 'Le système où votre organisation gère ses personnes, par exemple Microsoft Entra ID ou Okta, peut ajouter et modifier ici des personnes et des groupes, et désactiver qui est parti. Il le fait par SCIM 2.0.',
  addressTitle: 'Ce dont le système a besoin',
  addressText: 'Cette adresse (« URL du locataire » ou « URL de base SCIM »), et un jeton.',
  new: 'Créer un jeton',
  empty:
    'Aucun système n’a encore de jeton. Créez-en un et copiez-le dans le système qui connaît vos personnes, à côté de l’adresse ci-dessus.',
  name: 'Pour quel système',
  nameHint: 'Un nom auquel vous reconnaîtrez le jeton, par exemple « Entra ID ».',
  clientId: 'Application',
  clientIdHint: (role: string) =>
    `Le jeton peut ce que peut cette application. Pour ajouter et modifier des personnes, il lui faut le rôle « ${role} », et chaque rôle qu’elles reçoivent.`,
  noApplication: (role: string) =>
    `Un jeton appartient à une application. Ajoutez-en d’abord une pour le système, avec le rôle « ${role} ».`,
  addApplication: 'Ajouter une application',
  byId: 'Écrivez son identifiant, tel que la liste des applications l’affiche.',
  expiresInDays: 'Valable combien de jours',
  expiresInDaysHint: 'Il est sans fin si vous laissez ce champ vide.',
  used: 'Dernière utilisation',
  never: 'Jamais',
  ends: 'Prend fin',
  noEnd: 'Sans fin',
  ended: 'Terminé',
  token: 'Jeton',
  tokenText: 'Copiez-le maintenant : il ne sera plus affiché.',
  remove: 'Révoquer',
  removeOf: (name: string) => `Révoquer « ${name} »`,
  removeTitle: 'Révoquer ce jeton ?',
  removeText:
    'Le système qui le possède ne peut aussitôt plus modifier personne ici. Personnes et groupes restent tels quels.',
}

/** Texts of the screens of directory sync by language. */
export const provisioningTexts: Readonly<Record<Language, ProvisioningTexts>> = { en, fr: spaced(fr) }
