import { foldedName } from '../../../tables/table.ts'
import { plainName } from './made-names.ts'

// Headings of the exports of Moodle, Canvas, Banner, SAP, Personio and of association software, in three languages.

/** Headings of columns with the number by which an organisation knows a person. */
export const referenceNames: readonly string[] = listed(
  'Reference | Référence | Referenz | ID number | ID-Nummer | Numéro d’identification | External ID | ' +
    'Student no. | Student number | Student ID | SIS ID | SIS User ID | Banner ID | Integration ID | ' +
    'Matrikelnummer | Matrikel-Nr. | Matr.-Nr. | Matrikel | Numéro étudiant | N° étudiant | INE | ' +
    'Matricule | Employee ID | Employee number | Employee no. | Staff number | Staff ID | Personnel number | ' +
    'Personalnummer | Personal-Nr. | Pers.-Nr. | PersNr | Mitarbeiternummer | Mitarbeiter-ID | ' +
    'Numéro de matricule | N° matricule | Numéro d’employé | N° de personnel | Member number | Member no. | ' +
    'Member ID | Membership number | Membership no. | Membership ID | Mitgliedsnummer | Mitglieds-Nr. | ' +
    'Mitgl.-Nr. | Mitglied-Nr. | Numéro d’adhérent | N° adhérent | Numéro de membre | N° de membre | ' +
    'N° licence | Ticket number | Ticketnummer | Ticket ID | Order number | Référence commande | Numéro de commande',
)

/** Headings of columns with addresses for mails. */
const mailNames: readonly string[] = listed(
  'E-mail | Email | Mail | Email address | E-mail address | Work email | Private email | Primary email | ' +
    'E-Mail-Adresse | Mailadresse | Mail-Adresse | E-Mail (geschäftlich) | E-Mail (privat) | ' +
    'E-Mail geschäftlich | Courriel | Adresse de courriel | Adresse e-mail | Adresse mail | ' +
    'Adresse électronique | Mél',
)

/** Headings of columns with the names under which people sign in. */
const usernameNames: readonly string[] = listed(
  'Username | User | User name | User ID | Login | Login ID | SIS Login ID | Login name | Benutzername | ' +
    'Benutzerkennung | Anmeldename | Nutzername | Kennung | Identifiant | Nom d’utilisateur | ' +
    'Nom de connexion',
)

/** Headings of columns with the day on which a card becomes valid. */
export const validFromNames: readonly string[] = listed(
  'Valid from | Valid since | Valid as of | Start of validity | Gültig ab | Gültig von | Gültig seit | Gültigkeitsbeginn | ' +
    'Beginn der Gültigkeit | Valable à partir du | Valable dès le | Valable du | Valide à partir du | Début de validité | ' +
    'Date de début de validité',
)

/** Headings of columns with the last day on which a card is valid. */
export const validUntilNames: readonly string[] = listed(
  'Valid until | Valid till | Valid to | Valid through | Expires | Expires on | Expiry | Expiry date | Expiration | ' +
    'Expiration date | Date of expiry | End of validity | Gültig bis | Gültigkeit bis | Gültigkeitsende | ' +
    'Ende der Gültigkeit | Ablauf | Ablaufdatum | Läuft ab | Läuft ab am | Valable jusqu’au | Valable jusqu’à | ' +
    'Valide jusqu’au | Expire le | Expiration le | Échéance | Date d’échéance | Date d’expiration | Fin de validité | ' +
    'Date de fin de validité',
)

/** Headings of columns with the reference of the card that a new one replaces. */
export const replacesNames: readonly string[] = listed(
  'Replaces | Replaces card | Replaced card | Replaced reference | Old reference | Previous reference | Ersetzt | ' +
    'Ersetzt Karte | Ersetzte Karte | Alte Referenz | Bisherige Referenz | Remplace | Remplace la carte | ' +
    'Carte remplacée | Ancienne référence | Référence précédente',
)

/** Headings of columns that name a person. */
const personNames = foldedSet(
  listed(
    'Name | Full name | Family name | Last name | Surname | Given name | Given names | First name | ' +
      'Forename | Student | Student name | Employee | Employee name | Member | Holder | Participant | ' +
      'Attendee | Display name | Vorname | Vornamen | Nachname | Zuname | Familienname | Rufname | ' +
      'Vollständiger Name | Name, Vorname | Vorname Nachname | Vor- und Nachname | Vorname und Name | ' +
      'Mitarbeiter | Mitglied | Teilnehmer | Teilnehmerin | Teilnehmer/in | Nom | Prénom | Prénoms | ' +
      'Nom de famille | Nom complet | Nom et prénom | Nom, prénom | Prénom et nom | Nom usuel | Titulaire | ' +
      'Participant(e) | Étudiant | Salarié',
  ),
)
/** Words of a heading that name a person, whatever stands around them: `Legal First Name`, `Prénom de l’adhérent`. */
const personWords = new RegExp(
  `(^|_)(${[
    '(first|last|given|family|full)_names?|surname|forename|vornamen?|nachname|familienname|zuname|prenoms?',
    'name_(des|der)_(mitglieds?|mitarbeiters?|mitarbeiterin|teilnehmers?|teilnehmerin)',
    'nom_((de_l_|du_|de_la_)?(adherente?|etudiante?|salariee?|participante?|titulaire|membre|eleve|stagiaire)|de_famille)',
  ].join('|')})(_|$)`,
)
/** Headings of columns with the time at which a program made or exported the row. */
const timeNames = foldedSet(
  listed(
    'Last downloaded from this course | Zuletzt aus diesem Kurs geladen | Timestamp | Zeitstempel | Horodateur | ' +
      'Horodatage | Exported at | Export date | Exportdatum | Created at | Erstellt am | Créé le | Submitted at',
  ),
)
/** Headings of columns that only count the rows. */
const countNames = foldedSet([
  'No.',
  'Nr.',
  'N°',
  'Lfd. Nr.',
  'Laufende Nummer',
  'Pos.',
  'Position',
  'Row',
  'Zeile',
  'Ligne',
])
/** Headings of columns that belong on no card. */
const secretNames = foldedSet(['Password', 'Passwort', 'Kennwort', 'Mot de passe', 'PIN'])

const [mails, usernames, references] = [mailNames, usernameNames, referenceNames].map(foldedSet)
const [validFrom, validUntil] = [validFromNames, validUntilNames].map(foldedSet)

/** What a column is, by its heading. */
export type ColumnRole =
  | 'person'
  | 'mail'
  | 'username'
  | 'reference'
  | 'validFrom'
  | 'validUntil'
  | 'count'
  | 'time'
  | 'secret'
  | 'other'

/** Returns what a column is by its heading; `other` for one that says nothing of it. */
export function columnRole(heading: string): ColumnRole {
  const name = foldedName(heading)
  if (personNames.has(name)) return 'person'
  if (mails?.has(name)) return 'mail'
  if (usernames?.has(name)) return 'username'
  if (references?.has(name)) return 'reference'
  if (countNames.has(name) || name === '') return 'count'
  if (validFrom?.has(name)) return 'validFrom'
  if (validUntil?.has(name)) return 'validUntil'
  if (timeNames.has(name)) return 'time'
  if (secretNames.has(name)) return 'secret'
  return personWords.test(plainName(heading, '_')) ? 'person' : 'other'
}

const identifierWords = new Set(
  (
    'id no nr n num number nummer numero code plz npa zip postcode postal cp tel telefon telephone phone mobil mobile ' +
    'handy fax iban ahv avs siret kennung matricule matrikel year jahr annee jahrgang room raum salle konto account ' +
    'crn kst kostenst kostenstelle'
  ).split(' '),
)

/** Whether figures below a heading name something, and are no amount: they stay as they are written. */
export function namesThings(heading: string): boolean {
  const words = plainName(heading, '_').split('_')
  return words.some((word) => identifierWords.has(word) || /(nummer|nr|kennung|code|telefon|jahr|jahrgang)$/.test(word))
}

function listed(names: string): readonly string[] {
  return names.split(' | ')
}

function foldedSet(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(foldedName))
}
