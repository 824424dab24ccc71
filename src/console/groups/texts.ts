import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  title: 'Groups',
  counted: { one: 'group', many: 'groups' },
  countedMembers: { one: 'member', many: 'members' },
  lead: 'Every member of a group has its roles. The system that knows your people can make groups too; which roles they give is said here.',
  new: 'Add a group',
  empty: 'There are no groups yet. A group gives its roles to all its members at once.',
  displayName: 'Name',
  roles: 'Roles of every member',
  noRoles: 'None',
  externalIdentifier: 'Id in your own systems',
  externalIdentifierHint: 'Only if one of your systems finds the group by it. It cannot be changed here.',
  changed: 'Changed',
  members: 'Members',
  noMembers: 'Nobody is in this group.',
  add: 'Add a member',
  username: 'Username',
  usernameHint: 'As it stands in the list of people.',
  unknown: 'Nobody has this username.',
  membership: 'Membership',
  take: 'Remove',
  takeOf: (name: string) => `Remove “${name}”`,
  takeTitle: 'Remove this person from the group?',
  takeText: 'They lose the roles that only this group gives them.',
  remove: 'Delete',
  removeTitle: 'Delete this group?',
  removeText: 'Its members lose the roles that only this group gives them. The people stay.',
  changedTitle: 'This group was changed in the meantime',
}

type GroupTexts = typeof en

const fr: GroupTexts = {
  title: 'Groupes',
  counted: { one: 'groupe', many: 'groupes' },
  countedMembers: { one: 'membre', many: 'membres' },
  lead: 'Chaque membre d’un groupe en a les rôles. Le système qui connaît vos personnes peut aussi créer des groupes ; les rôles qu’ils donnent se décident ici.',
  new: 'Ajouter un groupe',
  empty: 'Il n’y a pas encore de groupe. Un groupe donne ses rôles à tous ses membres à la fois.',
  displayName: 'Nom',
  roles: 'Rôles de chaque membre',
  noRoles: 'Aucun',
  externalIdentifier: 'Identifiant dans vos propres systèmes',
  externalIdentifierHint: 'Seulement si un de vos systèmes trouve le groupe par lui. Il ne peut pas changer ici.',
  changed: 'Modifié',
  members: 'Membres',
  noMembers: 'Personne n’est dans ce groupe.',
  add: 'Ajouter un membre',
  username: 'Nom d’utilisateur',
  usernameHint: 'Tel qu’il figure dans la liste des personnes.',
  unknown: 'Personne n’a ce nom d’utilisateur.',
  membership: 'Appartenance',
  take: 'Retirer',
  takeOf: (name: string) => `Retirer « ${name} »`,
  takeTitle: 'Retirer cette personne du groupe ?',
  takeText: 'Elle perd les rôles que seul ce groupe lui donne.',
  remove: 'Supprimer',
  removeTitle: 'Supprimer ce groupe ?',
  removeText: 'Ses membres perdent les rôles que seul ce groupe leur donne. Les personnes restent.',
  changedTitle: 'Ce groupe a changé entre-temps',
}

/** Texts of the screens of groups by language. */
export const groupTexts: Readonly<Record<Language, GroupTexts>> = { en, fr: spaced(fr) }
