import type { DateOrder } from '../cell-values.ts'

/**
 * A file as a program writes it, and what the console is to make of it. `columns`: each heading, and the kind of the
 * attribute that it becomes on a new card, or why it becomes none.
 */
export type ProgramExport = {
  readonly program: string
  readonly file: Uint8Array
  /** Number of the row with the headings, how many rows are data, and the numbers of those that are left out. */
  readonly headerRow: number
  readonly rows: number
  readonly left: readonly number[]
  readonly columns: readonly (readonly [heading: string, becomes: string])[]
  /** What names the card. */
  readonly label: readonly string[]
  /** What the person must choose since no cell shows it: the order of the dates. */
  readonly dates?: DateOrder
}

const BOM = '\ufeff'

function utf8(...lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.join('\n'))
}

/** Latin 1 is Windows-1252 but for the signs of 0x80 to 0x9F, which no line here has. */
function windows(...lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.join('\r\n'), 'latin1')
}

function utf16(...lines: readonly string[]): Uint8Array {
  return Buffer.from(BOM + lines.join('\r\n'), 'utf16le')
}

/** Headings and forms are those that the programs write; the people are ours. */
export const textExports: readonly ProgramExport[] = [
  {
    // Headings as in grade/import/csv/tests of Moodle; a missing grade is a hyphen, the last column a Unix time.
    program: 'Moodle, grades as CSV',
    file: utf8(
      '"First name","Last name","ID number",Institution,Department,"Email address","Assignment: Essay (Real)",' +
        '"Course total (Real)","Last downloaded from this course"',
      'Thandi,Molefe,00417,,Arts,thandi@example.org,71.00,68.50,1780000000',
      'Pieter,Botha,00418,,Arts,pieter@example.org,-,54.00,1780000000',
      'Zanele,Nkosi,00419,,Law,zanele@example.org,80.50,-,1780000000',
      'Sipho,Dube,00420,,Law,sipho@example.org,64.00,60.25,1780000000',
    ),
    headerRow: 1,
    rows: 4,
    left: [],
    columns: [
      ['First name', 'string'],
      ['Last name', 'string'],
      ['ID number', 'reference'],
      ['Institution', 'empty'],
      ['Department', 'string'],
      ['Email address', 'mail'],
      ['Assignment: Essay (Real)', 'number'],
      ['Course total (Real)', 'number'],
      ['Last downloaded from this course', 'time'],
    ],
    label: ['First name', 'Last name'],
  },
  {
    program: 'Moodle in German, grades as CSV with semicolons',
    file: utf8(
      'Vorname;Nachname;ID-Nummer;Institution;Abteilung;E-Mail-Adresse;"Kurs gesamt (Punkte)";' +
        '"Zuletzt aus diesem Kurs geladen"',
      'Jürgen;Müller;4711;HS Bern;Informatik;juergen@example.org;68,50;1780000000',
      'Eva;Roth;4712;HS Bern;Informatik;eva@example.org;-;1780000000',
      'Anna;Weiß;4713;HS Bern;Physik;anna@example.org;91,25;1780000000',
    ),
    headerRow: 1,
    rows: 3,
    left: [],
    columns: [
      ['Vorname', 'string'],
      ['Nachname', 'string'],
      ['ID-Nummer', 'reference'],
      ['Institution', 'string'],
      ['Abteilung', 'string'],
      ['E-Mail-Adresse', 'mail'],
      ['Kurs gesamt (Punkte)', 'number'],
      ['Zuletzt aus diesem Kurs geladen', 'time'],
    ],
    label: ['Vorname', 'Nachname'],
  },
  {
    // The rows below the headings and the test student are described in Instructure's guide of the gradebook's export.
    program: 'Canvas, gradebook',
    file: utf8(
      `${BOM}Student,ID,SIS User ID,SIS Login ID,Section,Essay (4711),Current Score,Final Score,Final Grade`,
      ',,,,,Manual Posting,,,',
      '    Points Possible,,,,,100.00,(read only),(read only),(read only)',
      '"Molefe, Thandi",17,S-0417,thandi@example.org,A-01,71.00,71.00,68.50,B',
      '"Botha, Pieter",18,S-0418,pieter@example.org,A-01,,54.00,27.00,F',
      '"Nkosi, Zanele",19,S-0419,zanele@example.org,A-02,80.50,80.50,80.50,A-',
      '"Student, Test",20,,a1b2c3d4e5f6,A-01,,,,',
    ),
    headerRow: 1,
    rows: 3,
    left: [2, 3, 7],
    columns: [
      ['Student', 'string'],
      ['ID', 'string'],
      ['SIS User ID', 'reference'],
      ['SIS Login ID', 'username'],
      ['Section', 'string'],
      ['Essay (4711)', 'number'],
      ['Current Score', 'number'],
      ['Final Score', 'number'],
      ['Final Grade', 'string'],
    ],
    label: ['Student'],
  },
  {
    // The form is that of files that public programs read: UTF-16, tabs, titles, and empty columns for the totals.
    program: 'SAP, list with tabs in UTF-16',
    file: utf16(
      '12.05.2026          Dynamische Listenausgabe          1',
      '\t\t\t\t\t\t\t',
      '\t\tPersNr\tNachname\tVorname\tEintritt\tKostenst.\t       Betrag',
      '\t\t\t\t\t\t\t',
      '\t\t00088888\tMüller\tJürgen\t01.03.2019\t4711\t     1.250,00 ',
      '\t\t00088889\tRoth\tEva\t15.09.2021\t4712\t       980,50 ',
      '\t\t00088890\tWeiß\tAnna\t01.01.2020\t4711\t       120,00-',
      '*\t\t\t\t\t\t\t     2.110,50 ',
    ),
    headerRow: 3,
    rows: 3,
    left: [8],
    columns: [
      ['', 'empty'],
      ['', 'empty'],
      ['PersNr', 'reference'],
      ['Nachname', 'string'],
      ['Vorname', 'string'],
      ['Eintritt', 'date'],
      ['Kostenst.', 'string'],
      ['Betrag', 'number'],
    ],
    label: ['Nachname', 'Vorname'],
  },
  {
    program: 'SAP, list that was not converted',
    file: windows(
      '12.05.2026                       Dynamische Listenausgabe                       1',
      '---------------------------------------------------',
      '',
      '---------------------------------------------------',
      '|  Pers.Nr.|Nachname      |Vorname   |Eintritt  |',
      '---------------------------------------------------',
      '|  00088888|Müller        |Jürgen    |01.03.2019|',
      '|  00088889|Roth          |Eva       |15.09.2021|',
      '|  00088890|Weiß          |Anna      |01.01.2020|',
      '---------------------------------------------------',
    ),
    headerRow: 5,
    rows: 3,
    left: [6, 10],
    columns: [
      ['', 'empty'],
      ['Pers.Nr.', 'reference'],
      ['Nachname', 'string'],
      ['Vorname', 'string'],
      ['Eintritt', 'date'],
    ],
    label: ['Nachname', 'Vorname'],
  },
  {
    // Names of attributes as in Personio's guide of the import of employees.
    program: 'Personio, list of employees as CSV',
    file: utf8(
      `${BOM}Vorname;Nachname;E-Mail;Personalnummer;Position;Abteilung;Eintrittsdatum;Status;Wochenstunden`,
      'Jürgen;Müller;juergen@example.org;1001;Leitung;Einkauf;01.03.2019;Aktiv;40,0',
      'Eva;Roth;eva@example.org;1002;Assistenz;Einkauf;15.09.2021;Aktiv;32,5',
      'Anna;Weiß;anna@example.org;1003;Lager;Logistik;01.01.2020;Aktiv;38,5',
    ),
    headerRow: 1,
    rows: 3,
    left: [],
    columns: [
      ['Vorname', 'string'],
      ['Nachname', 'string'],
      ['E-Mail', 'mail'],
      ['Personalnummer', 'reference'],
      ['Position', 'string'],
      ['Abteilung', 'string'],
      ['Eintrittsdatum', 'date'],
      ['Status', 'string'],
      ['Wochenstunden', 'number'],
    ],
    label: ['Vorname', 'Nachname'],
  },
  {
    program: 'Excel in German, CSV of a sheet with a title and a sum',
    file: windows(
      'Absolventinnen und Absolventen 2026;;;;;',
      ';;;;;',
      'Name;Vorname;E-Mail (privat);Abgeschlossen am;Durchschnitt;Gebühr',
      'Müller;Jürgen;juergen@example.org;31.01.2026;1,3;1.250,00',
      'Roth;Eva;eva@example.org;31.01.2026;2,0;980,50',
      'Weiß;Anna;anna@example.org;15.02.2026;1,7;980,50',
      ';;;;;',
      'Summe;;;;;3.211,00',
      ';;;;;',
    ),
    headerRow: 3,
    rows: 3,
    left: [8],
    columns: [
      ['Name', 'string'],
      ['Vorname', 'string'],
      ['E-Mail (privat)', 'mail'],
      ['Abgeschlossen am', 'date'],
      ['Durchschnitt', 'number'],
      ['Gebühr', 'number'],
    ],
    label: ['Name', 'Vorname'],
  },
  {
    program: 'Excel in French, CSV',
    file: windows(
      'Nom;Prénom;Courriel étudiant;Né(e) le;Moyenne;Frais;Admis',
      'Dupont;Zoé;zoe@example.org;31/01/1999;12,5;1\u00a0250,00;oui',
      'Lefèvre;Léa;lea@example.org;02/03/2000;14;980,50;oui',
      'Martin;Noël;noel@example.org;15/12/1998;9,75;980,50;non',
    ),
    headerRow: 1,
    rows: 3,
    left: [],
    columns: [
      ['Nom', 'string'],
      ['Prénom', 'string'],
      ['Courriel étudiant', 'mail'],
      ['Né(e) le', 'date'],
      ['Moyenne', 'number'],
      ['Frais', 'number'],
      ['Admis', 'boolean'],
    ],
    label: ['Nom', 'Prénom'],
  },
  {
    program: 'Excel in US English, CSV',
    file: windows(
      'Legal First Name,Legal Last Name,Student Email,Degree,Conferral Date,GPA,Balance,Honors',
      'Thandi,Molefe,thandi@example.org,B.A. History,5/9/2026,3.71,"1,250.00",Yes',
      'Pieter,Botha,pieter@example.org,B.S. Physics,5/9/2026,2.90,$80.00,No',
      'José,Peña,jose@example.org,B.A. History,12/19/2025,3.00,0.00,No',
    ),
    headerRow: 1,
    rows: 3,
    left: [],
    columns: [
      ['Legal First Name', 'string'],
      ['Legal Last Name', 'string'],
      ['Student Email', 'mail'],
      ['Degree', 'string'],
      ['Conferral Date', 'date'],
      ['GPA', 'number'],
      ['Balance', 'string'],
      ['Honors', 'boolean'],
    ],
    label: ['Legal First Name', 'Legal Last Name'],
  },
  {
    program: 'Excel in German, Unicode text with a line sep=',
    file: utf16(
      'sep=\t',
      'Name\tVorname\tGeprüft am\tPunkte',
      'Müller\tJürgen\t31.01.2026\t78,5',
      'Kowalczyk\tŁukasz\t28.02.2026\t81',
    ),
    headerRow: 2,
    rows: 2,
    left: [],
    columns: [
      ['Name', 'string'],
      ['Vorname', 'string'],
      ['Geprüft am', 'date'],
      ['Punkte', 'number'],
    ],
    label: ['Name', 'Vorname'],
  },
  {
    program: 'Numbers, CSV with the name of the table',
    file: Buffer.from(
      ['Table 1', 'Name,Email,Level,Passed on', 'Thandi Molefe,thandi@example.org,B2,3/4/2026'].join('\r\n') +
        '\r\nPieter Botha,pieter@example.org,C1,4/5/2026\r\n,,,\r\n,,,\r\n',
    ),
    headerRow: 2,
    rows: 2,
    left: [],
    columns: [
      ['Name', 'string'],
      ['Email', 'mail'],
      ['Level', 'string'],
      ['Passed on', 'date'],
    ],
    label: ['Name'],
    dates: 'mdy',
  },
  {
    program: 'Google Forms, answers as CSV',
    file: utf8(
      'Timestamp,Email Address,Full name (as on your ID),Course,I agree',
      '5/12/2026 10:03:22,thandi@example.org,Thandi Molefe,"First aid, basics",TRUE',
      '5/12/2026 11:41:07,pieter@example.org,Pieter Botha,"First aid, basics",TRUE',
      '5/13/2026 8:00:59,zanele@example.org,Zanele Nkosi,Fire safety,TRUE',
    ),
    headerRow: 1,
    rows: 3,
    left: [],
    columns: [
      ['Timestamp', 'time'],
      ['Email Address', 'mail'],
      ['Full name (as on your ID)', 'string'],
      ['Course', 'string'],
      ['I agree', 'boolean'],
    ],
    label: ['Full name (as on your ID)'],
  },
  {
    program: 'LibreOffice, CSV with all texts in quotes',
    file: utf8(
      '"Mitgl.-Nr.","Anrede","Vorname","Nachname","PLZ","Eintritt","Beitrag"',
      '"00017","Frau","Eva","Roth","01067",2019-03-01,"80,00"',
      '"00018","Herr","Jürgen","Müller","30159",2021-09-15,"120,00"',
      '"00019","Frau","Anna","Weiß","04109",2020-01-01,"80,00"',
    ),
    headerRow: 1,
    rows: 3,
    left: [],
    columns: [
      ['Mitgl.-Nr.', 'reference'],
      ['Anrede', 'string'],
      ['Vorname', 'string'],
      ['Nachname', 'string'],
      ['PLZ', 'string'],
      ['Eintritt', 'date'],
      ['Beitrag', 'number'],
    ],
    label: ['Vorname', 'Nachname'],
  },
  {
    program: 'a French association, members who paid online',
    file: utf8(
      `${BOM}Référence commande;Date de la commande;Nom adhérent;Prénom adhérent;Email payeur;Formule;Montant`,
      '90210417;02/09/2025 10:14;Dupont;Zoé;zoe@example.org;Adulte;35,00 €',
      '90210418;14/09/2025 18:02;Martin;Léa;lea@example.org;Jeune;20,00 €',
      '90210419;15/09/2025 07:45;Petit;Noël;noel@example.org;Adulte;35,00 €',
    ),
    headerRow: 1,
    rows: 3,
    left: [],
    columns: [
      ['Référence commande', 'reference'],
      ['Date de la commande', 'string'],
      ['Nom adhérent', 'string'],
      ['Prénom adhérent', 'string'],
      ['Email payeur', 'mail'],
      ['Formule', 'string'],
      ['Montant', 'string'],
    ],
    label: ['Nom adhérent', 'Prénom adhérent'],
  },
]
